/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LogGP fits of synthetic piecewise times. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/loggp.h"
#include "tests/tap.h"

enum { SIZES = 46, TIMES = 400, EAGER_LIMIT_UNKNOWN = -1 };
static gsl_rng *rng;
static int64_t size[SIZES]; /* 0, 1, then powers of two and 1.5 times these, up to 6 MiB */
static const struct mpg_loggp_times none = {0};

static bool near(double got, double expected, double tolerance)
{
    bool same = fabs(got - expected) <= tolerance * fabs(expected);
    if (!same)
        printf("# got %.12g, expected %.12g\n", got, expected);
    return same;
}

static void fill_sizes(void)
{
    size[0] = 0;
    size[1] = 1;
    for (int i = 2; i < SIZES; i++)
        size[i] = i % 2 ? 3 * (INT64_C(1) << (i / 2 - 1)) : 2 * (INT64_C(1) << (i / 2 - 1));
}

/* SEGMENTS lines, each up to its largest size. */
static const struct {
    int64_t limit;
    double latency_ns, gap_per_byte_ns;
} truth[3] = {{512, 238.5, 0.0371}, {6144, 301.7, 0.1223}, {INT64_MAX, 1723, 0.0911}};

static void draw(double *time, int first, double noise)
{
    for (int i = 0; i < SIZES; i++) {
        int line = first;
        while (size[i] > truth[line].limit)
            line++;
        time[i] = (truth[line].latency_ns + truth[line].gap_per_byte_ns * (double)size[i]) *
                  (1 + gsl_ran_gaussian(rng, noise));
    }
}

static struct mpg_loggp fit(const double *time, int64_t eager_limit_bytes)
{
    struct mpg_error err;
    struct mpg_loggp loggp;
    const struct mpg_loggp_times times = {SIZES, size, time};
    if (mpg_loggp_fit(&times, &none, &none, eager_limit_bytes, &loggp, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return loggp;
}

static void test_exact(void)
{
    double time[SIZES];
    draw(time, 0, 0);
    struct mpg_loggp loggp = fit(time, EAGER_LIMIT_UNKNOWN);
    bool good = loggp.segments == 3 && loggp.overhead_ns == 0 && loggp.gap_ns == 0;
    for (size_t i = 0; good && i < 3; i++) {
        const struct mpg_loggp_segment *s = &loggp.segment[i];
        good = near(s->latency_ns, truth[i].latency_ns, 1e-9) &&
               near(s->gap_per_byte_ns, truth[i].gap_per_byte_ns, 1e-9) &&
               s->worst_relative < 1e-9 && s->residual_sd_ns < 1e-3;
    }
    ok(good && loggp.segment[0].from_bytes == 0 && loggp.segment[0].to_bytes == 512 &&
           loggp.segment[1].from_bytes == 768 && loggp.segment[1].to_bytes == 6144 &&
           loggp.segment[2].from_bytes == 8192 && loggp.segment[2].to_bytes == size[SIZES - 1],
       "without noise: three lines, exactly");
    free(loggp.segment);
    draw(time, 2, 0);
    loggp = fit(time, EAGER_LIMIT_UNKNOWN);
    ok(loggp.segments == 1 && near(loggp.segment[0].latency_ns, 1723, 1e-9), "one line stays one");
    free(loggp.segment);
    loggp = fit(time, 4096);
    ok(loggp.segments == 2 && loggp.segment[0].to_bytes == 4096, "an eager limit given is a cut");
    free(loggp.segment);
    loggp = fit(time, 1);
    ok(loggp.segments == 1, "but not with two sizes below it");
    free(loggp.segment);
}

static void test_errors_by_definition(void)
{
    const int64_t sizes[] = {1, 2, 4, 8};
    const double times[] = {2.385, 3.1, 4.9, 9.3};
    const struct mpg_loggp_times t = {4, sizes, times};
    struct mpg_loggp loggp;
    struct mpg_error err;
    if (mpg_loggp_fit(&t, &none, &none, EAGER_LIMIT_UNKNOWN, &loggp, &err) < 0)
        return;
    double w = 0, x = 0, y = 0, xx = 0, xy = 0, squares = 0, plain = 0, worst = 0;
    for (int i = 0; i < 4; i++) {
        double weight = 1 / (times[i] * times[i]);
        w += weight, x += weight * (double)sizes[i], y += weight * times[i];
        xx += weight * (double)(sizes[i] * sizes[i]);
        xy += weight * (double)sizes[i] * times[i];
    }
    double slope = (w * xy - x * y) / (w * xx - x * x), start = (y - slope * x) / w;
    for (int i = 0; i < 4; i++) {
        double r = times[i] - start - slope * (double)sizes[i];
        squares += r * r / (times[i] * times[i]) / 2;
        plain += r * r / 2;
        worst = fmax(worst, fabs(r) / times[i]);
    }
    const struct mpg_loggp_segment *s = loggp.segment;
    ok(loggp.segments == 1 && near(s->latency_ns, start, 1e-12) &&
           near(s->gap_per_byte_ns, slope, 1e-12) &&
           near(s->latency_error_ns, sqrt(squares * xx / (w * xx - x * x)), 1e-12) &&
           near(s->gap_per_byte_error_ns, sqrt(squares * w / (w * xx - x * x)), 1e-12) &&
           near(s->residual_sd_ns, sqrt(plain), 1e-12) && near(s->worst_relative, worst, 1e-12),
       "a line, its standard errors and residuals by definition");
    free(loggp.segment);
}

static void test_noise(void)
{
    double time[SIZES];
    int cuts = 0, inside[3][2] = {{0}}, whole = 0;
    gsl_rng_set(rng, 23);
    for (int t = 0; t < TIMES; t++) {
        draw(time, 0, 0.01);
        struct mpg_loggp loggp = fit(time, EAGER_LIMIT_UNKNOWN);
        if (loggp.segments == 3 && loggp.segment[1].from_bytes == 768 &&
            loggp.segment[2].from_bytes == 8192) {
            cuts++;
            const int points[3] = {19, 7, 20};
            for (int i = 0; i < 3; i++) {
                const struct mpg_loggp_segment *s = &loggp.segment[i];
                double factor = gsl_cdf_tdist_Pinv(0.975, points[i] - 2);
                inside[i][0] += fabs(s->latency_ns - truth[i].latency_ns) <=
                                factor * s->latency_error_ns;
                inside[i][1] += fabs(s->gap_per_byte_ns - truth[i].gap_per_byte_ns) <=
                                factor * s->gap_per_byte_error_ns;
            }
        }
        free(loggp.segment);
        draw(time, 2, 0.01);
        loggp = fit(time, EAGER_LIMIT_UNKNOWN);
        whole += loggp.segments == 1;
        free(loggp.segment);
    }
    ok(cuts >= 0.9 * TIMES, "both cuts found in %d of %d, with 1 %% noise", cuts, TIMES);
    ok(whole >= 0.95 * TIMES, "one line left whole in %d of %d", whole, TIMES);
    for (int i = 0; i < 3; i++)
        ok(inside[i][0] >= 0.915 * cuts && inside[i][1] >= 0.915 * cuts,
           "line %d: latency within its interval in %.1f %%, gap in %.1f %%", i,
           100.0 * inside[i][0] / cuts, 100.0 * inside[i][1] / cuts);
}

static void test_small(void)
{
    const int64_t sizes[] = {0, 8, 64, 65, 4096}, large[] = {4096, 8192};
    const double send[] = {180.5, 176.1, 199, 500, 2000}, stream[] = {911, 1000};
    const struct mpg_loggp_times sender = {5, sizes, send}, streaming = {2, large, stream};
    struct mpg_loggp loggp;
    struct mpg_error err;
    ok(mpg_loggp_fit(&none, &sender, &streaming, 0, &loggp, &err) == 0 && loggp.segments == 0 &&
           !loggp.segment && loggp.overhead_ns == 180.5 && loggp.gap_ns == 911,
       "o and g of small messages, or of the smallest");
    ok(mpg_loggp_fit(&streaming, &none, &none, 0, &loggp, &err) == 0 && loggp.segments == 0,
       "two sizes are no line");
}

static void test_errors(void)
{
    struct mpg_loggp loggp;
    struct mpg_error err;
    int64_t sizes[] = {0, 8, 8};
    double times[] = {1, 2, 3};
    const struct mpg_loggp_times t = {3, sizes, times}, many = {5000, sizes, times};
    ok(mpg_loggp_fit(&t, &none, &none, -1, &loggp, &err) < 0, "equal sizes: %s", err.text);
    sizes[2] = 9, sizes[0] = -1;
    ok(mpg_loggp_fit(&none, &t, &none, -1, &loggp, &err) < 0, "negative: %s", err.text);
    sizes[0] = 0, times[1] = 0;
    ok(mpg_loggp_fit(&none, &none, &t, -1, &loggp, &err) < 0, "no time: %s", err.text);
    times[1] = (double)NAN;
    ok(mpg_loggp_fit(&t, &none, &none, -1, &loggp, &err) < 0, "no number: %s", err.text);
    ok(mpg_loggp_fit(&many, &none, &none, -1, &loggp, &err) < 0, "many: %s", err.text);
}

int main(void)
{
    gsl_set_error_handler_off();
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return 1;
    fill_sizes();
    test_exact();
    test_errors_by_definition();
    test_noise();
    test_small();
    test_errors();
    gsl_rng_free(rng);
    return done();
}
