/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawn detours compared with arithmetic for equal detours, with closed forms of renewal theory, and with the record
 * from which they are drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/draws/draws.h"
#include "simulate/noise/renewal.h"
#include "simulate/noise/replay.h"
#include "tests/tap.h"

enum { RUNS = 6000 };

static struct mpg_renewal *make(const struct mpg_noise_core *core, bool fit)
{
    struct mpg_error err;
    struct mpg_renewal *r = mpg_renewal_new(core, fit, &err);
    if (!r) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return r;
}

static double time_for(const struct mpg_renewal *r, uint32_t replica, double t_ns, double work_ns)
{
    struct mpg_renewal_of of = {.renewal = r, .seed = 7, .rank = 3, .replica = replica};
    struct mpg_renewal_cursor nowhere = {.open = false};
    return mpg_renewal_time_for(&of, &nowhere, t_ns, work_ns);
}

/* Returns a distribution whose KNOTS equally spaced quantiles are AT (as fractions). */
static struct mpg_distribution distribution(size_t knots, double *probabilities, double *quantiles)
{
    for (size_t i = 0; i < knots; i++)
        probabilities[i] = (double)i / (double)(knots - 1);
    return (struct mpg_distribution){
        .n = 1000, .knots = knots, .probabilities = probabilities, .quantiles = quantiles};
}

/* ---- equal detours ---- */

static void test_single(void)
{
    double start = 385.5, duration = 238.5;
    struct mpg_noise_core core = {
        .core = 1, .span_ns = 2385, .detours = 1, .start_ns = &start, .duration_ns = &duration};
    struct mpg_renewal *r = make(&core, false);
    double block = mpg_renewal_block_ns(r), since, left, last = -1, worst = 0;
    ok(fabs(mpg_renewal_lost(r) - 0.1) < 1e-15, "one detour of a tenth of its record: %g is lost",
       mpg_renewal_lost(r));
    ok(fabs(block - 256 * 2385) < 1e-6, "a block has 256 of them");
    struct mpg_renewal_of of = {.renewal = r, .seed = 7, .rank = 3, .replica = 11};
    struct mpg_renewal_cursor c = {.open = false};
    int n = 0;
    for (double t = 0; t < block; t += 119.25) { /* steps of half a detour, which skip none */
        left = mpg_renewal_detour_left(&of, &c, t, &since);
        double begin = t - since;
        if (!(left > 0) || fabs(begin - last) < 1e-6)
            continue;
        if (n > 1)
            worst = fmax(worst, fmax(fabs(begin - last - 2385),
                                     begin + 238.5 < block ? fabs(left + since - 238.5) : 0));
        last = begin;
        n++;
    }
    ok(worst < 1e-6 && n >= 256 && n <= 257, "%d detours, 2385 apart, 238.5 long, to %g", n, worst);
    double at = last - 2385 + 238.5; /* the end of the detour before the last one */
    ok(fabs(time_for(r, 11, at, 2146.5) - 2146.5) < 1e-9, "the work of a gap takes as long as it is");
    ok(fabs(time_for(r, 11, at, 2146.6) - 2385.1) < 1e-6 || last + 238.6 > block,
       "a tenth of a ns more waits for the detour");
    ok(fabs(time_for(r, 11, at, 2146.5005) - 2146.5005) < 1e-9, "half a ps is rounding");
    ok(fabs(time_for(r, 11, at - 100, 10) - 110) < 1e-6, "begun in a detour, work waits for its end");
    ok(time_for(r, 11, at - 100, 0) == 0, "no work takes no time, there either");
    double lost = time_for(r, 11, 0, 1e9) - 1e9;
    ok(fabs(lost / 1e9 - 1 / 9.0) < 1e-4, "a long run loses a ninth of its work: %.6f", lost / 1e9);
    mpg_renewal_free(r);
    core.detours = 0;
    r = make(&core, true);
    of.renewal = r;
    c.open = false;
    ok(time_for(r, 1, 5, 1e12) == 1e12 && mpg_renewal_detour_left(&of, &c, 0, &since) == 0 && since == 0,
       "no detours: nothing interrupts");
    mpg_renewal_free(r);
}

/* ---- by renewal theory ---- */

/* Returns the time that REPLICA loses from T_NS on for STRETCH_NS, summed detour by detour. */
static double lost_in(const struct mpg_renewal *r, uint32_t replica, double t_ns, double stretch_ns)
{
    struct mpg_renewal_of of = {.renewal = r, .seed = 7, .rank = 3, .replica = replica};
    struct mpg_renewal_cursor c = {.open = false};
    double lost = 0, end = t_ns + stretch_ns, since;
    while (t_ns < end) {
        mpg_renewal_detour_left(&of, &c, t_ns, &since);
        double begin = (double)c.block * mpg_renewal_block_ns(r);
        lost += fmax(0, fmin(begin + c.to_ns, end) - fmax(begin + c.from_ns, t_ns));
        t_ns = fmax(begin + c.to_ns, t_ns) * (1 + 0x1p-51) + 1e-6;
    }
    return lost;
}

/* At any time the process is in equilibrium: fraction of replicas inside a detour, and mean loss in a stretch. */
static void test_equilibrium(const struct mpg_renewal *r, const char *name, double t_ns)
{
    double in = 0, sum = 0, squares = 0, phi = mpg_renewal_lost(r), since;
    double stretch_ns = mpg_renewal_block_ns(r) / 256 * 2.385;
    enum { FEWER = RUNS / 6 };
    for (uint32_t k = 0; k < RUNS; k++) {
        struct mpg_renewal_of of = {.renewal = r, .seed = 1, .rank = 2, .replica = k};
        struct mpg_renewal_cursor c = {.open = false};
        in += mpg_renewal_detour_left(&of, &c, t_ns, &since) > 0;
    }
    for (uint32_t k = 0; k < FEWER; k++) {
        double lost = lost_in(r, k, t_ns, stretch_ns);
        sum += lost / FEWER;
        squares += lost * lost / FEWER;
    }
    double error = sqrt(fmax(0, squares - sum * sum) / FEWER);
    ok(fabs(in / RUNS - phi) < 4 * sqrt(phi * (1 - phi) / RUNS),
       "%s at %g blocks: in a detour in %.4f of %d replicas, phi is %.4f", name,
       t_ns / mpg_renewal_block_ns(r), in / RUNS, RUNS, phi);
    ok(fabs(sum - phi * stretch_ns) < 4 * error + 1e-2,
       "%s: 2.385 cycles of time lose %.4g in the mean, phi of them are %.4g (4 x %.2g)", name, sum,
       phi * stretch_ns, error);
}

static void test_everywhere(struct mpg_renewal *r, const char *name)
{
    const double blocks[] = {1 + 1e-9, 1.0137, 12345.9973};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        test_equilibrium(r, name, blocks[i] * mpg_renewal_block_ns(r));
    mpg_renewal_free(r);
}

static struct mpg_distribution_fit fit_of(char *family, double location, char *a, double x, char *b,
                                          double y)
{
    return (struct mpg_distribution_fit){.family = family, .location = location,
                                         .parameters = b ? 2 : 1, .name = {a, b}, .value = {x, y},
                                         .distance = 0.01, .tail_fraction = 1};
}

static struct mpg_renewal *make_fit(struct mpg_distribution_fit gap, struct mpg_distribution_fit duration)
{
    double p[2], q[] = {1, 2};
    struct mpg_distribution g = distribution(2, p, q), d = g;
    g.fits = d.fits = 1;
    g.fit = &gap;
    d.fit = &duration;
    struct mpg_noise_core core = {.span_ns = 1e9, .blocks = {.recorded = 9}, .gap_ns = &g,
                                  .length_ns = &d};
    return make(&core, true);
}

static struct mpg_renewal *make_measured(double *gaps, double *durations)
{
    static double p[5], q[5];
    static struct mpg_distribution g, d;
    g = distribution(5, p, gaps);
    d = distribution(5, q, durations);
    p[2] = p[3] = 0.6; /* a step in the distribution */
    struct mpg_noise_core core = {.span_ns = 1e9, .blocks = {.recorded = 9}, .gap_ns = &g,
                                  .length_ns = &d};
    return make(&core, false);
}

/* Exponential gaps of mean g and exponential durations of mean d: work w from any start meets a Poisson number of
 * detours with mean w / g. With probability phi it begins inside a detour, whose rest is exponential too. So the mean
 * loss is w d / g + phi d, the variance 2 d^2 w / g + (2 phi - phi^2) d^2. */
static void test_poisson(void)
{
    double g = 2385, d = 313.7, phi = d / (g + d), work = 8.5 * g, sum = 0, squares = 0;
    struct mpg_renewal *r = make_fit(fit_of("exponential", 0, "mean", g, NULL, 0),
                                     fit_of("exponential", 0, "mean", d, NULL, 0));
    for (uint32_t k = 0; k < RUNS; k++) {
        double lost = time_for(r, k, mpg_renewal_block_ns(r) + 100, work) - work;
        sum += lost / RUNS;
        squares += lost * lost / RUNS;
    }
    double mean = work * d / g + phi * d, variance = 2 * d * d * work / g + (2 - phi) * phi * d * d;
    double got = squares - sum * sum;
    ok(fabs(sum - mean) < 4 * sqrt(variance / RUNS), "Poisson: mean %.5g, by closed form %.5g", sum,
       mean);
    ok(fabs(got / variance - 1) < 0.08, "Poisson: variance %.5g, by closed form %.5g", got, variance);
    double none = 0; /* probability of no loss: begins outside of detours and meets none */
    for (uint32_t k = 0; k < RUNS; k++)
        none += time_for(r, k, 1.0787 * mpg_renewal_block_ns(r), g) == g;
    double p = (1 - phi) * exp(-1);
    ok(fabs(none / RUNS - p) < 4 * sqrt(p * (1 - p) / RUNS), "Poisson: %.4f undisturbed, (1 - phi) / e is %.4f",
       none / RUNS, p);
    none = sum = 0; /* only for starts outside of detours */
    for (uint32_t k = 0; k < RUNS; k++) {
        double lost = time_for(r, k, 0, g) - g;
        none += lost == 0;
        sum += lost / RUNS;
    }
    p = exp(-1);
    ok(fabs(none / RUNS - p) < 4 * sqrt(p * (1 - p) / RUNS), "Poisson, from the start: %.4f undisturbed, 1 / e is %.4f",
       none / RUNS, p);
    ok(fabs(sum - d) < 4 * sqrt(2 * d * d / RUNS), "Poisson, from the start: mean %.5g, by closed form %.5g", sum, d);
    mpg_renewal_free(r);
}

/* ---- look-ups in any order ---- */

static void test_order(void)
{
    double gaps[] = {20, 300, 700, 4000, 90000}, durations[] = {0, 7, 90, 91, 2385};
    struct mpg_renewal *r = make_measured(gaps, durations);
    struct mpg_renewal_of of = {.renewal = r, .seed = 7, .rank = 3, .replica = 5};
    struct mpg_renewal_cursor c = {.open = false};
    bool same = true, sums = true;
    for (int i = 0; i < 3000; i++) {
        struct mpg_address a = {.seed = 99, .purpose = MPG_DRAW_NOISE, .index = (uint32_t)i};
        double t = mpg_draw(&a, 0) * 3 * mpg_renewal_block_ns(r), since, since_again;
        double work = exp(mpg_draw(&a, 1) * 14), first = work * mpg_draw(&a, 2);
        struct mpg_renewal_cursor nowhere = {.open = false}, again = nowhere;
        double left = mpg_renewal_detour_left(&of, &c, t, &since);
        double took = mpg_renewal_time_for(&of, &c, t, work);
        same = same && took == mpg_renewal_time_for(&of, &nowhere, t, work) &&
               left == mpg_renewal_detour_left(&of, &again, t, &since_again) &&
               since == since_again;
        double part = mpg_renewal_time_for(&of, &c, t, first);
        part += mpg_renewal_time_for(&of, &c, t + part, work - first);
        sums = sums && fabs(part - took) < 1e-5;
    }
    ok(same, "what is found does not depend on what was looked for before");
    ok(sums, "work in two parts takes as long as in one");
    of.rank = 4;
    ok(mpg_renewal_time_for(&of, &c, 0, 1e6) != time_for(r, 5, 0, 1e6), "another rank, other detours");
    mpg_renewal_free(r);
}

/* ---- the record ---- */

/* Gamma gaps and durations like a lognormal distribution, stored in a record: loss in a replay of the record from any
 * start compared with the loss to detours drawn from its gaps and durations. */
static void test_record(double work_ns)
{
    enum { DETOURS = 4000, STARTS = 2500 };
    static double start[DETOURS], duration[DETOURS];
    struct mpg_noise_core core = {.core = 1, .start_ns = start, .duration_ns = duration};
    struct mpg_error err;
    for (int i = 0; i < DETOURS; i++) {
        struct mpg_address a = {.seed = 5, .purpose = MPG_DRAW_NOISE, .index = (uint32_t)i};
        double u = mpg_draw(&a, 0), v = mpg_draw(&a, 1), w = mpg_draw(&a, 2);
        start[i] = core.span_ns + round(-45000 * log(u * v));
        duration[i] = round(1500 * pow(w, -0.3));
        core.span_ns = start[i] + duration[i];
    }
    core.detours = DETOURS;
    if (mpg_noise_core_derive(&core, &err) < 0)
        printf("Bail out! %s\n", err.text);
    struct mpg_replay *replay = mpg_replay_new(&core, &err);
    struct mpg_renewal *r = make(&core, false);
    double sum[2] = {0, 0}, squares[2] = {0, 0};
    for (uint32_t k = 0; k < STARTS; k++) {
        double t = core.span_ns * (k + 0.5) / STARTS;
        double lost[2] = {mpg_replay_time_for(replay, t, work_ns) - work_ns,
                          time_for(r, k, t, work_ns) - work_ns};
        for (int i = 0; i < 2; i++) {
            sum[i] += lost[i] / STARTS;
            squares[i] += lost[i] * lost[i] / STARTS;
        }
    }
    double sd[2] = {sqrt(squares[0] - sum[0] * sum[0]), sqrt(squares[1] - sum[1] * sum[1])};
    ok(fabs(mpg_renewal_lost(r) / core.fraction_lost - 1) < 0.002, "phi %.5f, the record lost %.5f",
       mpg_renewal_lost(r), core.fraction_lost);
    ok(fabs(sum[1] - sum[0]) < 5 * sd[0] / sqrt(STARTS), "work of %g ns loses %.5g, in the record %.5g",
       work_ns, sum[1], sum[0]);
    ok(fabs(sd[1] / sd[0] - 1) < 0.08, "with a standard deviation of %.5g, in the record %.5g", sd[1],
       sd[0]);
    mpg_renewal_free(r);
    mpg_replay_free(replay);
    mpg_distribution_free(core.gap_ns);
    mpg_distribution_free(core.length_ns);
}

/* ---- errors ---- */

static void refuses(const struct mpg_noise_core *core, bool fit, const char *words)
{
    struct mpg_error err = {.text = ""};
    struct mpg_renewal *r = mpg_renewal_new(core, fit, &err);
    ok(!r && strstr(err.text, words), "refused: %s", err.text);
    mpg_renewal_free(r);
}

static void test_errors(void)
{
    double p[2], some[] = {3, 5}, none[] = {0, 0}, odd[] = {-1, 5};
    struct mpg_distribution good = distribution(2, p, some), zero = distribution(2, p, none),
                            bad = distribution(2, p, odd);
    struct mpg_noise_core core = {.core = 4, .span_ns = 1e6, .blocks = {.recorded = 9}};
    refuses(&core, false, "core 4: the record was reduced, and the signature lacks the distribution of its gaps");
    core.gap_ns = &good;
    refuses(&core, false, "the signature lacks the distribution of its durations");
    core.length_ns = &good;
    refuses(&core, true, "core 4: gaps: no family is fitted to it");
    core.length_ns = &bad;
    refuses(&core, false, "some durations are less than 0");
    core.length_ns = &good;
    core.gap_ns = &zero;
    refuses(&core, false, "leave no time for work");
}

int main(void)
{
    double gaps[] = {20, 300, 700, 4000, 90000}, durations[] = {0, 7, 90, 91, 2385};
    double even[] = {5000, 5000, 5000, 5000, 5000};
    test_single();
    test_everywhere(make_measured(gaps, durations), "measured");
    test_everywhere(make_measured(even, durations), "even gaps");
    test_everywhere(make_fit(fit_of("gamma", 117, "shape", 0.385, "scale", 9125.0),
                             fit_of("lognormal", 50, "mu", 6.2, "sigma", 1.1)), "gamma, lognormal");
    test_everywhere(make_fit(fit_of("weibull", 0, "shape", 0.7125, "scale", 1170.5),
                             fit_of("exponential", 61.3, "mean", 238.5, NULL, 0)),
                    "weibull, exponential");
    test_poisson();
    test_order();
    test_record(1e5);
    test_record(2.385e6);
    test_errors();
    return done();
}
