/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Welch's periodogram and autocorrelation; spectrum_lines.c finds the lines. */
#include "statistics/spectrum.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/spectrum_private.h"

static int check_values(const double *values, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) <= MPG_SPECTRUM_LIMIT))
            return mpg_error_set(err, "value %zu is %g, too large for a spectrum", i,
                                 values[i]);
    return 0;
}

static bool all_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

static size_t choose_segment(size_t n, double spacing_ns, double resolution_hz)
{
    size_t segment = 16;
    double wanted = resolution_hz > 0 ? 1e9 / (spacing_ns * resolution_hz) : INFINITY;
    while (segment < wanted && 2 * segment <= n / 4 && 2 * segment <= MPG_SPECTRUM_MAX_SEGMENT)
        segment *= 2;
    return segment;
}

/* Adds the periodogram of a segment of N values to POWER; fill_power() scales the sum. */
static int add_segment(const double *values, const double *window, size_t n, double *work,
                       double *power, struct mpg_error *err)
{
    double mean = gsl_stats_mean(values, 1, n);
    for (size_t i = 0; i < n; i++)
        work[i] = (values[i] - mean) * window[i];
    int status = gsl_fft_real_radix2_transform(work, 1, n);
    if (status != GSL_SUCCESS)
        return mpg_error_set(err, "Fourier transform: %s", gsl_strerror(status));
    power[0] += work[0] * work[0];
    power[n / 2] += work[n / 2] * work[n / 2];
    for (size_t k = 1; k < n / 2; k++) /* the power at frequencies k and -k together */
        power[k] += 2 * (work[k] * work[k] + work[n - k] * work[n - k]);
    return 0;
}

static int fill_power(struct mpg_spectrum *s, const double *values, struct mpg_error *err)
{
    size_t n = s->segment, hop = n / 2;
    double *window = malloc(n * sizeof *window), *work = malloc(n * sizeof *work);
    double squares = 0;
    int status = -1;
    if (!window || !work) {
        mpg_error_set(err, "out of memory for segments of %zu values", n);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)n);
        squares += window[i] * window[i];
    }
    for (size_t i = 0; i < s->segments; i++)
        if (add_segment(values + i * hop, window, n, work, s->power, err) < 0)
            goto out;
    /* |X|^2 spacing / sum w^2 is the two-sided density. */
    double scale = s->spacing_ns * 1e-9 / (squares * (double)s->segments);
    for (size_t k = 0; k < s->bins; k++)
        s->power[k] *= scale;
    status = 0;
out:
    free(work);
    free(window);
    return status;
}

/* Returns the degrees of freedom of the mean periodogram by Welch's equation for its variance: two for each independent
 * segment. Under the Hann window, segments with 50 % overlap correlate by (1/6)^2. */
static double welch_freedom(size_t segments)
{
    double k = (double)segments;
    return 2 * k / (1 + 2 * (k - 1) / k / 36);
}

struct mpg_spectrum *mpg_spectrum_welch(const double *values, size_t n, double spacing_ns,
                                        double resolution_hz, double false_alarm,
                                        struct mpg_error *err)
{
    struct mpg_spectrum *s = NULL;
    if (n < MPG_SPECTRUM_MIN_SAMPLES)
        mpg_error_set(err, "a spectrum needs %d values, not %zu", (int)MPG_SPECTRUM_MIN_SAMPLES, n);
    else if (!(spacing_ns > 0 && isfinite(spacing_ns)))
        mpg_error_set(err, "spacing %g ns is not a positive time", spacing_ns);
    else if (!(resolution_hz >= 0))
        mpg_error_set(err, "resolution %g Hz is negative", resolution_hz);
    else if (!(false_alarm > 0 && false_alarm < 1))
        mpg_error_set(err, "false alarm probability %g is not between 0 and 1", false_alarm);
    else if (check_values(values, n, err) == 0 && !(s = calloc(1, sizeof *s)))
        mpg_error_set(err, "out of memory");
    if (!s)
        return NULL;
    s->samples = n;
    s->spacing_ns = spacing_ns;
    s->segment = choose_segment(n, spacing_ns, resolution_hz);
    s->segments = (n - s->segment) / (s->segment / 2) + 1;
    s->resolution_hz = 1e9 / (spacing_ns * (double)s->segment);
    s->freedom = welch_freedom(s->segments);
    s->bins = s->segment / 2 + 1;
    s->power = calloc(s->bins, sizeof *s->power);
    s->background = calloc(s->bins, sizeof *s->background);
    if (!s->power || !s->background)
        mpg_error_set(err, "out of memory for a spectrum of %zu bins", s->bins);
    else if (all_equal(values, n) ||
             (fill_power(s, values, err) == 0 && mpg_spectrum_find_lines(s, false_alarm, err) == 0))
        return s;
    mpg_spectrum_free(s);
    return NULL;
}

void mpg_spectrum_free(struct mpg_spectrum *spectrum)
{
    if (!spectrum)
        return;
    free(spectrum->power);
    free(spectrum->background);
    free(spectrum->line);
    free(spectrum);
}

/* Turns WORK, the values less their mean followed by zeros, into its circular correlation, in place. The zeros prevent
 * that end and begin of the series correlate. */
static int correlate(double *work, size_t size, struct mpg_error *err)
{
    int status = gsl_fft_real_radix2_transform(work, 1, size);
    if (status == GSL_SUCCESS) {
        work[0] *= work[0];
        work[size / 2] *= work[size / 2];
        for (size_t k = 1; k < size / 2; k++) {
            work[k] = work[k] * work[k] + work[size - k] * work[size - k];
            work[size - k] = 0;
        }
        status = gsl_fft_halfcomplex_radix2_inverse(work, 1, size);
    }
    if (status != GSL_SUCCESS)
        return mpg_error_set(err, "Fourier transform: %s", gsl_strerror(status));
    return 0;
}

int mpg_autocorrelation(const double *values, size_t n, size_t lags, double *correlation,
                        double *bound, struct mpg_error *err)
{
    if (lags == 0 || lags >= n)
        return mpg_error_set(err, "%zu values have no autocorrelation at lag %zu", n, lags);
    if (check_values(values, n, err) < 0)
        return -1;
    size_t size = 2;
    while (size < n + lags)
        size *= 2;
    double *work = calloc(size, sizeof *work);
    if (!work)
        return mpg_error_set(err, "out of memory for %zu values", n);
    int status = 0;
    bool equal = all_equal(values, n);
    if (!equal) {
        /* Values are scaled to -1..1, because squares of large values would overflow. */
        double mean = gsl_stats_mean(values, 1, n), largest = 0;
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(values[i] - mean));
        for (size_t i = 0; i < n; i++)
            work[i] = (values[i] - mean) / largest;
        status = correlate(work, size, err);
    }
    if (status == 0) {
        for (size_t k = 1; k <= lags; k++)
            correlation[k - 1] = equal ? 0 : fmin(fmax(work[k] / work[0], -1), 1);
        *bound = 1.96 / sqrt((double)n);
    }
    free(work);
    return status;
}
