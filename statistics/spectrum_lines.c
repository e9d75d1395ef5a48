/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spectral lines: peaks above the background, and their grouping into harmonics. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/inference.h"
#include "statistics/order.h"
#include "statistics/spectrum_private.h"

enum {
    /* First bin that can have a line: slow drifts fill the bins below, and bin 0 lacks the mean, which was subtracted. */
    LOWEST_BIN = 6,
    LINE_BINS = 2,  /* number of bins to either side of a line under the Hann window */
    APART_BINS = 3, /* peaks closer than this are one peak */
    MISSING_ORDERS = 2,
    STRENGTHS = 4, /* number of preceding orders whose strengths limit the strength of a harmonic */
    HIGHEST = 128, /* harmonics are searched up to this multiple of half the sampling frequency */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the half width, in bins, of the running median at bin K: many widths of a line, but symmetric about K. In the
 * decreasing power at low frequencies an asymmetric window would give too low a median, and lines that do not exist. */
static size_t reach(const struct mpg_spectrum *s, size_t k)
{
    size_t widest = smaller(larger(s->bins / 32, 16), 128);
    return smaller(widest, larger(k, LOWEST_BIN) - 1);
}

static size_t window_start(const struct mpg_spectrum *s, size_t k)
{
    return larger(k, LOWEST_BIN) - reach(s, k);
}

static size_t window_bins(const struct mpg_spectrum *s, size_t k)
{
    return smaller(2 * reach(s, k) + 1, s->bins - window_start(s, k));
}

/* Computes the running median of power at selected bins, interpolates linearly between, and stores both in s->background. */
static int running_median(struct mpg_spectrum *s, struct mpg_error *err)
{
    size_t last = s->bins - 1, previous = 0;
    double *sorted = malloc(s->bins * sizeof *sorted); /* holds the values of a window, at most all bins */
    if (!sorted)
        return mpg_error_set(err, "out of memory for a background");
    for (size_t k = 0;; k = smaller(k + larger(reach(s, k) / 8, 1), last)) {
        size_t n = window_bins(s, k);
        memcpy(sorted, s->power + window_start(s, k), n * sizeof *sorted);
        gsl_sort(sorted, 1, n);
        double median = gsl_stats_median_from_sorted_data(sorted, 1, n);
        s->background[k] = median;
        for (size_t i = previous + 1; i < k; i++)
            s->background[i] = s->background[previous] + (median - s->background[previous]) *
                                                             (double)(i - previous) /
                                                             (double)(k - previous);
        previous = k;
        if (k == last)
            break;
    }
    free(sorted);
    return 0;
}

static double chi_square_quartiles(double freedom)
{
    return mpg_chi_square_quantile(0.75, freedom) / mpg_chi_square_quantile(0.25, freedom);
}

/* Lowers the degrees of freedom of a bin's power to the chi-square distribution that scatters like the observed bins
 * about the median; at least 2, at most Welch's. Uses quartiles, because lines hardly change them. */
static int scatter_freedom(struct mpg_spectrum *s, struct mpg_error *err)
{
    size_t n = s->bins - 1 - LOWEST_BIN; /* without the last bin, which has half the degrees of freedom */
    double *ratio = malloc(s->bins * sizeof *ratio);
    if (!ratio)
        return mpg_error_set(err, "out of memory for a background");
    for (size_t k = 0; k < n; k++)
        ratio[k] = s->power[k + LOWEST_BIN] / s->background[k + LOWEST_BIN];
    gsl_sort(ratio, 1, n);
    double seen = mpg_interpolated_quantile(ratio, n, 0.75) /
                  mpg_interpolated_quantile(ratio, n, 0.25);
    free(ratio);
    double low = 2, high = s->freedom;
    if (!(seen > chi_square_quartiles(high)))
        return 0;
    for (int i = 0; i < 40 && high - low > 1e-3; i++) {
        double middle = (low + high) / 2;
        if (chi_square_quartiles(middle) > seen)
            low = middle;
        else
            high = middle;
    }
    s->freedom = low;
    return 0;
}

/* Returns the p-value of the power in bin K if there is only noise. Hann-windowed neighbours correlate (1 + 2 (4/9) +
 * 2/36 = 1.94), hence the median of W bins has the degrees of freedom of W / (1.94 pi / 2) independent bins. */
static double chance(const struct mpg_spectrum *s, size_t k)
{
    double freedom = k == s->bins - 1 ? s->freedom / 2 : s->freedom;
    return gsl_cdf_fdist_Q(s->power[k] / s->background[k], freedom,
                           s->freedom * (double)window_bins(s, k) / (1.94 * M_PI / 2));
}

static double above(const struct mpg_spectrum *s, size_t k)
{
    return fmax(s->power[k] - s->background[k], 0);
}

static bool is_peak(const struct mpg_spectrum *s, size_t k)
{
    for (size_t i = k > APART_BINS ? k - APART_BINS : 0; i <= smaller(k + APART_BINS, s->bins - 1);
         i++)
        if (s->power[i] > s->power[k] || (s->power[i] == s->power[k] && i < k))
            return false;
    return true;
}

/* Grandke's interpolation: under the Hann window, amplitudes a, b of the highest bin and its higher neighbour
 * place the line (2 b - a) / (a + b) bins above. */
static double peak_bin(const struct mpg_spectrum *s, size_t k)
{
    if (k == s->bins - 1) /* at the Nyquist frequency a line overlaps its mirror image */
        return (double)k;
    double here = sqrt(above(s, k)), up = sqrt(above(s, k + 1)), down = sqrt(above(s, k - 1));
    double shift = up >= down ? (2 * up - here) / (up + here) : -(2 * down - here) / (down + here);
    return (double)k + fmin(fmax(shift, -0.5), 0.5);
}

static void fill_line(const struct mpg_spectrum *s, size_t k, double probability,
                      struct mpg_line *line)
{
    double sum = 0;
    for (size_t i = k - LINE_BINS; i <= smaller(k + LINE_BINS, s->bins - 1); i++)
        sum += above(s, i);
    double bin = peak_bin(s, k);
    /* Mean square of the cosine at the Nyquist frequency, cos(pi i), and of all others. */
    double mean_square = k == s->bins - 1 ? 1 : 0.5;
    *line = (struct mpg_line){
        .frequency_hz = bin * s->resolution_hz,
        .resolution_hz = s->resolution_hz,
        .amplitude = sqrt(sum * s->resolution_hz / mean_square),
        .probability = probability,
    };
}

/* Returns whether peaks in bins A < B are separate: between them power falls below half of the lower peak. */
static bool separate(const struct mpg_spectrum *s, size_t a, size_t b)
{
    double valley = INFINITY;
    for (size_t k = a + 1; k < b; k++)
        valley = fmin(valley, s->power[k]);
    return valley < 0.5 * fmin(s->power[a], s->power[b]);
}

static size_t pick_peaks(const struct mpg_spectrum *s, double false_alarm, size_t *peak,
                         double *probability)
{
    double tested = (double)(s->bins - LOWEST_BIN), max = -expm1(log1p(-false_alarm) / tested);
    size_t n = 0;
    for (size_t k = LOWEST_BIN; k < s->bins; k++) {
        double p = is_peak(s, k) ? chance(s, k) : 1;
        if (p > max)
            continue;
        if (n > 0 && !separate(s, peak[n - 1], k)) {
            if (s->power[k] <= s->power[peak[n - 1]])
                continue;
            n--;
        }
        peak[n] = k;
        probability[n++] = -expm1(tested * log1p(-p));
    }
    return n;
}

int mpg_spectrum_find_lines(struct mpg_spectrum *s, double false_alarm, struct mpg_error *err)
{
    size_t cap = s->bins / APART_BINS + 1;
    size_t *peak = malloc(cap * sizeof *peak);
    double *probability = malloc(cap * sizeof *probability);
    int status = -1;
    if (!peak || !probability) {
        mpg_error_set(err, "out of memory for the lines of a spectrum");
        goto out;
    }
    if (running_median(s, err) < 0)
        goto out;
    /* In a series without noise, the background is only rounding errors: a floor avoids division by 0. */
    double floor = 1e-12 * gsl_stats_mean(s->power, 1, s->bins);
    for (size_t k = 0; k < s->bins; k++)
        s->background[k] = fmax(s->background[k], floor);
    if (scatter_freedom(s, err) < 0)
        goto out;
    double mean_of_median = s->freedom / mpg_chi_square_quantile(0.5, s->freedom);
    for (size_t k = 0; k < s->bins; k++)
        s->background[k] *= mean_of_median;
    size_t n = pick_peaks(s, false_alarm, peak, probability);
    if (n > 0 && !(s->line = malloc(n * sizeof *s->line))) {
        mpg_error_set(err, "out of memory for %zu lines", n);
        goto out;
    }
    for (s->lines = 0; s->lines < n; s->lines++)
        fill_line(s, peak[s->lines], probability[s->lines], &s->line[s->lines]);
    mpg_spectrum_mark_harmonics(s);
    status = 0;
out:
    free(probability);
    free(peak);
    return status;
}

/* ---- harmonics ---- */

/* Returns the frequency, 0..NYQUIST, at which FREQUENCY appears after aliasing. */
static double fold(double frequency, double nyquist)
{
    double rest = fmod(frequency, 2 * nyquist);
    return rest <= nyquist ? rest : 2 * nyquist - rest;
}

/* Returns the true frequency of a line that appears at FREQUENCY after aliasing, assuming a true frequency near MULTIPLE, a
 * multiple of a fundamental. */
static double unfold(double frequency, double multiple, double nyquist)
{
    double turns = floor(multiple / (2 * nyquist)), rest = multiple - turns * 2 * nyquist;
    return turns * 2 * nyquist + (rest <= nyquist ? frequency : 2 * nyquist - frequency);
}

/* Returns the nearest line within TOLERANCE of FREQUENCY that belongs to no fundamental yet; NULL: none. */
static struct mpg_line *line_near(struct mpg_spectrum *s, double frequency, double tolerance)
{
    struct mpg_line *nearest = NULL;
    for (size_t i = 0; i < s->lines; i++) {
        double distance = fabs(s->line[i].frequency_hz - frequency);
        if (s->line[i].order == 0 && distance <= tolerance) {
            nearest = &s->line[i];
            tolerance = distance;
        }
    }
    return nearest;
}

/* Marks the harmonics of FUNDAMENTAL. The search ends after more than MISSING_ORDERS missing harmonics in sequence. Not
 * counted are harmonics near multiples of the sampling frequency, which averaging over the spacing suppresses, and
 * harmonics that appear at the fundamental's frequency. */
static void mark_harmonics_of(struct mpg_spectrum *s, struct mpg_line *fundamental)
{
    double nyquist = 0.5e9 / s->spacing_ns, tolerance = 0.75 * s->resolution_hz;
    double base = fundamental->frequency_hz, strength[STRENGTHS];
    int missing = 0, found = 0;
    for (int i = 0; i < STRENGTHS; i++)
        strength[i] = fundamental->amplitude;
    fundamental->order = 1;
    for (int order = 2; missing <= MISSING_ORDERS && order * base <= HIGHEST * nyquist; order++) {
        double multiple = order * base, seen = fold(multiple, nyquist), max = 0;
        for (int i = 0; i < STRENGTHS; i++)
            max = fmax(max, strength[i]);
        struct mpg_line *line = line_near(s, seen, tolerance);
        if (!line || line->amplitude > 1.5 * max) {
            missing += seen > 0.1 * nyquist &&
                       fabs(seen - fundamental->frequency_hz) > tolerance;
            continue;
        }
        missing = 0;
        strength[found++ % STRENGTHS] = line->amplitude;
        line->order = order;
        line->harmonic_of_hz = fundamental->frequency_hz;
        base = unfold(line->frequency_hz, multiple, nyquist) / order;
    }
}

void mpg_spectrum_mark_harmonics(struct mpg_spectrum *s)
{
    for (;;) {
        double max = 0;
        for (size_t i = 0; i < s->lines; i++)
            if (s->line[i].order == 0)
                max = fmax(max, s->line[i].amplitude);
        size_t i = 0;
        while (i < s->lines && (s->line[i].order > 0 || s->line[i].amplitude < max / 1.5))
            i++;
        if (i == s->lines)
            return;
        mark_harmonics_of(s, &s->line[i]);
    }
}
