/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise in quanta: work compared with arithmetic, and the spread of sums with closed forms. */
#include <math.h>
#include <stdlib.h>

#include "simulate/noise/quanta.h"
#include "tests/tap.h"

enum { LAGS = 40, RUNS = 4000 };

/* Returns quanta of 1000 ns, with losses uniform from 0 to MAX_NS, and autocorrelation RHO^k at LAGS lags k. */
static struct mpg_quanta *make(double rho, double max_ns)
{
    static double quantiles[2], autocorrelation[LAGS], probabilities[] = {0, 1};
    static struct mpg_distribution lost;
    struct mpg_error err;
    quantiles[1] = max_ns;
    lost = (struct mpg_distribution){.n = 1000000, .mean = max_ns / 2, .knots = 2,
                                     .probabilities = probabilities, .quantiles = quantiles};
    for (int k = 0; k < LAGS; k++)
        autocorrelation[k] = pow(rho, k + 1);
    struct mpg_noise_core core = {.core = 5, .ftq = {.quantum_ns = 1000, .lost_ns = &lost},
                                  .lags = rho != 0 ? LAGS : 0,
                                  .autocorrelation = autocorrelation};
    struct mpg_quanta *q = mpg_quanta_new(&core, &err);
    if (!q && max_ns < 2000) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return q;
}

static void test_by_hand(void)
{
    struct mpg_quanta *q = make(0, 300);
    double a = mpg_quanta_lost(q, 7, 3, 4, 9), b = mpg_quanta_lost(q, 7, 3, 5, 9);
    ok(a > 0 && a < 300 && b > 0 && b < 300 && a != b, "quanta lose what was measured");
    ok(mpg_quanta_lost(q, 7, 3, 4, 9) == a, "and when asked again the same");
    ok(mpg_quanta_memory(q) == 0, "independently");
    /* Work from 4.25 quanta on: the rest of quantum 4, and 100 of quantum 5. */
    double work = 750 * (1 - a / 1000) + 100;
    ok(fabs(mpg_quanta_time_for(q, 7, 3, 9, 4250, work) - (750 + 100 / (1 - b / 1000))) < 1e-9,
       "time of work in two quanta");
    ok(fabs(mpg_quanta_work_in(q, 7, 3, 9, 4250, 750 + 100 / (1 - b / 1000)) - work) < 1e-9,
       "and the work in that time");
    ok(mpg_quanta_time_for(q, 7, 3, 9, 4250, 0) == 0, "no work takes no time");
    mpg_quanta_free(q);
    ok(make(0, 2385) == NULL, "quanta that lose more than they last are refused");
}

/* Mean and standard deviation of the total loss of 50 quanta, and the rank correlation of neighbouring quanta. */
static void test_sums(double rho)
{
    struct mpg_quanta *q = make(rho, 300);
    double sum = 0, squares = 0, variance = 0;
    for (uint32_t r = 0; r < RUNS; r++) {
        double lost = 0;
        for (uint64_t i = 100; i < 150; i++)
            lost += mpg_quanta_lost(q, 1, 2, i, r);
        sum += lost / RUNS;
        squares += lost * lost / RUNS;
    }
    /* With a Gaussian copula, uniform values have the correlation 6/pi asin(rho/2). */
    for (int i = 0; i < 50; i++)
        for (int k = 0; k < 50; k++)
            variance += 7500 * 6 / M_PI * asin(pow(rho, abs(i - k)) / 2);
    double sd = sqrt(squares - sum * sum), expected = sqrt(variance);
    ok(fabs(sum - 50 * 150) < 4 * expected / sqrt(RUNS), "%g: mean %.6g of 50 quanta", rho, sum);
    ok(fabs(sd / expected - 1) < 0.05, "%g: standard deviation %.4g, by closed form %.4g", rho, sd,
       expected);
    ok((mpg_quanta_memory(q) > 0) == (rho != 0), "%g: it remembers %zu quanta", rho,
       mpg_quanta_memory(q));
    mpg_quanta_free(q);
}

int main(void)
{
    test_by_hand();
    test_sums(0);
    test_sums(0.6);
    test_sums(-0.5);
    test_sums(0.9);
    return done();
}
