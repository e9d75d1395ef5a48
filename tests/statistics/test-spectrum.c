/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spectra, spectral lines and autocorrelations of series with known properties. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/spectrum.h"
#include "tests/tap.h"

static gsl_rng *rng;
static const double MS = 1e6; /* ns */

static bool near(double got, double expected, double tolerance)
{
    bool same = fabs(got - expected) <= tolerance * fabs(expected);
    if (!same)
        printf("# got %.10g, expected %.10g\n", got, expected);
    return same;
}

static void *must(void *pointer, const struct mpg_error *err)
{
    if (pointer)
        return pointer;
    printf("Bail out! %s\n", err->text);
    exit(1);
}

static double *series(size_t n)
{
    return must(calloc(n, sizeof(double)), &(struct mpg_error){"out of memory"});
}

static struct mpg_spectrum *welch(const double *values, size_t n, double spacing_ns,
                                  double resolution_hz)
{
    struct mpg_error err;
    return must(mpg_spectrum_welch(values, n, spacing_ns, resolution_hz, 1e-3, &err), &err);
}

static double total(const struct mpg_spectrum *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->bins; k++)
        sum += s->power[k] * s->resolution_hz;
    return sum;
}

static const struct mpg_line *line_at(const struct mpg_spectrum *s, double frequency_hz)
{
    for (size_t i = 0; i < s->lines; i++)
        if (fabs(s->line[i].frequency_hz - frequency_hz) < 2e-3 * frequency_hz)
            return &s->line[i];
    return NULL;
}

/* Returns whether a line lies at this frequency, within a thousandth. */
static bool has_line(const struct mpg_spectrum *s, double frequency_hz)
{
    const struct mpg_line *line = line_at(s, frequency_hz);
    return line && near(line->frequency_hz, frequency_hz, 1e-3);
}

static void print_lines(const struct mpg_spectrum *s)
{
    printf("# %zu segments of %zu, freedom %.1f, bins %.4g Hz\n", s->segments, s->segment,
           s->freedom, s->resolution_hz);
    for (size_t i = 0; i < s->lines && i < 30; i++)
        printf("# %.5f Hz: %.4g, chance %.2g, order %d of %.5f Hz\n", s->line[i].frequency_hz,
               s->line[i].amplitude, s->line[i].probability, s->line[i].order,
               s->line[i].harmonic_of_hz);
}

/* Adds to LOST the time that pulses of LENGTH, one in each PERIOD, take in each quantum. */
static void add_pulses(double *lost, size_t n, double quantum, double period, double length,
                       double jitter)
{
    for (double start = 0.3217 * period; start < quantum * (double)n; start += period) {
        double from = start + jitter * gsl_rng_uniform(rng), to = from + length;
        for (size_t i = (size_t)(from / quantum); i < n && quantum * (double)i < to; i++)
            lost[i] += fmin(to, quantum * (double)(i + 1)) - fmax(from, quantum * (double)i);
    }
}

static void add_noise(double *values, size_t n, double sd)
{
    for (size_t i = 0; i < n; i++)
        values[i] += gsl_ran_gaussian(rng, sd);
}

static void test_sinusoid(void)
{
    enum { N = 10000 };
    double *x = series(N);
    for (int shift = 0; shift <= 10; shift++) {
        double f = 37 + 0.0488 * shift; /* a fifth of a bin further each time */
        for (int i = 0; i < N; i++)
            x[i] = 11.9 + 2.385 * sin(2 * M_PI * f * i * 1e-3 + 0.7);
        struct mpg_spectrum *s = welch(x, N, MS, 0);
        ok(s->segment == 2048 && s->segments == 8 && s->bins == 1025 &&
               near(s->resolution_hz, 1000 / 2048.0, 1e-12) &&
               near(total(s), 2.385 * 2.385 / 2, 2e-3),
           "sinusoid: power A^2 / 2");
        if (!ok(s->lines == 1 && fabs(s->line[0].frequency_hz - f) < 0.02 * s->resolution_hz &&
                    near(s->line[0].amplitude, 2.385, 5e-3) && s->line[0].order == 1 &&
                    s->line[0].harmonic_of_hz == 0 && s->line[0].probability < 1e-9,
                "sinusoid at %g Hz: one line, its frequency and amplitude", f))
            print_lines(s);
        mpg_spectrum_free(s);
    }
    free(x);
}

static void test_noise(void)
{
    enum { N = 20000, SPECTRA = 200 };
    double *x = series(N), sum = 0;
    int alarms = 0, heavy = 0, red = 0;
    for (int i = 0; i < SPECTRA; i++) {
        memset(x, 0, N * sizeof *x);
        add_noise(x, N, 3.7);
        struct mpg_spectrum *s = welch(x, N, 2.385 * MS, 0);
        sum += total(s);
        alarms += s->lines > 0;
        mpg_spectrum_free(s);
        for (int k = 0; k < N; k++)
            x[k] = gsl_rng_uniform(rng) < 0.001 ? gsl_ran_pareto(rng, 1.5, 100) : x[k];
        s = welch(x, N, 2.385 * MS, 0);
        heavy += s->lines > 0;
        mpg_spectrum_free(s);
        for (int k = 1; k < N; k++)
            x[k] = 0.9 * x[k - 1] + gsl_ran_gaussian(rng, 1);
        s = welch(x, N, 2.385 * MS, 0);
        red += s->lines > 0;
        mpg_spectrum_free(s);
    }
    ok(near(sum / SPECTRA, 3.7 * 3.7, 3e-3), "white noise integrates to its variance");
    /* With a probability of 1e-3 for each spectrum, more than 4 of 200 have false alarms once in 400000. */
    ok(alarms <= 4, "white noise: false alarms in %d of %d spectra", alarms, SPECTRA);
    ok(heavy <= 4, "noise with a heavy tail: %d", heavy);
    ok(red <= 4, "red noise: %d", red);
    free(x);
}

static void test_pulses(void)
{
    enum { N = 60000 };
    static const double period_ms[] = {100, 10.37, 33.3, 4, 3.331, 250, 17.77};
    double *x = series(N);
    for (size_t i = 0; i < sizeof period_ms / sizeof *period_ms; i++) {
        memset(x, 0, N * sizeof *x);
        double base = 1e3 / period_ms[i], length = 0.005 * period_ms[i] * MS;
        add_pulses(x, N, MS, period_ms[i] * MS, length, 0);
        add_noise(x, N, 2000);
        struct mpg_spectrum *s = welch(x, N, MS, 0);
        const struct mpg_line *line = line_at(s, base);
        bool good = has_line(s, base) && line->order == 1;
        /* The first Fourier coefficient of a pulse train, multiplied by a quantum's sinc function, which does not apply
         * if a single quantum in each period holds the whole pulse. */
        double turn = period_ms[i] == 4 ? 1e-6 : M_PI * base * 1e-3;
        good = good && near(line->amplitude, 2 * length / period_ms[i] * (sin(turn) / turn), 0.05);
        size_t harmonics = 0;
        for (size_t k = 0; k < s->lines; k++) {
            good = good && (s->line[k].order > 1 || s->line[k].amplitude < 0.05 * line->amplitude ||
                            &s->line[k] == line);
            harmonics += s->line[k].order > 1 &&
                         fabs(s->line[k].harmonic_of_hz - base) < 1e-3 * base;
        }
        if (!ok(good && 2 * (harmonics + 1) > s->lines && (harmonics > 2 || period_ms[i] < 5),
                "%g us every %g ms: %g Hz within 0.1 %%, %zu harmonics", length / 1e3,
                period_ms[i], base, harmonics))
            print_lines(s);
        mpg_spectrum_free(s);
    }
    free(x);
}

static void test_folding(void)
{
    enum { N = 30000 };
    double *x = series(N);
    add_pulses(x, N, MS, 3.25 * MS, 40e3, 0); /* 307.69 Hz; the second harmonic is aliased to 384.62 Hz */
    add_noise(x, N, 1500);
    struct mpg_spectrum *s = welch(x, N, MS, 0.3);
    const struct mpg_line *second = line_at(s, 384.615), *third = line_at(s, 76.923);
    ok(s->segment == 4096, "the resolution asked for: %g Hz", s->resolution_hz);
    if (!ok(has_line(s, 307.692) && second && second->order == 2 && third && third->order == 3 &&
                near(third->harmonic_of_hz, 307.692, 1e-3),
            "harmonics beyond 500 Hz are known where they fold to"))
        print_lines(s);
    mpg_spectrum_free(s);
    free(x);
}

static void test_tick(void)
{
    enum { N = 20000 };
    double *x = series(N);
    add_pulses(x, N, MS, 4 * MS, 3e3, 0);
    struct mpg_spectrum *s = welch(x, N, MS, 0);
    const struct mpg_line *top = line_at(s, 500);
    ok(s->lines == 2 && near(s->line[0].frequency_hz, 250, 1e-9) &&
           near(s->line[0].amplitude, 1500, 1e-3) && top && top->order == 2 &&
           near(top->amplitude, 750, 1e-3),
       "a tick every fourth quantum, nothing else: 250 and 500 Hz, X/2 and X/4");
    mpg_spectrum_free(s);
    add_pulses(x, N, MS, 100 * MS, 600e3, 50e3);
    for (int i = 0; i < N; i++) /* occasional bursts, and the resolution of the clock */
        x[i] = round(x[i] + (gsl_rng_uniform(rng) < 0.001 ? gsl_ran_exponential(rng, 20e3) : 0) +
                     gsl_ran_exponential(rng, 400));
    s = welch(x, N, MS, 0);
    const struct mpg_line *tick = line_at(s, 250), *ten = line_at(s, 10);
    if (!ok(tick && near(tick->frequency_hz, 250, 1e-3) && ten && ten->order == 1 &&
                near(ten->frequency_hz, 10, 1e-3),
            "the tick under a stronger train of pulses that jitters"))
        print_lines(s);
    mpg_spectrum_free(s);
    free(x);
}

static void test_autocorrelation(void)
{
    const double few[] = {2.385, -7.13, 11.9, 0.0625, 3.7}, same[] = {0.1, 0.1, 0.1, 0.1};
    double r[50], bound, mean = gsl_stats_mean(few, 1, 5);
    struct mpg_error err;
    bool good = mpg_autocorrelation(few, 5, 4, r, &bound, &err) == 0;
    for (int lag = 1; lag <= 4; lag++) {
        double products = 0, squares = 0;
        for (int i = 0; i < 5; i++) {
            squares += (few[i] - mean) * (few[i] - mean);
            products += i + lag < 5 ? (few[i] - mean) * (few[i + lag] - mean) : 0;
        }
        good = good && fabs(r[lag - 1] - products / squares) < 1e-12;
    }
    ok(good && near(bound, 1.96 / sqrt(5), 1e-12), "autocorrelation: every lag of five values");
    ok(mpg_autocorrelation(same, 4, 3, r, &bound, &err) == 0 && r[0] == 0 && r[2] == 0,
       "autocorrelation of equal values is 0");
    enum { N = 200000 };
    double *x = series(N);
    for (int i = 1; i < N; i++)
        x[i] = 0.7 * x[i - 1] + gsl_ran_gaussian(rng, 2.385);
    good = mpg_autocorrelation(x, N, 50, r, &bound, &err) == 0;
    for (int lag = 1; lag <= 50; lag++)
        good = good && fabs(r[lag - 1] - pow(0.7, lag)) < 5 * bound;
    ok(good, "autocorrelation of a first-order process: 0.7^k");
    for (int i = 0; i < N; i++)
        x[i] = gsl_ran_gaussian(rng, 1);
    int outside = 0;
    if (mpg_autocorrelation(x, N, 50, r, &bound, &err) == 0)
        for (int lag = 1; lag <= 50; lag++)
            outside += fabs(r[lag - 1]) > bound;
    ok(outside <= 8, "independent values: %d of 50 lags beyond the bound", outside);
    ok(mpg_autocorrelation(few, 5, 5, r, &bound, &err) < 0, "lags: %s", err.text);
    ok(mpg_autocorrelation(few, 5, 0, r, &bound, &err) < 0, "no lags: %s", err.text);
    free(x);
}

static void test_edges(void)
{
    struct mpg_error err;
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = 0.1;
    struct mpg_spectrum *s = welch(x, 64, MS, 0);
    ok(s->segment == 16 && s->segments == 7 && s->lines == 0 && total(s) == 0,
       "equal values: power 0, no lines");
    mpg_spectrum_free(s);
    x[3] = 1e-30;
    s = welch(x, 64, MS, 0);
    ok(s->lines == 0 && total(s) > 0, "one value differs: no lines");
    mpg_spectrum_free(s);
    for (int i = 0; i < 100; i++)
        x[i] = i;
    s = welch(x, 100, MS, 1e-3);
    ok(s->lines == 0 && s->segment == 16, "a trend is no line");
    mpg_spectrum_free(s);
    ok(!mpg_spectrum_welch(x, 63, MS, 0, 1e-3, &err), "few: %s", err.text);
    ok(!mpg_spectrum_welch(x, 100, 0, 0, 1e-3, &err), "spacing: %s", err.text);
    ok(!mpg_spectrum_welch(x, 100, MS, -1, 1e-3, &err), "resolution: %s", err.text);
    ok(!mpg_spectrum_welch(x, 100, MS, 0, 1, &err), "probability: %s", err.text);
    x[7] = (double)NAN;
    ok(!mpg_spectrum_welch(x, 100, MS, 0, 1e-3, &err), "not a number: %s", err.text);
    x[7] = 1e121;
    ok(!mpg_spectrum_welch(x, 100, MS, 0, 1e-3, &err), "too large: %s", err.text);
    double r[2], bound;
    ok(mpg_autocorrelation(x, 100, 2, r, &bound, &err) < 0, "too large: %s", err.text);
    mpg_spectrum_free(NULL);
}

/* Short series, whose spectrum has hardly more bins than the window. */
static void test_short(void)
{
    enum { SHORTEST = 64, LONGEST = 700 };
    double *x = series(LONGEST);
    int wrong = 0;
    for (int i = 0; i < LONGEST; i++)
        x[i] = gsl_ran_gaussian(rng, 2.385);
    for (size_t n = SHORTEST; n <= LONGEST; n++) {
        struct mpg_spectrum *s = welch(x, n, MS, 0);
        for (size_t k = 0; k < s->bins; k++)
            wrong += !(s->background[k] > 0);
        mpg_spectrum_free(s);
    }
    ok(wrong == 0, "short series have a background everywhere");
    free(x);
}

int main(void)
{
    rng = must(gsl_rng_alloc(gsl_rng_mt19937), &(struct mpg_error){"out of memory"});
    gsl_rng_set(rng, 20240611);
    test_sinusoid();
    test_noise();
    test_pulses();
    test_folding();
    test_tick();
    test_autocorrelation();
    test_edges();
    test_short();
    gsl_rng_free(rng);
    return done();
}
