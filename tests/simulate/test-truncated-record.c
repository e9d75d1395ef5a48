/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A truncated record of a million detours (TAP): its replay compared with that of the whole record, for synthetic noise
 * with bursts, ticks and rare long detours. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/detours.h"
#include "signature/file/pack.h"
#include "signature/make/truncate.h"
#include "simulate/noise/replay.h"
#include "tests/tap.h"

#define SPAN_NS 60e9
enum { MOST = 1400000, WINDOWS = 500 };

static uint64_t state = 88172645463325252;

/* Returns a uniform number in (0, 1): Marsaglia's xorshift, J. Stat. Softw. 8 (2003). */
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 12) + 0.5) / 0x1p52;
}

static double exponential(double mean)
{
    return -mean * log(uniform());
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double tenths(double ns)
{
    return rint(ns * 10) / 10;
}

/* About 17000 detours a second: bursts of 50 to 300 ns, a tick of some us every 4 ms, and a detour of about 1 ms every
 * 2 s. */
static struct mpg_noise_core *make_core(void)
{
    struct mpg_noise_core *c = calloc(1, sizeof *c);
    double *start = malloc(MOST * sizeof *start), *duration = malloc(MOST * sizeof *duration);
    double now = 0, tick = 1e6, long_one = 1e9, state_end = 0, end = 0, lost = 0;
    bool busy = false;
    if (!c || !start || !duration)
        exit(1);
    *c = (struct mpg_noise_core){.span_ns = SPAN_NS, .start_ns = start, .duration_ns = duration};
    while (c->detours < MOST) {
        double length;
        if (now >= state_end) {
            busy = !busy;
            state_end = now + exponential(20e6);
        }
        double next = now + exponential(busy ? 32e3 : 330e3);
        if (next > tick) {
            next = tick;
            tick += 4e6;
            length = 3000 * exp(0.4 * normal());
        } else if (next > long_one) {
            next = long_one;
            long_one += exponential(2e9);
            length = 1e6 * exp(0.3 * normal());
        } else {
            length = 50 + exponential(busy ? 60 : 120);
        }
        next = tenths(fmax(next, end + 1));
        length = tenths(length);
        if (next + length > SPAN_NS)
            break;
        start[c->detours] = next;
        duration[c->detours++] = length;
        lost += length;
        now = end = next + length;
    }
    c->fraction_lost = lost / SPAN_NS;
    return c;
}

static struct mpg_noise_core *copy_core(const struct mpg_noise_core *from)
{
    struct mpg_noise_core *c = malloc(sizeof *c);
    size_t bytes = (from->detours + 1) * sizeof(double);
    *c = *from;
    c->start_ns = malloc(bytes);
    c->duration_ns = malloc(bytes);
    memcpy(c->start_ns, from->start_ns, from->detours * sizeof(double));
    memcpy(c->duration_ns, from->duration_ns, from->detours * sizeof(double));
    return c;
}

static void free_core(struct mpg_noise_core *c)
{
    free(c->blocks.duration_ns);
    free(c->blocks.start_ns);
    free(c->blocks.block);
    free(c->duration_ns);
    free(c->start_ns);
    free(c);
}

static struct mpg_replay *replay(const struct mpg_noise_core *c)
{
    struct mpg_error err;
    struct mpg_replay *r = mpg_replay_new(c, &err);
    if (r)
        return r;
    printf("Bail out! %s\n", err.text);
    exit(1);
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

struct moments {
    double mean, sd, p99;
};

/* Returns the work done from T_NS on R for INTERVAL_NS. */
static double work_in(const struct mpg_replay *r, double t_ns, double interval_ns)
{
    return mpg_replay_work_before(r, t_ns + interval_ns) - mpg_replay_work_before(r, t_ns);
}

/* Returns the moments of the time lost in windows of LENGTH_NS that begin at random times of R's record. */
static struct moments windows(const struct mpg_replay *r, double length_ns)
{
    static double lost[40 * WINDOWS];
    size_t n = sizeof lost / sizeof *lost;
    struct moments m = {0, 0, 0};
    state = 2463534242; /* the same windows for each record, so that rare detours are met in both or in neither */
    for (size_t i = 0; i < n; i++) {
        double from = mpg_replay_span_ns(r) * ((double)i + uniform()) / (double)n;
        lost[i] = length_ns - work_in(r, from, length_ns);
        m.mean += lost[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        m.sd += (lost[i] - m.mean) * (lost[i] - m.mean) / (double)(n - 1);
    m.sd = sqrt(m.sd);
    qsort(lost, n, sizeof *lost, ascending);
    m.p99 = lost[(size_t)(0.99 * (double)n)];
    return m;
}

/* Sorts the N VALUES, and returns their quantile U. */
static double quantile(double *value, size_t n, double u)
{
    qsort(value, n, sizeof *value, ascending);
    return value[(size_t)(u * (double)(n - 1))];
}

/* Returns the gaps or the durations of the record; if it is truncated, those of its blocks. The caller frees them. */
static double *values(const struct mpg_noise_core *c, bool gaps, size_t *n)
{
    bool blocks = c->blocks.recorded > 0;
    const double *start = blocks ? c->blocks.start_ns : c->start_ns;
    const double *duration = blocks ? c->blocks.duration_ns : c->duration_ns;
    double *v = malloc(((blocks ? c->blocks.detours : c->detours) + 1) * sizeof *v);
    *n = 0;
    for (size_t k = 0; k < (blocks ? c->blocks.n : 1); k++) {
        size_t first = blocks ? c->blocks.block[k].first : 0;
        size_t end = first + (blocks ? c->blocks.block[k].detours : c->detours);
        double before = blocks ? c->blocks.block[k].from_ns : 0;
        for (size_t i = first; i < end; i++) {
            v[(*n)++] = gaps ? start[i] - before : duration[i];
            before = start[i] + duration[i];
        }
    }
    return v;
}

/* Returns the autocorrelation at LAG of the logarithms of N VALUES, inside runs of RUN values. */
static double correlation(const double *value, size_t n, size_t run, size_t lag)
{
    double mean = 0, products = 0, squares = 0, pairs = 0;
    for (size_t i = 0; i < n; i++)
        mean += log(value[i] + 1) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = log(value[i] + 1) - mean;
        squares += x * x / (double)n;
        if (i % run >= lag) {
            products += x * (log(value[i - lag] + 1) - mean);
            pairs++;
        }
    }
    return products / pairs / squares;
}

static bool near(const char *what, double got, double expected, double part)
{
    return ok(fabs(got - expected) <= part * fabs(expected), "%s: %.4g, of the whole %.4g (%+.2f %%,"
              " at most %.0f %%)", what, got, expected, 100 * (got / expected - 1), 100 * part);
}

/* Compares WHOLE with its truncation to CHARACTERS. PART: relative tolerance for what blocks sample. */
static void compare(const struct mpg_noise_core *whole, size_t characters, double part)
{
    struct mpg_error err = {""};
    struct mpg_noise_core *kept = copy_core(whole);
    size_t n, m;
    char name[64];
    if (!ok(mpg_noise_record_truncate(kept, characters, 500000, &err) == 0, "kept: %s", err.text))
        return;
    ok(mpg_noise_core_check(kept, &err) == 0, "what is kept is a record: %s", err.text);
    ok(mpg_detours_parts(kept) == 1, "of whole nanoseconds");
    char *longest = mpg_detours_pack(kept, 1, MPG_PACK_WELL, &err);
    char *blocks = mpg_detours_pack_blocks(kept, 1, MPG_PACK_WELL, &err);
    size_t used = strlen(longest) + strlen(blocks);
    ok(used <= characters && used > characters * 8 / 10,
       "%zu of %zu characters: %zu longest, %zu in %zu blocks", used, characters, kept->detours,
       kept->blocks.detours, kept->blocks.n);
    free(longest);
    free(blocks);
    struct mpg_replay *a = replay(whole), *b = replay(kept);
    near("fraction lost", 1 - mpg_replay_work_before(b, SPAN_NS) / SPAN_NS, whole->fraction_lost,
         0.01);
    static const double lengths_ns[] = {1e6, 1e7, 1e8};
    for (size_t i = 0; i < 3; i++) {
        struct moments x = windows(a, lengths_ns[i]), y = windows(b, lengths_ns[i]);
        snprintf(name, sizeof name, "lost in %g ms, mean", lengths_ns[i] * 1e-6);
        near(name, y.mean, x.mean, 0.05);
        snprintf(name, sizeof name, "lost in %g ms, standard deviation", lengths_ns[i] * 1e-6);
        near(name, y.sd, x.sd, part);
        snprintf(name, sizeof name, "lost in %g ms, 99 %%", lengths_ns[i] * 1e-6);
        near(name, y.p99, x.p99, part);
    }
    for (int gaps = 0; gaps < 2; gaps++) {
        double *x = values(whole, gaps, &n), *y = values(kept, gaps, &m);
        size_t run = kept->blocks.detours / kept->blocks.n;
        for (size_t lag = 1; lag <= 10; lag += 9) {
            double of_whole = correlation(x, n, n, lag), of_kept = correlation(y, m, run, lag);
            ok(fabs(of_whole - of_kept) < part / 2, "%s: autocorrelation at lag %zu %.3f, of the"
               " whole %.3f", gaps ? "gaps" : "durations", lag, of_kept, of_whole);
        }
        for (int q = 0; q < 3; q++) {
            static const double u[] = {0.1, 0.5, 0.9};
            snprintf(name, sizeof name, "%s, quantile %g", gaps ? "gap" : "duration", u[q]);
            near(name, quantile(y, m, u[q]), quantile(x, n, u[q]), part / 2);
        }
        free(x);
        free(y);
    }
    mpg_replay_free(a);
    mpg_replay_free(b);
    free_core(kept);
}

/* Work and time are inverse functions of each other, and without detours nothing is lost. */
static void test_inverse(const struct mpg_noise_core *whole)
{
    struct mpg_error err;
    struct mpg_noise_core *kept = copy_core(whole);
    size_t bad = 0, unequal = 0;
    if (mpg_noise_record_truncate(kept, 20000, 100000, &err) < 0)
        exit(1);
    struct mpg_replay *r = replay(kept);
    for (int i = 0; i < 100000; i++) {
        double work = uniform() * 5 * SPAN_NS, t = mpg_replay_time_of(r, work);
        bad += fabs(mpg_replay_work_before(r, t) - work) > 0.01;
        double from = uniform() * 5 * SPAN_NS, some = exponential(1e5);
        double took = mpg_replay_time_for(r, from, some);
        unequal += fabs(work_in(r, from, took) - some) > 0.01 || took < some;
    }
    ok(bad == 0, "work of the time of a work is that work: %zu of 100000 are not", bad);
    ok(unequal == 0, "what work takes holds that work: %zu of 100000 do not", unequal);
    mpg_replay_free(r);
    free_core(kept);
}

int main(void)
{
    struct mpg_noise_core *whole = make_core();
    ok(whole->detours > 900000, "%zu detours in 60 s, %.3g %% lost", whole->detours,
       100 * whole->fraction_lost);
    compare(whole, 200000, 0.1); /* as for each of four cores */
    compare(whole, 32000, 0.2);  /* as for each of 16 */
    compare(whole, 4000, 0.5);   /* as for each of 128 */
    test_inverse(whole);
    free_core(whole);
    return done();
}
