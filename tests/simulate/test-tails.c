/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws from a distribution reproduce its samples' mean, standard deviation and 99.9th percentile: for few samples and
 * for millions, heavy tails, distant modes, outliers, ties. Tests the distribution as a simulation uses it, after a
 * round trip through a signature file and through 'file:'. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signature/signature.h"
#include "simulate/draws/spec.h"
#include "tests/tap.h"

enum { FAMILIES = 14, SIZES = 8 };
static const char *const name[FAMILIES] = {
    "uniform",      "exponential",  "Pareto 1.1", "Pareto 1.5",        "Pareto 2.5",
    "lognormal 2",  "lognormal 3",  "1 % slow",   "0.1 % slow",        "one outlier",
    "ties",         "0.3 % interrupts", "two modes",  "one low outlier"};
static const size_t sizes[SIZES] = {1000, 1237, 5000, 20000, 100003, 300000, 1000000, 3000000};
static const double TOLERANCE = 0.015;

static double draw(gsl_rng *r, int family, size_t i, size_t n)
{
    double u = gsl_rng_uniform_pos(r);
    switch (family) {
    case 0:
        return 2385.5 + 17.3 * u;
    case 1:
        return -37.5 * log(u);
    case 2:
        return 113 * pow(u, -1 / 1.1);
    case 3:
        return 113 * pow(u, -1 / 1.5);
    case 4:
        return 113 * pow(u, -1 / 2.5);
    case 5:
        return 300 + gsl_ran_lognormal(r, 1.3, 2);
    case 6:
        return gsl_ran_lognormal(r, 1.3, 3);
    case 7:
        return (u < 0.01 ? 1000 : 1) * (300 + gsl_ran_gaussian(r, 5));
    case 8:
        return (u < 0.001 ? 1000 : 1) * (300 + gsl_ran_gaussian(r, 5));
    case 9:
        return i == n / 3 ? 7.7e9 : 300 + gsl_ran_gaussian(r, 5);
    case 10:
        return floor(300 - 20 * log(u));
    case 11:
        return floor(280 + gsl_ran_gamma(r, 3, 4)) + (u < 0.003 ? 1000 * pow(u, -1 / 1.5) : 0);
    case 12:
        return (u < 0.43 ? 300 : 500) + gsl_ran_gaussian(r, 1);
    default:
        return i == n / 3 ? 1 : 30000 + gsl_ran_gaussian(r, 500);
    }
}

/* Maps a double's bits to an integer with the same order, and back. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double of_key(uint64_t key)
{
    double x;
    key = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    memcpy(&x, &key, sizeof x);
    return x;
}

/* Radix sort with 16-bit digits, ten times faster than comparisons for millions of values. */
static void sort(double *x, size_t n)
{
    enum { DIGITS = 1 << 16 };
    static size_t first[DIGITS];
    uint64_t *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to);
    if (!from || !to)
        abort();
    for (size_t i = 0; i < n; i++)
        from[i] = key_of(x[i]);
    for (int shift = 0; shift < 64; shift += 16) {
        memset(first, 0, sizeof first);
        for (size_t i = 0; i < n; i++)
            first[from[i] >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0, before = 0; digit < DIGITS; digit++) {
            size_t count = first[digit];
            first[digit] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            to[first[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = of_key(from[i]);
    free(from);
    free(to);
}

/* Computes mean and standard deviation of the draws from the knots. */
static void drawn(const struct mpg_distribution *d, double *mean, double *sd)
{
    double squares = 0;
    *mean = 0;
    for (size_t i = 1; i < d->knots; i++)
        *mean += (d->probabilities[i] - d->probabilities[i - 1]) *
                 (d->quantiles[i] + d->quantiles[i - 1]) / 2;
    for (size_t i = 1; i < d->knots; i++) {
        double a = d->quantiles[i - 1] - *mean, b = d->quantiles[i] - *mean;
        squares += (d->probabilities[i] - d->probabilities[i - 1]) * (a * a + a * b + b * b) / 3;
    }
    *sd = sqrt(squares);
}

/* Compares D with the N values SORTED, whose MEAN and SD were computed independently. */
static bool as_samples(const struct mpg_distribution *d, const double *sorted, size_t n,
                       double mean, double sd)
{
    double got_mean, got_sd, p999 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.999);
    drawn(d, &got_mean, &got_sd);
    double excess = (got_mean - sorted[0]) / (mean - sorted[0]) - 1;
    double at_p999 = mpg_distribution_quantile(d, 0.999) / p999 - 1;
    /* with few samples, definitions of the 99.9th percentile differ by the distance of neighbouring samples */
    size_t below = (size_t)(0.999 * (double)n) - 1;
    bool between = n % 1000 != 0 && mpg_distribution_quantile(d, 0.999) >= sorted[below] &&
                   mpg_distribution_quantile(d, 0.999) <= sorted[below + 1];
    bool good = fabs(got_mean / mean - 1) < TOLERANCE && fabs(excess) < TOLERANCE &&
                fabs(got_sd / sd - 1) < TOLERANCE && (fabs(at_p999) < TOLERANCE || between) &&
                d->quantiles[0] == sorted[0] && d->quantiles[d->knots - 1] == sorted[n - 1];
    if (!good)
        printf("# n %zu, %zu knots: mean %+.3g, excess %+.3g, sd %+.3g, p99.9 %+.3g\n", n, d->knots,
               got_mean / mean - 1, excess, got_sd / sd - 1, at_p999);
    return good;
}

/* Returns the signature with D, written to a file and read as by mpgsim. */
static struct mpg_signature *through_file(struct mpg_distribution *d, struct mpg_error *err)
{
    static const char path[] = "test-tails.tmp";
    struct mpg_network_size size = {.size_bytes = 8, .time_ns = d};
    struct mpg_network_path network = {.path = MPG_PATH_NODE, .latency = {.n = 1, .size = &size},
                                       .eager_limit_bytes = -1,
                                       .loggp = {.overhead_ns = -1, .gap_ns = -1}};
    struct mpg_signature sig = {.paths = 1, .network = &network}, *got = NULL;
    FILE *stream = fopen(path, "w");
    if (stream && mpg_signature_write(&sig, stream, err) == 0 && fclose(stream) == 0)
        got = mpg_signature_load(path, err);
    unlink(path);
    return got;
}

static void test_families(gsl_rng *r)
{
    double *x = malloc(sizes[SIZES - 1] * sizeof *x);
    for (int family = 0; x && family < FAMILIES; family++) {
        bool good = true;
        size_t max = 0;
        for (int k = 0; k < SIZES; k++) {
            struct mpg_error err;
            size_t n = sizes[k];
            for (size_t i = 0; i < n; i++)
                x[i] = draw(r, family, i, n);
            double mean = gsl_stats_mean(x, 1, n), sd = gsl_stats_sd(x, 1, n);
            struct mpg_distribution *d =
                mpg_distribution_from_samples(x, n, MPG_DISTRIBUTION_KNOTS, &err);
            struct mpg_signature *sig = d ? through_file(d, &err) : NULL;
            sort(x, n);
            good = good && sig &&
                   as_samples(sig->network->latency.size->time_ns, x, n, mean, sd);
            max = d && d->knots > max ? d->knots : max;
            mpg_signature_free(sig);
            mpg_distribution_free(d);
        }
        ok(good && max < 250, "%s: mean, sd and p99.9 within 1.5 %%, 1000 to 3 million samples, "
           "at most %zu knots", name[family], max);
    }
    free(x);
}

/* decimal numbers, as 'file:' reads them */
static void test_file(gsl_rng *r)
{
    static const char path[] = "test-tails.tmp";
    enum { N = 50000 };
    double *x = malloc(N * sizeof *x);
    for (int family = 0; x && family < FAMILIES; family++) {
        struct mpg_error err;
        struct mpg_spec spec;
        char text[64];
        FILE *stream = fopen(path, "w");
        for (size_t i = 0; i < N; i++) {
            x[i] = draw(r, family, i, N);
            fprintf(stream, "%.17g\n", x[i]);
        }
        fclose(stream);
        double mean = gsl_stats_mean(x, 1, N), sd = gsl_stats_sd(x, 1, N);
        snprintf(text, sizeof text, "file:%s", path);
        bool read = mpg_spec_parse(text, &spec, &err) == 0;
        sort(x, N);
        ok(read && as_samples(spec.samples, x, N, mean, sd), "%s: through a file of samples",
           name[family]);
        if (read)
            mpg_spec_clear(&spec);
    }
    unlink(path);
    free(x);
}

/* Adds up millions of draws, like a simulation, instead of using the knots. */
static void test_drawn(gsl_rng *r)
{
    enum { N = 20000, DRAWS = 4000000 };
    double *x = malloc(N * sizeof *x);
    for (int family = 0; x && family < FAMILIES; family++) {
        struct mpg_error err;
        for (size_t i = 0; i < N; i++)
            x[i] = draw(r, family, i, N);
        struct mpg_distribution *d =
            mpg_distribution_from_samples(x, N, MPG_DISTRIBUTION_KNOTS, &err);
        double sum = 0;
        for (size_t i = 0; d && i < DRAWS; i++) /* pseudorandom order, evenly spread */
            sum += mpg_distribution_quantile(d, ((double)(i * 1597463007 % DRAWS) + 0.5) / DRAWS);
        ok(d && fabs(sum / DRAWS / gsl_stats_mean(x, 1, N) - 1) < 0.005,
           "%s: the mean of 4 million draws", name[family]);
        mpg_distribution_free(d);
    }
    free(x);
}

/* Every n up to 300: exact if every sample is a step of its own, and correct for every n. */
static void test_few(gsl_rng *r)
{
    double x[300];
    bool good = true, exact = true;
    for (int family = 0; family < FAMILIES; family++)
        for (size_t n = 2; n <= 300; n++) {
            struct mpg_error err;
            for (size_t i = 0; i < n; i++)
                x[i] = draw(r, family, i, n);
            struct mpg_distribution *d =
                mpg_distribution_from_samples(x, n, MPG_DISTRIBUTION_KNOTS, &err);
            if (!d || mpg_distribution_check(d, &err) < 0) {
                good = false;
                continue;
            }
            double mean, sd, population = d->sd * sqrt((double)(n - 1) / (double)n);
            drawn(d, &mean, &sd);
            good = good && fabs(mean / d->mean - 1) < 0.005 && fabs(sd / population - 1) < 0.005;
            exact = exact && (n > 64 || (fabs(mean / d->mean - 1) < 2e-4 &&
                                         fabs(sd / population - 1) < 5e-4));
            mpg_distribution_free(d);
        }
    ok(good, "2 to 300 samples: mean and sd within 0.5 %%");
    ok(exact, "2 to 64 samples: every one of them has its probability");
}

int main(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    if (!r)
        return 1;
    test_families(r);
    test_file(r);
    test_drawn(r);
    test_few(r);
    gsl_rng_free(r);
    return done();
}
