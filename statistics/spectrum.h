/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periodicity of a series of equally spaced values: power spectrum, spectral lines, autocorrelation. Pure
 * functions, thread-safe unless threads share a spectrum. */
#ifndef MPG_SPECTRUM_H
#define MPG_SPECTRUM_H

#include <stddef.h>

#include "common/error.h"

enum {
    MPG_SPECTRUM_MIN_SAMPLES = 64,
    MPG_SPECTRUM_MAX_SEGMENT = 65536, /* samples */
};

/* Largest magnitude of a value: sums of powers stay finite. */
#define MPG_SPECTRUM_LIMIT 1e120

struct mpg_line {
    double frequency_hz;   /* as sampled: within 0..1/(2 spacing) */
    double resolution_hz;  /* lines closer than this cannot be separated */
    double amplitude;      /* a of a cos(2 pi f t), in the series' unit */
    double probability;    /* p-value: the chance of such a peak anywhere in a noise spectrum */
    double harmonic_of_hz; /* frequency of the fundamental; 0: no harmonic */
    int order;             /* 1: a fundamental; k: the k-th multiple, possibly aliased */
};

struct mpg_spectrum {
    size_t samples, segment, segments; /* number of values; values in a segment; number of segments averaged */
    double spacing_ns;
    double resolution_hz; /* bin width: 1 / (segment spacing) */
    double freedom;       /* degrees of freedom of each bin's chi-square */
    size_t bins;          /* segment / 2 + 1; bin k is at k resolution_hz */
    double *power;        /* one-sided density, unit^2 / Hz: sum power resolution_hz = variance */
    double *background;   /* power density without lines */
    size_t lines;         /* number of lines, ascending in frequency */
    struct mpg_line *line;
};

/* Computes Welch's periodogram (IEEE Trans. Audio Electroacoust. 15 (1967) 70) of N >= MPG_SPECTRUM_MIN_SAMPLES
 * values at a spacing of SPACING_NS (copied): Hann window, 50 % overlap, each segment's mean removed. The segment
 * is the shortest power of two that resolves RESOLUTION_HZ (0: as fine as possible), at most N / 4 (at least 7
 * segments are averaged) and MPG_SPECTRUM_MAX_SEGMENT.
 *
 * Lines: the background is the running median. A bin belongs to a line if it exceeds the background by more than
 * chance permits in a share FALSE_ALARM of spectra: F distribution of the bin's chi-square against the
 * background's, with Bonferroni's correction for the number of bins. The degrees of freedom are Welch's (equation
 * for overlapped segments), or fewer if the bins scatter more, as under heavy-tailed noise. The lowest six bins
 * are not tested because of drifts. Frequencies are interpolated between bins (Grandke, IEEE Trans. Instrum. Meas.
 * 32 (1983) 350), accurate to about a twentieth of a bin.
 *
 * Harmonics: lines are grouped into families, the strongest line first (among lines up to 1.5 times weaker, the
 * lowest). A harmonic lies at a multiple of the fundamental after aliasing at 1/(2 spacing), provided at most two
 * consecutive orders are missing (any number near multiples of 1/spacing, where averaging over a quantum hides
 * them). A harmonic is at most 1.5 times as strong as the strongest of the four previous orders.
 *
 * The caller frees the result, which owns its arrays. Errors: too few values, a value not finite or beyond
 * MPG_SPECTRUM_LIMIT, SPACING_NS not positive, RESOLUTION_HZ negative, FALSE_ALARM outside (0, 1), out of memory.
 * Equal values have power 0 and no lines. */
struct mpg_spectrum *mpg_spectrum_welch(const double *values, size_t n, double spacing_ns,
                                        double resolution_hz, double false_alarm,
                                        struct mpg_error *err);
void mpg_spectrum_free(struct mpg_spectrum *spectrum); /* NULL is allowed */

/* Computes the autocorrelation of N values: CORRELATION[k - 1] for lags k = 1..LAGS is sum (x[i] - mean)(x[i + k]
 * - mean) / sum (x[i] - mean)^2 (Box and Jenkins, Time Series Analysis, 2.1.5); 0 if all values are equal. *BOUND
 * = 1.96 / sqrt(N): 95 % of the correlations of independent values lie within +-*BOUND (Bartlett). Errors: LAGS is
 * 0 or not below N, a value not finite or beyond MPG_SPECTRUM_LIMIT, out of memory. */
int mpg_autocorrelation(const double *values, size_t n, size_t lags, double *correlation,
                        double *bound, struct mpg_error *err);

#endif
