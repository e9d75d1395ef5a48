/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of mpgtrace compare: an example by hand, and the rate of wrong verdicts in simulated recordings. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/conditions.h"
#include "tests/tap.h"

enum { MAX_RUNS = 10 };

struct recordings {
    struct compare_run run[COMPARE_SIDES][MAX_RUNS];
    struct compare_runs side[COMPARE_SIDES];
    struct comparison c;
};

static void use(struct recordings *r, size_t before, size_t after)
{
    r->side[0] = (struct compare_runs){r->run[0], before};
    r->side[1] = (struct compare_runs){r->run[1], after};
    r->c = (struct comparison){.side = r->side};
}

static struct mpg_condition_result judge(const struct recordings *r, const char *text)
{
    static struct mpg_condition condition;
    struct mpg_condition_result result = {.verdict = MPG_CONDITION_UNDECIDED, .why = "error"};
    struct mpg_error err = {""};
    mpg_condition_clear(&condition);
    if (mpg_condition_parse(&condition, text, &err) < 0 || mpg_compare_fit_condition(&condition, &err) < 0 ||
        mpg_compare_judge(&r->c, &condition, 1, &result, &err) < 0)
        printf("# %s\n", err.text);
    return result;
}

/* Runs of 900, 940, 920 and 840, 800, 820: variances 400, difference -100, standard error sqrt(800 / 3), 4 degrees of freedom.
 * The interval of the ratio has ends r with (820 - 920 r)^2 = t(r)^2 (400 / 3) (1 + r^2), where t(r) is Student's limit for
 * Welch's degrees of freedom 2 (1 + r^2)^2 / (1 + r^4). */
static void test_example(void)
{
    static struct recordings r;
    static const double before[] = {900, 940, 920}, after[] = {840, 800, 820};
    for (int i = 0; i < 3; i++) {
        r.run[0][i].quantity[COMPARE_RUN] = before[i];
        r.run[1][i].quantity[COMPARE_RUN] = after[i];
    }
    use(&r, 3, 3);
    struct mpg_condition_result x = judge(&r, "run < -1ns");
    const double half = 2.776445105197793 * sqrt(800.0 / 3);
    ok(fabs(x.low + 100 + half) < 1e-6 && fabs(x.high + 100 - half) < 1e-6 && x.verdict == MPG_CONDITION_FAILED,
       "a limit as a time: Welch's interval");
    x = judge(&r, "run < -5 %");
    bool right = true;
    for (int end = 0; end < 2; end++) {
        const double q = 1 + (end ? x.high : x.low), square = 1 + q * q;
        const double t = gsl_cdf_tdist_Qinv(0.025, 2 * square * square / (1 + q * q * q * q));
        right = right && fabs(fabs(820 - 920 * q) - t * sqrt(400.0 / 3 * square)) < 1e-5;
    }
    ok(right && x.low < x.change && x.change < x.high, "a limit in %%: Fieller's interval, %.6f to %.6f", x.low, x.high);
    ok(fabs(x.change + 100.0 / 920) < 1e-12 && x.verdict == MPG_CONDITION_FAILED, "... which is below -5 %%: failed");
    ok(judge(&r, "run < -20 %").verdict == MPG_CONDITION_PASSED, "... above -20 %%: passed");
    ok(judge(&r, "run < -10 %").verdict == MPG_CONDITION_UNDECIDED, "... and contains -10 %%: undecided");
    ok(judge(&r, "run > +0 %").verdict == MPG_CONDITION_PASSED, "no growth");
    x = judge(&r, "run < 0");
    ok(x.verdict == MPG_CONDITION_FAILED, "a limit of 0 needs no unit");
    use(&r, 3, 2);
    x = judge(&r, "run < -5 %");
    ok(x.verdict == MPG_CONDITION_UNDECIDED && x.why && isnan(x.low) && fabs(x.change + 100.0 / 920) < 1e-12,
       "two recordings after: undecided, with the change");
    use(&r, 3, 3);
    x = judge(&r, "polling > +5 %");
    ok(x.verdict == MPG_CONDITION_PASSED && x.change == 0, "0 in all recordings is no change");
    r.run[1][0].quantity[COMPARE_POLLING] = 50;
    ok(judge(&r, "polling > +5 %").verdict == MPG_CONDITION_UNDECIDED, "nothing is x %% of 0");
    for (int i = 0; i < 3; i++)
        r.run[0][i].quantity[COMPARE_RUN] = 900;
    ok(judge(&r, "run > +5 %").verdict == MPG_CONDITION_UNDECIDED, "equal times to the nanosecond are copies, not evidence");
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

enum shape { NORMAL, SKEWED, SPIKES };

/* Returns a run time of mean 1000: normal; log-normal; or mostly steady, and in a fifth of the runs longer by 10 %. */
static double run_time(enum shape shape, double spread, uint64_t *state)
{
    const double z = gsl_cdf_ugaussian_Pinv(uniform(state));
    if (shape == NORMAL)
        return 1000 * (1 + spread * z);
    if (shape == SKEWED)
        return 1000 * exp(spread * z - spread * spread / 2);
    return 980 * (1 + spread * z) + (uniform(state) < 0.2 ? 100 : 0);
}

/* Share of CASES in which CONDITION gets VERDICT, with BEFORE and AFTER recordings and runs longer by FACTOR after. */
static double rate(const char *condition, enum mpg_condition_verdict verdict, size_t before, size_t after, enum shape shape,
                   const double spread[2], double factor)
{
    enum { CASES = 2000 };
    static struct recordings r;
    uint64_t state = 2385;
    int n = 0;
    use(&r, before, after);
    for (int i = 0; i < CASES; i++) {
        for (int s = 0; s < 2; s++)
            for (size_t k = 0; k < r.side[s].n; k++)
                r.run[s][k].quantity[COMPARE_RUN] = run_time(shape, spread[s], &state) * (s ? factor : 1);
        n += judge(&r, condition).verdict == verdict;
    }
    return (double)n / CASES;
}

static void test_rates(void)
{
    static const size_t numbers[][2] = {{3, 3}, {4, 4}, {10, 10}, {3, 5}, {5, 3}};
    static const char *const shapes[] = {"normal", "log-normal", "a fifth is slower by 10 %"};
    static const double spreads[][2] = {{0.02, 0.02}, {0.2, 0.2}, {0.02, 0.1}, {0.1, 0.02}};
    for (int shape = 0; shape < 3; shape++) {
        double none = 0, limit = 0, passed = 0;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++) {
                const size_t *n = numbers[i];
                none = fmax(none, rate("run > +0 %", MPG_CONDITION_FAILED, n[0], n[1], shape, spreads[k], 1));
                limit = fmax(limit, rate("run > +5 %", MPG_CONDITION_FAILED, n[0], n[1], shape, spreads[k], 1.05));
                passed = fmax(passed, rate("run > +5 %", MPG_CONDITION_PASSED, n[0], n[1], shape, spreads[k],
                                           1.05));
            }
        ok(none <= 0.05, "%s: without a change 'run > +0 %%' fails in at most %.1f %% of cases", shapes[shape], 100 * none);
        ok(limit <= 0.05, "... and a change of just the limit in at most %.1f %%", 100 * limit);
        ok(passed <= 0.05, "... and passes in at most %.1f %%", 100 * passed);
    }
    static const double steady[] = {0.02, 0.02};
    const double found = rate("run > +5 %", MPG_CONDITION_FAILED, 5, 5, NORMAL, steady, 1.1);
    ok(found > 0.8, "a change of 10 %% in 5 runs each of 2 %% spread fails in %.1f %%", 100 * found);
    const double safe = rate("run > +5 %", MPG_CONDITION_PASSED, 5, 5, NORMAL, steady, 1);
    ok(safe > 0.8, "no change passes in %.1f %%", 100 * safe);
}

int main(void)
{
    test_example();
    test_rates();
    return done();
}
