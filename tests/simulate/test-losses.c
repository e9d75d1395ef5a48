/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses to noise of work of a given length: compared with arithmetic by hand, and with replays from many random start
 * times. */
#include <math.h>
#include <stdlib.h>

#include "simulate/noise/losses.h"
#include "tests/tap.h"

static struct mpg_replay *make(struct mpg_noise_core core)
{
    struct mpg_error err;
    struct mpg_replay *r = mpg_replay_new(&core, &err);
    if (!r) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return r;
}

static struct mpg_losses *losses_of(const struct mpg_replay *r, double seen)
{
    struct mpg_error err;
    struct mpg_losses *l = mpg_losses_new(r, seen, &err);
    if (!l) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return l;
}

static struct mpg_loss_law law_of(struct mpg_losses *l, double work_ns)
{
    static struct mpg_loss_law law;
    struct mpg_error err;
    law = (struct mpg_loss_law){0};
    if (mpg_losses_add(l, work_ns, 0.25, &law, &err) < 0 || mpg_losses_add(l, work_ns, 0.75, &law, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    mpg_loss_law_finish(&law);
    return law;
}

/* Returns the probability of a loss from A to B ns; both are begins of steps of the distribution. */
static double between(const struct mpg_loss_law *law, double a, double b)
{
    return mpg_loss_law_below(law, b) - mpg_loss_law_below(law, a);
}

/* Returns the mean loss, with each step's middle because the distribution does not store means of steps. */
static double mean(const struct mpg_loss_law *law)
{
    double sum = 0;
    for (size_t s = law->first; s < law->end; s++)
        sum += law->mass[s] * (mpg_loss_step_low(s) + mpg_loss_step_low(s + 1)) / 2;
    return sum;
}

static void near(const char *what, double got, double expected, double tolerance)
{
    bool close = fabs(got - expected) <= tolerance * fmax(1, fabs(expected));
    if (!close)
        printf("# %.17g instead of %.17g\n", got, expected);
    ok(close, "%s", what);
}

/* A span of 1000 with detours of 60 at 200 and of 30 at 700. Work of 128 (a grid point) that begins from 72 to 200
 * meets the first detour, from 572 to 700 the second. Work that begins inside a detour loses the rest of it. So the
 * loss is 60 for 128 start times, 30 for 128, uniform in 0..60 for 60, uniform in 0..30 for 30, and 0 for all others. */
static void test_by_hand(void)
{
    double start_ns[] = {200, 700}, duration_ns[] = {60, 30};
    struct mpg_replay *r = make((struct mpg_noise_core){
        .span_ns = 1000, .detours = 2, .start_ns = start_ns, .duration_ns = duration_ns});
    struct mpg_losses *l = losses_of(r, 0);
    near("what a record loses", mpg_losses_fraction(l), 0.09, 1e-15);
    struct mpg_loss_law law = law_of(l, 128);
    const double step[] = {mpg_loss_step_low(16), mpg_loss_step_low(48), mpg_loss_step_low(80), mpg_loss_step_low(92),
                           mpg_loss_step_low(96)};
    near("steps reach from 1 to 7 to 31", step[1] + step[2], 38, 1e-12);
    near("nothing is lost by most", law.none, (1000 - 128 - 128 - 60 - 30 + 2 * 1) / 1000.0, 1e-12);
    near("of the rest of a detour 6 in 30 and 60", between(&law, 1, 7), 2 * 6 / 1000.0, 1e-12);
    near("7 to 31: a whole detour of 30, what is left of both", between(&law, 7, 31), (128 + 24 + 23) / 1000.0, 1e-12);
    near("31 to 63: a whole detour of 60, what is left of it", between(&law, 31, 63), (128 + 29) / 1000.0, 1e-12);
    near("that is all", mpg_loss_law_below(&law, 63), 1, 1e-12);
    ok(mpg_loss_law_below(&law, 0) == 0 && mpg_loss_law_below(&law, -1) == 0, "no loss is below nothing");
    near("mean loss of work, within a step", mean(&law), (60 * 128 + 30 * 128 + 30 * 60 + 15 * 30) / 1000.0, 0.03);
    ok(mpg_loss_law_quantile(&law, 0.6) == 0 && fabs(mpg_loss_law_quantile(&law, 0.75) / 30 - 1) < 0.05 &&
           fabs(mpg_loss_law_quantile(&law, 0.99) / 60 - 1) < 0.05, "quantiles");
    for (double u = 0.665; u < 1; u += 0.01)
        if (fabs(mpg_loss_law_below(&law, mpg_loss_law_quantile(&law, u)) - u) > 1e-12)
            printf("# %g\n", u);
    near("between two lengths of work it is between their distributions",
         law_of(l, 128 * exp2(1.0 / 16)).none, (law.none + law_of(l, 128 * exp2(1.0 / 8)).none) / 2, 1e-12);
    /* Work as long as the record's loses what the whole record loses; if it begins in a detour, also the rest of this
     * detour. */
    law = law_of(l, 910 * 128);
    near("work of many records", mean(&law), 128 * 90 + (30 * 60 + 15 * 30) / 1000.0, 0.03);
    mpg_losses_free(l);
    l = losses_of(r, 0.0599);
    near("too little is seen for the longest", mpg_losses_fraction(l), 0.09, 1e-15);
    mpg_losses_free(l);
    l = losses_of(r, 0.06);
    near("the longest is seen", mpg_losses_fraction(l), 30 / 940.0, 1e-15);
    law = law_of(l, 128);
    near("and the rest loses", 1 - law.none, (128 + 29) / 940.0, 1e-12);
    mpg_losses_free(l);
    l = losses_of(r, 1);
    law = law_of(l, 128);
    ok(law.none == 1 && law.first == law.end, "all is seen");
    mpg_losses_free(l);
    mpg_replay_free(r);
    r = make((struct mpg_noise_core){.span_ns = 1000});
    l = losses_of(r, 0);
    law = law_of(l, 1e6);
    ok(law.none == 1 && mpg_loss_law_quantile(&law, 0.5) == 0 && mpg_loss_law_below(&law, 1e-9) == 1, "a quiet core");
    mpg_losses_free(l);
    mpg_replay_free(r);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Compares the losses with those in a replay of R from start times all over the record. Frees R. */
static void test_against_replay(const char *what, struct mpg_replay *r)
{
    enum { STARTS = 400000 };
    static double loss_ns[STARTS];
    static const double works[] = {1, 512, 8192 * 4, 1 << 20, 1 << 24};
    struct mpg_losses *l = losses_of(r, 0);
    double span_ns = mpg_replay_span_ns(r);
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        const struct mpg_loss_law law = law_of(l, works[k]);
        double sum_ns = 0, worst = 0;
        for (int i = 0; i < STARTS; i++) {
            double t_ns = (i + drand48()) / STARTS * span_ns;
            loss_ns[i] = mpg_replay_time_for(r, t_ns, works[k]) - works[k];
            sum_ns += loss_ns[i];
        }
        qsort(loss_ns, STARTS, sizeof *loss_ns, compare);
        ok(fabs(mean(&law) - sum_ns / STARTS) < 0.03 * fmax(sum_ns / STARTS, 1) + 0.02,
           "%s, work of %g ns: mean %.4g, by starts %.4g", what, works[k], mean(&law), sum_ns / STARTS);
        for (size_t s = MPG_LOSS_STEPS_AN_OCTAVE; s < MPG_LOSS_STEPS - 1; s++) {
            const double edge_ns = mpg_loss_step_low(s);
            size_t below = 0, high = STARTS;
            while (below < high) { /* finds the first loss that is not below the begin of the step */
                const size_t middle = (below + high) / 2;
                if (loss_ns[middle] < edge_ns)
                    below = middle + 1;
                else
                    high = middle;
            }
            worst = fmax(worst, fabs(mpg_loss_law_below(&law, edge_ns * (1 + 1e-12)) - (double)below / STARTS));
        }
        ok(worst < 0.01, "%s, work of %g ns: distribution functions are within %.2g", what, works[k], worst);
    }
    mpg_losses_free(l);
    mpg_replay_free(r);
}

enum { N = 3000 };

/* Draws gaps and durations of very different sizes; stores the span in *SPAN_NS. */
static void draw_detours(double *start_ns, double *duration_ns, double *span_ns)
{
    double at_ns = 0;
    for (int i = 0; i < N; i++) {
        at_ns += -log(1 - drand48()) * 40e3;
        start_ns[i] = at_ns;
        duration_ns[i] = 300 * pow(1 - drand48(), -0.6);
        at_ns += duration_ns[i];
    }
    *span_ns = at_ns + 17e3;
}

static void test_random(void)
{
    static double start_ns[N], duration_ns[N];
    struct mpg_noise_core core = {.detours = N, .start_ns = start_ns, .duration_ns = duration_ns};
    draw_detours(start_ns, duration_ns, &core.span_ns);
    test_against_replay("whole record", make(core));
}

/* A truncated record, which keeps the longest detours, and all detours of one block. */
static void test_in_part(void)
{
    static double start_ns[N], duration_ns[N], long_start[N], long_duration[N];
    double span_ns;
    size_t longest = 0, in_block = N / 10;
    draw_detours(start_ns, duration_ns, &span_ns);
    for (size_t i = 0; i < N; i++)
        if (duration_ns[i] >= 5000) {
            long_start[longest] = start_ns[i];
            long_duration[longest++] = duration_ns[i];
        }
    struct mpg_noise_block block = {.from_ns = 0,
                                    .to_ns = start_ns[in_block - 1] + duration_ns[in_block - 1],
                                    .detours = in_block};
    struct mpg_noise_core core = {.span_ns = span_ns,
                                  .detours = longest,
                                  .start_ns = long_start,
                                  .duration_ns = long_duration,
                                  .blocks = {.recorded = N,
                                             .min_ns = 5000,
                                             .n = 1,
                                             .block = &block,
                                             .detours = in_block,
                                             .start_ns = start_ns,
                                             .duration_ns = duration_ns}};
    test_against_replay("record in part", make(core));
}

int main(void)
{
    srand48(2385);
    test_by_hand();
    test_random();
    test_in_part();
    return done();
}
