/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay_halves: tests whether half of a detour record predicts the other half. Samples the time lost in windows
 * from the first half like mpgsim, by replay from random phases, and compares it with the windows of the second
 * half: standard deviation and 99th percentile, each with a 95 % interval. The interval is for the difference of
 * two halves (sqrt 2 times as wide as for one half), by bootstrap over contiguous blocks, on a log scale.
 *
 *     replay_halves [--independent] FILE.sig             every core of a signature
 *     replay_halves [--independent] --synthetic N        synthetic records of seeds 1..N
 *
 * --independent draws each 0.1 ms independently, a baseline that the replay must beat. Prints a line for each
 * core, window length and statistic; the last line has the counts. */
#include "config.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/signature.h"
#include "simulate/noise/replay.h"

enum { BLOCKS = 30, MOST = 1000, RESAMPLES = 200, SAMPLES = 20000, WINDOWS = 4, STATISTICS = 2 };
static const double window_ns[WINDOWS] = {1e5, 1e6, 1e7, 1e8};
static const char *const statistic_names[STATISTICS] = {"sd", "p99"};
static bool independent;
static int inside, outside;

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "replay_halves: out of memory\n");
        exit(1);
    }
    return memory;
}

static double statistic(double *value, size_t n, int which)
{
    if (which == 0)
        return gsl_stats_sd(value, 1, n);
    gsl_sort(value, 1, n);
    return gsl_stats_quantile_from_sorted_data(value, 1, n, 0.99);
}

/* Returns the first (HALF 0) or second (1) half of CORE's record. The caller frees its arrays. */
static struct mpg_noise_core half_of(const struct mpg_noise_core *core, int half)
{
    double span = core->span_ns / 2, from = half * span;
    struct mpg_noise_core h = {.core = core->core, .span_ns = span};
    h.start_ns = checked(malloc((core->detours + 1) * sizeof *h.start_ns));
    h.duration_ns = checked(malloc((core->detours + 1) * sizeof *h.duration_ns));
    for (size_t i = 0; i < core->detours; i++) {
        double start = fmax(core->start_ns[i] - from, 0);
        double end = fmin(core->start_ns[i] + core->duration_ns[i] - from, span);
        if (end > start) {
            h.start_ns[h.detours] = start;
            h.duration_ns[h.detours++] = end - start;
        }
    }
    return h;
}

static struct mpg_replay *replay_of(const struct mpg_noise_core *core)
{
    struct mpg_error err;
    struct mpg_replay *r = mpg_replay_new(core, &err);
    if (!r) {
        fprintf(stderr, "replay_halves: %s\n", err.text);
        exit(1);
    }
    return r;
}

/* Returns the work done from T_NS on R for INTERVAL_NS. */
static double work_in(const struct mpg_replay *r, double t_ns, double interval_ns)
{
    return mpg_replay_work_before(r, t_ns + interval_ns) - mpg_replay_work_before(r, t_ns);
}

static double lost_in(const struct mpg_replay *r, double t_ns, double length_ns)
{
    return fmax(0, length_ns - work_in(r, t_ns, length_ns));
}

/* Returns the lost time of one random window, drawn like in a simulation. */
static double draw_lost(const struct mpg_replay *r, double length_ns, gsl_rng *random)
{
    double span = mpg_replay_span_ns(r), lost = 0;
    if (!independent)
        return lost_in(r, gsl_rng_uniform(random) * span, length_ns);
    for (double done = 0; done < length_ns; done += window_ns[0])
        lost += lost_in(r, gsl_rng_uniform(random) * span, window_ns[0]);
    return lost;
}

/* Lost times of windows of the second half, evenly spaced, in BLOCKS contiguous blocks. */
struct tiles {
    size_t block; /* number of windows in a block, at most MOST */
    double *lost; /* lost times of all BLOCKS * block windows */
};

static struct tiles tile(const struct mpg_replay *r, double length_ns)
{
    double block_ns = mpg_replay_span_ns(r) / BLOCKS;
    struct tiles t = {.block = (size_t)fmin(block_ns / length_ns, MOST)};
    t.lost = checked(malloc((BLOCKS * t.block + 1) * sizeof *t.lost));
    for (size_t i = 0; i < BLOCKS * t.block; i++)
        t.lost[i] = lost_in(r, (double)i * block_ns / (double)t.block, length_ns);
    return t;
}

/* Returns the standard deviation of the logarithm of the statistic over resamples of blocks. */
static double log_error(const struct tiles *t, int which, double *scratch, gsl_rng *random)
{
    double logs[RESAMPLES];
    for (int k = 0; k < RESAMPLES; k++) {
        for (int b = 0; b < BLOCKS; b++)
            memcpy(scratch + (size_t)b * t->block,
                   t->lost + gsl_rng_uniform_int(random, BLOCKS) * t->block,
                   t->block * sizeof *scratch);
        logs[k] = log(statistic(scratch, BLOCKS * t->block, which) + 1);
    }
    return gsl_stats_sd(logs, 1, RESAMPLES);
}

static void compare(const char *name, const struct mpg_replay *first,
                    const struct mpg_replay *second, double length_ns, gsl_rng *random)
{
    struct tiles t = tile(second, length_ns);
    size_t n = BLOCKS * t.block;
    if (t.block < 4) {
        printf("%s: window %g ms: the record is too short\n", name, length_ns * 1e-6);
        free(t.lost);
        return;
    }
    double *sampled = checked(malloc(SAMPLES * sizeof *sampled));
    double *scratch = checked(malloc(n * sizeof *scratch));
    for (int i = 0; i < SAMPLES; i++)
        sampled[i] = draw_lost(first, length_ns, random);
    for (int which = 0; which < STATISTICS; which++) {
        double width = 1.96 * sqrt(2) * log_error(&t, which, scratch, random);
        memcpy(scratch, t.lost, n * sizeof *scratch);
        double measured = statistic(scratch, n, which);
        double guess = statistic(sampled, SAMPLES, which);
        double low = fmax((measured + 1) * exp(-width) - 1, 0);
        double high = (measured + 1) * exp(width) - 1;
        bool in = guess >= low && guess <= high;
        *(in ? &inside : &outside) += 1;
        printf("%s: window %5g ms, %-3s: sampled %10.2f us, measured %10.2f us [%.2f, %.2f]"
               " n=%zu %s\n", name, length_ns * 1e-6, statistic_names[which], guess * 1e-3,
               measured * 1e-3, low * 1e-3, high * 1e-3, n, in ? "inside" : "OUTSIDE");
    }
    free(scratch);
    free(sampled);
    free(t.lost);
}

static void check_core(const char *name, const struct mpg_noise_core *core, gsl_rng *random)
{
    struct mpg_noise_core half[2] = {half_of(core, 0), half_of(core, 1)};
    struct mpg_replay *replay[2] = {replay_of(&half[0]), replay_of(&half[1])};
    for (int w = 0; w < WINDOWS; w++)
        compare(name, replay[0], replay[1], window_ns[w], random);
    for (int h = 0; h < 2; h++) {
        mpg_replay_free(replay[h]);
        free(half[h].start_ns);
        free(half[h].duration_ns);
    }
}

/* Returns a synthetic record of one minute: a 4 ms tick, daemons in bursts of a few hundred ms, and rare detours with a
 * heavy tail, so that noise is correlated at all window lengths. */
static struct mpg_noise_core make_core(gsl_rng *random)
{
    const double span = 60e9;
    struct mpg_noise_core c = {.span_ns = span};
    size_t max = 200000;
    c.start_ns = checked(malloc(max * sizeof *c.start_ns));
    c.duration_ns = checked(malloc(max * sizeof *c.duration_ns));
    double t = gsl_ran_exponential(random, 4e6), tick = t, burst_end = 0, end = 0;
    double burst = gsl_ran_exponential(random, 5e8), tail = gsl_ran_exponential(random, 1e8);
    while (c.detours < max) {
        double next = fmin(tick, fmin(burst, tail)), length;
        if (next == tick) {
            length = gsl_ran_lognormal(random, log(3e3), 0.3);
            tick += 4e6;
        } else if (next == burst) {
            if (burst > burst_end)
                burst_end = burst + gsl_ran_exponential(random, 5e7);
            length = gsl_ran_gamma(random, 2, 5e4);
            burst += gsl_ran_exponential(random, 4e5);
            if (burst > burst_end)
                burst += gsl_ran_exponential(random, 5e8);
        } else {
            length = gsl_ran_pareto(random, 2.5, 1e5);
            tail += gsl_ran_exponential(random, 1e8);
        }
        double start = fmax(next, end);
        if (start + length >= span)
            break;
        c.start_ns[c.detours] = start;
        c.duration_ns[c.detours++] = length;
        end = start + length;
    }
    return c;
}

static void check_synthetic(int seeds)
{
    for (int seed = 1; seed <= seeds; seed++) {
        char name[32];
        gsl_rng *random = checked(gsl_rng_alloc(gsl_rng_mt19937));
        gsl_rng_set(random, (unsigned long)seed);
        struct mpg_noise_core core = make_core(random);
        snprintf(name, sizeof name, "seed %d", seed);
        check_core(name, &core, random);
        free(core.start_ns);
        free(core.duration_ns);
        gsl_rng_free(random);
    }
}

static int check_signature(const char *path)
{
    struct mpg_error err;
    struct mpg_signature *sig = mpg_signature_load(path, &err);
    if (!sig) {
        mpg_error_print("replay_halves", &err);
        return 1;
    }
    gsl_rng *random = checked(gsl_rng_alloc(gsl_rng_mt19937));
    gsl_rng_set(random, 1);
    for (size_t i = 0; i < sig->cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "core %d", sig->core[i].core);
        if (sig->core[i].span_ns > 0)
            check_core(name, &sig->core[i], random);
    }
    gsl_rng_free(random);
    mpg_signature_free(sig);
    return 0;
}

int main(int argc, char **argv)
{
    int arg = 1, status = 0;
    gsl_set_error_handler_off();
    if (arg < argc && strcmp(argv[arg], "--independent") == 0)
        independent = argv[arg++];
    if (argc - arg == 2 && strcmp(argv[arg], "--synthetic") == 0)
        check_synthetic(atoi(argv[arg + 1]));
    else if (argc - arg == 1)
        status = check_signature(argv[arg]);
    else
        status = 2;
    if (status == 2)
        fprintf(stderr, "usage: replay_halves [--independent] (FILE.sig | --synthetic N)\n");
    if (status == 0)
        printf("inside %d of %d\n", inside, inside + outside);
    return status;
}
