/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What noise does to work of a given length: against arithmetic by hand, and against a replay
 * begun at many random times. */
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

static double quantile(struct mpg_losses *l, double work_ns, double u)
{
    struct mpg_error err;
    double loss_ns;
    return mpg_losses_quantile(l, work_ns, u, &loss_ns, &err) < 0 ? NAN : loss_ns;
}

static double mean(struct mpg_losses *l, double work_ns, double low, double high)
{
    struct mpg_error err;
    double loss_ns;
    return mpg_losses_mean(l, work_ns, low, high, &loss_ns, &err) < 0 ? NAN : loss_ns;
}

static void near(const char *what, double got, double expected, double tolerance)
{
    bool close = fabs(got - expected) <= tolerance * fmax(1, fabs(expected));
    if (!close)
        printf("# %.17g instead of %.17g\n", got, expected);
    ok(close, "%s", what);
}

/* A span of 1000 with detours of 60 at 200 and of 30 at 700. Work of 128 (on the grid) begun in
 * 72..200 meets the first, in 572..700 the second; in the first itself it loses what is left of
 * it, likewise in the second: loss 60 from 128, 30 from 128, 0..60 evenly in 60, 0..30 evenly
 * in 30, else 0. */
static void test_by_hand(void)
{
    double start_ns[] = {200, 700}, duration_ns[] = {60, 30};
    struct mpg_replay *r = make((struct mpg_noise_core){
        .span_ns = 1000, .detours = 2, .start_ns = start_ns, .duration_ns = duration_ns});
    struct mpg_losses *l = losses_of(r, 0);
    near("what a record loses", mpg_losses_fraction(l), 0.09, 1e-15);
    double all = (60 * 128 + 30 * 128 + 30 * 60 + 15 * 30) / 1000.0;
    near("mean loss of work", mean(l, 128, 0, 1), all, 1e-12);
    near("the luckiest lose nothing", mean(l, 128, 0, 0.65), 0, 1e-5);
    /* 0.128 at 60 (whose bin has the last half ns of what is left), the rest of that below */
    near("the unluckiest eighth", mean(l, 128, 0.872, 1), 60, 2e-5);
    near("what is left of a detour", mean(l, 128, 0.842, 0.872), 45, 0.01);
    near("quantile in an atom", quantile(l, 128, 0.75), 30, 0.01);
    near("quantile at the end", quantile(l, 128, 1), 60, 2e-5);
    /* A whole record's work loses what the record loses, and begun in a detour the rest of that as well. */
    near("work of many records", mean(l, 910 * 128, 0, 1), 128 * 90 + (30 * 60 + 15 * 30) / 1000.0,
         2e-3);
    mpg_losses_free(l);
    l = losses_of(r, 0.0599);
    near("too little is seen for the longest", mpg_losses_fraction(l), 0.09, 1e-15);
    mpg_losses_free(l);
    l = losses_of(r, 0.06);
    near("the longest is seen", mpg_losses_fraction(l), 30 / 940.0, 1e-15);
    near("and the rest loses", mean(l, 128, 0, 1), (30 * 128 + 15 * 30) / 940.0, 1e-12);
    mpg_losses_free(l);
    l = losses_of(r, 1);
    near("all is seen", mean(l, 128, 0, 1), 0, 0);
    mpg_losses_free(l);
    mpg_replay_free(r);
    r = make((struct mpg_noise_core){.span_ns = 1000});
    l = losses_of(r, 0);
    ok(mean(l, 1e6, 0.3, 1) == 0 && quantile(l, 0, 0.5) == 0, "a quiet core");
    mpg_losses_free(l);
    mpg_replay_free(r);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against time_for() from starts all over the record; R is freed. */
static void test_against_replay(const char *what, struct mpg_replay *r)
{
    enum { STARTS = 400000 };
    static double loss_ns[STARTS];
    static const double works[] = {1, 512, 8192 * 4, 1 << 20, 1 << 24};
    struct mpg_losses *l = losses_of(r, 0);
    double span_ns = mpg_replay_span_ns(r);
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        double sum_ns = 0, tail_ns = 0, scale_ns;
        for (int i = 0; i < STARTS; i++) {
            double t_ns = (i + drand48()) / STARTS * span_ns;
            loss_ns[i] = mpg_replay_time_for(r, t_ns, works[k]) - works[k];
            sum_ns += loss_ns[i];
        }
        qsort(loss_ns, STARTS, sizeof *loss_ns, compare);
        for (int i = STARTS - STARTS / 50; i < STARTS; i++)
            tail_ns += loss_ns[i];
        scale_ns = fmax(sum_ns / STARTS, 1);
        ok(fabs(mean(l, works[k], 0, 1) - sum_ns / STARTS) < 0.03 * scale_ns + 0.02,
           "%s, work of %g ns: mean %.4g, by starts %.4g", what, works[k], mean(l, works[k], 0, 1),
           sum_ns / STARTS);
        tail_ns /= STARTS / 50.0;
        double got_ns = mean(l, works[k], 0.98, 1);
        ok(fabs(got_ns - tail_ns) < 0.05 * fmax(tail_ns, 1) + 0.5,
           "%s, work of %g ns: the worst fiftieth %.4g, by starts %.4g", what, works[k], got_ns,
           tail_ns);
        got_ns = quantile(l, works[k], 0.6);
        /* Between the quantiles next to it: at an atom's end they differ. */
        ok(got_ns >= 0.98 * loss_ns[(int)(0.595 * STARTS)] - 0.02 &&
               got_ns <= 1.02 * loss_ns[(int)(0.605 * STARTS)] + 0.02,
           "%s, work of %g ns: quantile 0.6", what, works[k]);
    }
    mpg_losses_free(l);
    mpg_replay_free(r);
}

enum { N = 3000 };

/* Gaps and durations that vary by their powers; the span in *SPAN_NS. */
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

/* Of a record the longest, and one block with all of its time. */
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
                                             .least_ns = 5000,
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
