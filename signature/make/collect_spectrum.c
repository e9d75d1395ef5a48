/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analysis in time of the lost time that FTQ measured: series, spectrum, spectral lines, autocorrelation. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/spectrum.h"

/* Maximum number of values in a reduced series, enough for a plot. */
#define SERIES_VALUES 1024
#define LAGS 256
/* A spectrum of pure noise shows a line with this probability. */
#define FALSE_ALARM 0.01

/* Reduces N VALUES, STEP apart, to at most SERIES_VALUES steps with the mean and maximum of each. */
static int decimate(const double *values, size_t n, double step, struct mpg_noise_series *series,
                    struct mpg_error *err)
{
    size_t each = (n + SERIES_VALUES - 1) / SERIES_VALUES, made = (n + each - 1) / each;
    series->mean = malloc(made * sizeof *series->mean);
    series->max = malloc(made * sizeof *series->max);
    if (!series->mean || !series->max)
        return mpg_collect_no_memory(err);
    for (size_t k = 0; k < made; k++) {
        size_t first = k * each, end = first + each < n ? first + each : n;
        double sum = 0, max = values[first];
        for (size_t i = first; i < end; i++) {
            sum += values[i];
            max = fmax(max, values[i]);
        }
        series->mean[k] = fmin(sum / (double)(end - first), max);
        series->max[k] = max;
    }
    series->step = step * (double)each;
    series->n = made;
    return 0;
}

static int descending_amplitude(const void *left, const void *right)
{
    const struct mpg_noise_line *a = left, *b = right;
    return (a->amplitude_ns < b->amplitude_ns) - (a->amplitude_ns > b->amplitude_ns);
}

static int copy_lines(const struct mpg_spectrum *spectrum, struct mpg_noise_core *core,
                      struct mpg_error *err)
{
    size_t n = spectrum->lines < MPG_SIGNATURE_MAX_LIST ? spectrum->lines : MPG_SIGNATURE_MAX_LIST;
    if (!(core->line = calloc(n + 1, sizeof *core->line)))
        return mpg_collect_no_memory(err);
    core->lines = n;
    for (size_t i = 0; i < n; i++) {
        const struct mpg_line *line = &spectrum->line[i];
        core->line[i] = (struct mpg_noise_line){line->frequency_hz, line->amplitude,
                                                line->harmonic_of_hz, line->probability};
    }
    qsort(core->line, n, sizeof *core->line, descending_amplitude);
    return 0;
}

static int add_spectrum(const double *lost_ns, size_t n, struct mpg_noise_core *core,
                        struct mpg_error *err)
{
    struct mpg_spectrum *spectrum =
        mpg_spectrum_welch(lost_ns, n, core->ftq.quantum_ns, 0, FALSE_ALARM, err);
    if (!spectrum)
        return -1;
    core->false_alarm = FALSE_ALARM;
    int status = copy_lines(spectrum, core, err);
    if (status == 0)
        status = decimate(spectrum->power, spectrum->bins, spectrum->resolution_hz,
                          &core->spectrum, err);
    mpg_spectrum_free(spectrum);
    return status;
}

static int add_autocorrelation(const double *lost_ns, size_t n, struct mpg_noise_core *core,
                               struct mpg_error *err)
{
    double bound;
    size_t lags = n - 1 < LAGS ? n - 1 : LAGS;
    if (!(core->autocorrelation = malloc(lags * sizeof *core->autocorrelation)))
        return mpg_collect_no_memory(err);
    if (mpg_autocorrelation(lost_ns, n, lags, core->autocorrelation, &bound, err) < 0)
        return -1;
    core->lags = lags;
    return 0;
}

int mpg_collect_quanta(const double *lost_ns, size_t n, struct mpg_noise_core *core,
                       struct mpg_error *err)
{
    if (decimate(lost_ns, n, core->ftq.quantum_ns, &core->series, err) < 0)
        return -1;
    if (n < MPG_SPECTRUM_MIN_SAMPLES)
        return 0;
    return add_spectrum(lost_ns, n, core, err) < 0 ? -1
                                                   : add_autocorrelation(lost_ns, n, core, err);
}
