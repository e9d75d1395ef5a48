/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth models: exact data of every shape, noise that must not be called growth, and the coverage of intervals if the
 * model is true. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "statistics/growth.h"
#include "tests/tap.h"

enum { MAX = 64 };

static double draw(void *context, uint32_t replica, uint32_t index)
{
    gsl_rng *rng = context;
    (void)replica;
    (void)index;
    return gsl_rng_uniform_pos(rng);
}

static gsl_rng *rng;

/* Calls mpg_growth_analyse() with the test's random numbers; same results. */
static int of(const double *n, const double *y, size_t values, size_t resamples,
              struct mpg_growth *growth, const char **why)
{
    struct mpg_error err = {0};
    *why = NULL;
    return mpg_growth_analyse(n, y, values, resamples, draw, rng, growth, why, &err);
}

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

static const double five[] = {3, 5, 12, 20, 33};

/* Returns the value of a shape at N by definition, from its exponents. */
static double by_hand(int shape, double n)
{
    const struct mpg_growth_shape *s = mpg_growth_shape(shape);
    return exp(log(n) * s->numerator / s->denominator) * pow(log(n) / log(2), s->logs);
}

static void test_exact(void)
{
    int wrong = 0;
    for (int s = 0; s < MPG_GROWTH_SHAPES; s++)
        for (int negative = 0; negative < 2; negative++) {
            const double a = 2.385;
            const double c = negative ? (s < MPG_GROWTH_RISING ? -0.4 * a * by_hand(s, 3) : 0) : 0.713;
            double y[5];
            struct mpg_growth g;
            const char *why;
            for (int k = 0; k < 5; k++)
                y[k] = c + a * by_hand(s, five[k]);
            const enum mpg_growth_verdict expected = s < MPG_GROWTH_RISING ? MPG_GROWTH_RISES : MPG_GROWTH_FALLS;
            const int status = of(five, y, 5, 20, &g, &why);
            const struct mpg_growth_interval at = mpg_growth_predict(&g, 129);
            const bool right = status == 1 && g.verdict == expected && g.model.shape == s &&
                               near(g.model.coefficient, a, 1e-6) &&
                               fabs(g.model.constant - c) < 1e-6 * fmax(1, fabs(c)) &&
                               near(at.value, c + a * by_hand(s, 129), 1e-6) &&
                               at.low <= at.value && at.value <= at.high;
            if (!right)
                printf("# shape %d: verdict %d, shape %d, %g + %g, p %g\n", s, (int)g.verdict,
                       g.model.shape, g.model.constant, g.model.coefficient, g.probability);
            wrong += !right;
            mpg_growth_free(&g);
        }
    ok(wrong == 0, "61 shapes with two constants each are found in their exact data");
}

static void test_constant(void)
{
    double y[5] = {7.31, 7.31, 7.31, 7.31, 7.31}, zero[5] = {0};
    struct mpg_growth g;
    const char *why;
    ok(of(five, y, 5, 20, &g, &why) == 1 && g.verdict == MPG_GROWTH_NONE && g.probability == 1 &&
           near(g.model.constant, 7.31, 1e-12) && near(mpg_growth_predict(&g, 999).high, 7.31, 1e-9),
       "equal values are constant, and stay so");
    mpg_growth_free(&g);
    ok(of(five, zero, 5, 20, &g, &why) == 1 && g.verdict == MPG_GROWTH_NONE &&
           g.model.constant == 0 && mpg_growth_predict(&g, 999).high == 0, "nothing stays nothing");
    mpg_growth_free(&g);
}

static void test_without(void)
{
    const double two[] = {4, 4, 8, 8, 8}, y[] = {1, 2, 3, 4, 5}, gap[] = {1, 2, 0, 4, 5};
    const double half[] = {0.5, 2, 3, 4, 5}, bad[] = {1, 2, NAN, 4, 5};
    struct mpg_growth g;
    const char *why;
    bool none = of(two, y, 5, 0, &g, &why) == 0;
    ok(none && strstr(why, "3 process counts"), "two counts: %s", why);
    none = of(five, gap, 5, 0, &g, &why) == 0;
    ok(none && strstr(why, "not above 0"), "a zero: %s", why);
    ok(of(five, y, 0, 0, &g, &why) == 0, "nothing at all");
    ok(of(half, y, 5, 0, &g, &why) == -1, "half a process is an error");
    ok(of(five, bad, 5, 0, &g, &why) == -1, "a value that is none is an error");
}

/* The result is independent of the order and the unit of the values. */
static void test_invariance(void)
{
    double n[15], y[15], turned_n[15], turned[15];
    struct mpg_growth a, b;
    const char *why;
    for (int i = 0; i < 15; i++) {
        n[i] = five[i % 5];
        y[i] = (1.9 + 0.31 * n[i]) * exp(0.1 * gsl_ran_ugaussian(rng));
    }
    for (int i = 0; i < 15; i++) {
        turned_n[i] = n[(7 * i + 3) % 15];
        turned[i] = 2.385e6 * y[(7 * i + 3) % 15];
    }
    const bool both = of(n, y, 15, 0, &a, &why) == 1 && of(turned_n, turned, 15, 0, &b, &why) == 1;
    ok(both && a.model.shape == b.model.shape && a.verdict == b.verdict &&
           near(b.model.coefficient, 2.385e6 * a.model.coefficient, 1e-9) &&
           near(b.probability, a.probability, 1e-9) && near(b.error, a.error, 1e-9) &&
           near(b.spread, a.spread, 1e-9), "other order, other unit: the same model");
    mpg_growth_free(&a);
    mpg_growth_free(&b);
}

/* Three values lie on many curves, but only by rare chance on one of the forty shapes. */
static void test_three(void)
{
    const double n[] = {4, 8, 16}, line[] = {8.77, 13.54, 23.08}, any[] = {12, 57, 301};
    struct mpg_growth g;
    const char *why;
    bool done = of(n, any, 3, 100, &g, &why) == 1;
    ok(done && g.verdict != MPG_GROWTH_RISES && g.order.low <= g.order.high,
       "three values that no shape has are no growth for sure (p %g)", g.probability);
    mpg_growth_free(&g);
    done = of(n, line, 3, 100, &g, &why) == 1;
    ok(done && g.verdict == MPG_GROWTH_RISES && near(g.model.constant, 4, 1e-6) &&
           near(g.model.coefficient, 1.1925, 1e-6),
       "three that are exactly 4 + 1.1925 N are (p %g)", g.probability);
    mpg_growth_free(&g);
}

/* Makes REPETITIONS values C + A times the shape at each of COUNTS values of N, with NOISE in the logarithm. */
static size_t make(int shape, double c, double a, double noise, int counts, int repetitions,
                   double *n, double *y)
{
    size_t values = 0;
    for (int k = 0; k < counts; k++)
        for (int r = 0; r < repetitions; r++, values++) {
            n[values] = 2 << k;
            y[values] = (c + a * mpg_growth_term(shape, n[values])) *
                        exp(noise * gsl_ran_ugaussian(rng));
        }
    return values;
}

/* p is an upper bound: for noise alone it is below a level at most with this probability. Tolerates three standard
 * errors. */
static void test_noise(double noise, int counts, int repetitions, int constant)
{
    enum { TRIALS = 1500 };
    const double level[] = {MPG_GROWTH_LEVEL, MPG_GROWTH_DOUBTFUL};
    int below[2][2] = {{0}}, named = 0, right = 0;
    for (int t = 0; t < TRIALS; t++) {
        double n[MAX], y[MAX];
        struct mpg_growth g;
        const char *why;
        (void)of(n, y, make(MPG_GROWTH_CONSTANT, 5.3, 0, noise, counts, repetitions, n, y), 0, &g, &why);
        for (int l = 0; l < 2; l++)
            below[l][g.verdict >= MPG_GROWTH_NONE] += g.probability <= level[l];
        named += g.verdict == MPG_GROWTH_RISES;
        right += g.verdict == MPG_GROWTH_NONE;
        mpg_growth_free(&g);
    }
    for (int l = 0; l < 2; l++) {
        const double max = TRIALS * level[l] + 3 * sqrt(TRIALS * level[l]);
        ok(below[l][0] <= max && below[l][1] <= 2 * max,
           "%g noise, %d x %d: p <= %g in %d rising and %d other of %d", noise, counts, repetitions,
           level[l], below[l][0], below[l][1], TRIALS);
    }
    ok(named <= 0.02 * TRIALS, "named as growing: %d", named);
    ok(right >= constant, "called constant: %d", right);
}

/* The shape is recognized, and the interval at four times the measured N contains the true value. */
static void test_growth(int shape, double c, double a, double noise, int repetitions, int min)
{
    enum { TRIALS = 120 };
    int named = 0, held = 0, orders = 0;
    for (int t = 0; t < TRIALS; t++) {
        double n[MAX], y[MAX];
        struct mpg_growth g;
        const char *why;
        (void)of(n, y, make(shape, c, a, noise, 5, repetitions, n, y), 150, &g, &why);
        const struct mpg_growth_shape *s = mpg_growth_shape(shape);
        const double order = (double)s->numerator / s->denominator + s->logs / log(32);
        const struct mpg_growth_interval at = mpg_growth_predict(&g, 128);
        const double truth = c + a * by_hand(shape, 128);
        named += g.verdict == MPG_GROWTH_RISES;
        held += at.low <= truth && truth <= at.high;
        orders += g.order.low <= order && order <= g.order.high;
        mpg_growth_free(&g);
    }
    ok(named >= min, "%g + %g %d/%d log^%d, %g noise, %d runs: named %d of %d", c, a,
       mpg_growth_shape(shape)->numerator, mpg_growth_shape(shape)->denominator,
       mpg_growth_shape(shape)->logs, noise, repetitions, named, TRIALS);
    ok(held >= 0.85 * TRIALS && orders >= 0.85 * TRIALS,
       "its value at 128 is in the interval %d times, its order %d", held, orders);
}

int main(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return 1;
    gsl_rng_set(rng, 2385);
    test_exact();
    test_constant();
    test_without();
    test_invariance();
    test_three();
    test_noise(0.3, 5, 1, 1200);
    test_noise(0.3, 5, 3, 1350);
    test_noise(1, 4, 3, 200);
    test_growth(18, 0, 0.1, 0.3, 3, 105);
    test_growth(18, 5, 0.1, 0.05, 3, 105);
    test_growth(19, 0.1, 0.1, 0.1, 1, 105);
    test_growth(0, 5, 1, 0.02, 3, 115);
    gsl_rng_free(rng);
    return done();
}
