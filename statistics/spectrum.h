/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is periodic in a series of equally spaced values: its power spectrum, the
 * lines that stand out of it, its autocorrelation. Pure functions: thread-safe
 * as long as no two threads work on the same spectrum. */
#ifndef MPG_SPECTRUM_H
#define MPG_SPECTRUM_H

#include <stddef.h>

#include "common/error.h"

enum {
    MPG_SPECTRUM_MIN_SAMPLES = 64,
    MPG_SPECTRUM_MAX_SEGMENT = 65536, /* samples */
};

/* Largest magnitude of a value: powers summed over any series stay finite. */
#define MPG_SPECTRUM_LIMIT 1e120

struct mpg_line {
    double frequency_hz;   /* as seen in the samples: within 0..1/(2 spacing) */
    double resolution_hz;  /* lines nearer to each other than this are one */
    double amplitude;      /* a of a cos(2 pi f t), in the series' unit */
    double probability;    /* that noise alone has such a peak anywhere in the spectrum */
    double harmonic_of_hz; /* frequency of the fundamental; 0: it is no harmonic */
    int order;             /* 1: a fundamental; k: its k-th multiple, perhaps folded */
};

struct mpg_spectrum {
    size_t samples, segment, segments; /* values; values in a segment; segments averaged */
    double spacing_ns;
    double resolution_hz; /* from one bin to the next: 1 / (segment spacing) */
    double freedom;       /* degrees of freedom of each bin's chi-square */
    size_t bins;          /* segment / 2 + 1; bin k is at k resolution_hz */
    double *power;        /* one-sided density, unit^2 / Hz: sum power resolution_hz = variance */
    double *background;   /* what power would be without lines */
    size_t lines;         /* ascending in frequency */
    struct mpg_line *line;
};

/* Welch's periodogram (IEEE Trans. Audio Electroacoust. 15 (1967) 70) of N >=
 * MPG_SPECTRUM_MIN_SAMPLES values of one unit, SPACING_NS apart (copied): Hann
 * window, 50 % overlap, each segment's mean removed. The segment is the shortest
 * power of two that resolves RESOLUTION_HZ (0: as fine as can be), but never
 * longer than N / 4 (so at least 7 are averaged) or MPG_SPECTRUM_MAX_SEGMENT.
 *
 * The background is the running median, and a bin is part of a line when it is
 * above it by more than chance does in one of 1 / FALSE_ALARM spectra: by the F
 * distribution of a bin's chi-square against the background's, with Bonferroni's
 * correction for the bins tested. The degrees of freedom are Welch's (his
 * equation for overlapped segments), or fewer when the bins scatter more than
 * that, as they do under noise of heavy tails. The lowest six bins are not
 * tested: drifts live there. Frequencies are interpolated between bins (Grandke,
 * IEEE Trans. Instrum. Meas. 32 (1983) 350), good to about a twentieth of a bin.
 *
 * Lines are put into families, the strongest first (of those up to 1.5 times
 * weaker, the lowest). A line is a harmonic when it is where a multiple of the
 * fundamental appears after folding at 1/(2 spacing), as far as orders follow each
 * other with at most two missing (near multiples of 1/spacing, any number: a
 * quantum averages them away), and at most 1.5 times as strong as the strongest of
 * the four orders before it.
 *
 * The caller frees the result; line and both densities belong to it. Errors: too
 * few values, a value that is not finite or beyond MPG_SPECTRUM_LIMIT, SPACING_NS not positive,
 * RESOLUTION_HZ negative, FALSE_ALARM outside (0, 1), out of memory. Values that
 * are all equal have power 0 and no lines. */
struct mpg_spectrum *mpg_spectrum_welch(const double *values, size_t n, double spacing_ns,
                                        double resolution_hz, double false_alarm,
                                        struct mpg_error *err);
void mpg_spectrum_free(struct mpg_spectrum *spectrum); /* NULL is allowed */

/* CORRELATION[k - 1] is the autocorrelation at lag k for k = 1..LAGS of N values,
 * sum (x[i] - mean)(x[i + k] - mean) / sum (x[i] - mean)^2 (Box and Jenkins, Time
 * Series Analysis, 2.1.5); 0 when all values are equal. Of independent values, 95 %
 * are within +-*BOUND = 1.96 / sqrt(N) (Bartlett). Errors: LAGS is 0 or not below
 * N, a value that is not finite or beyond MPG_SPECTRUM_LIMIT, out of memory. */
int mpg_autocorrelation(const double *values, size_t n, size_t lags, double *correlation,
                        double *bound, struct mpg_error *err);

#endif
