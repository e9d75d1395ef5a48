/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectorized code for lanes, for each instruction set of this processor, compared bit by bit with its definition for a
 * single lane. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/draws/lane_code.h"
#include "tests/tap.h"

enum { MOST = 150, ROUNDS = 300 };

static uint64_t calls;

static double uniform(void)
{
    struct mpg_address a = {.seed = 2385, .call = calls++, .purpose = MPG_DRAW_QUANTUM};
    return mpg_draw(&a, 7);
}

static uint64_t bits(void)
{
    return (uint64_t)(uniform() * 0x1p32) << 32 | (uint64_t)(uniform() * 0x1p32);
}

static bool same(const char *what, const double *got, const double *expected, uint32_t n)
{
    for (uint32_t w = 0; w < n; w++)
        if (memcmp(&got[w], &expected[w], sizeof *got) != 0) {
            printf("# %s, lane %u of %u: %.17g instead of %.17g\n", what, w, n, got[w], expected[w]);
            return false;
        }
    if (got[n] != 2.385)
        printf("# %s: writes beyond lane %u\n", what, n);
    return got[n] == 2.385;
}

/* --- draws --- */

static bool draws_agree(const struct mpg_lane_code *code)
{
    double u[MOST + 1], expected[MOST];
    for (int i = 0; i < ROUNDS; i++) {
        struct mpg_address a = {.seed = bits(), .call = bits(), .rank = (int32_t)bits(),
                                .purpose = (enum mpg_purpose)(bits() % 16), .index = (uint32_t)bits()};
        if (i < 4) /* extreme values: all zeros and all ones */
            a = (struct mpg_address){.seed = -(uint64_t)(i & 1), .call = -(uint64_t)(i >> 1)};
        uint32_t n = (uint32_t)(uniform() * (MOST + 1));
        uint32_t first = i % 3 == 0 ? UINT32_MAX - n / 2 : (uint32_t)(uniform() * 100);
        for (uint32_t w = 0; w < n; w++)
            expected[w] = mpg_draw(&a, first + w);
        u[n] = 2.385;
        code->draw(&a, first, n, u);
        if (!same("draw", u, expected, n))
            return false;
    }
    return true;
}

static bool messages_agree(const struct mpg_lane_code *code)
{
    double u[3][MOST + 1], expected[MOST];
    const enum mpg_purpose purpose[] = {MPG_DRAW_LATENCY, MPG_DRAW_SEND, MPG_DRAW_RECEIVE};
    for (int i = 0; i < ROUNDS; i++) {
        struct mpg_address a = {.seed = bits(), .call = bits(), .rank = (int32_t)bits(),
                                .purpose = MPG_DRAW_LATENCY, .index = (uint32_t)bits()};
        const uint32_t n = (uint32_t)(uniform() * (MOST + 1)), first = (uint32_t)bits();
        u[0][n] = u[1][n] = u[2][n] = 2.385;
        code->draw_message(&a, first, n, u[0], u[1], u[2]);
        for (int j = 0; j < 3; j++) {
            a.purpose = purpose[j];
            for (uint32_t w = 0; w < n; w++)
                expected[w] = mpg_draw(&a, first + w);
            if (!same("a message's draw", u[j], expected, n))
                return false;
        }
    }
    return true;
}

/* --- quantiles --- */

static double sample(int kind)
{
    double x = uniform();
    return kind == 0   ? 100 + 10 * floor(10 * x)       /* steps, as from a coarse clock */
           : kind == 1 ? -log(x) * 77.25                /* heavy tails */
           : kind == 2 ? 33.5 + (x < 0.001 ? 1e6 : 0)   /* almost always one value */
                       : -50 + 100 * x;
}

static struct mpg_distribution *make(int kind, size_t n)
{
    struct mpg_error err;
    double *samples = malloc(n * sizeof *samples);
    for (size_t i = 0; i < n; i++)
        samples[i] = sample(kind);
    struct mpg_distribution *d = mpg_distribution_from_samples(samples, n, MPG_DISTRIBUTION_KNOTS, &err);
    free(samples);
    if (!d) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return d;
}

/* Returns a random probability: mostly uniform, sometimes at or beside a knot of D, at an end, outside, or far in a
 * tail. */
static double probability(const struct mpg_distribution *d)
{
    const double knot = d->probabilities[(size_t)(uniform() * (double)d->knots)];
    switch ((int)(uniform() * 16)) {
    case 0:
        return knot;
    case 1:
        return nextafter(knot, uniform() < 0.5 ? 0 : 1);
    case 2:
        return uniform() < 0.5 ? 0 : 1;
    case 3:
        return uniform() < 0.5 ? -0.25 : 1.5;
    case 4:
        return 0x1p-53;
    case 5:
        return 1 - 0x1p-53;
    default:
        return uniform();
    }
}

static bool quantiles_agree(const struct mpg_lane_code *code, struct mpg_distribution *const *d,
                            size_t count)
{
    const struct mpg_distribution *of[MOST];
    double u[MOST], value[MOST + 1], expected[MOST];
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t n = (uint32_t)(uniform() * (MOST + 1));
        for (uint32_t w = 0; w < n; w++) {
            of[w] = d[(size_t)(uniform() * (double)count)];
            u[w] = i % 2 ? uniform() : probability(of[w]);
            expected[w] = mpg_distribution_quantile(of[w], u[w]);
        }
        value[n] = 2.385;
        code->quantile(of, u, n, value);
        if (!same("quantile", value, expected, n))
            return false;
    }
    return true;
}

/* --- times --- */

/* A time at one message size or between two sizes, in lanes that use up to COUNT different distributions. */
struct time {
    const struct mpg_distribution *low[MOST], *high[MOST];
    struct mpg_lane_table *low_table, *high_table;
    struct mpg_lane_time lanes;
};

static void draw_time(struct time *t, struct mpg_distribution *const *d, size_t count)
{
    const size_t few = 1 + (size_t)(uniform() * (double)count);
    for (uint32_t w = 0; w < MOST; w++) {
        t->low[w] = d[(size_t)(uniform() * (double)few)];
        t->high[w] = d[count - 1 - (size_t)(uniform() * (double)few)];
    }
    t->low_table = mpg_lane_table_new(t->low, MOST);
    t->high_table = mpg_lane_table_new(t->high, MOST);
    t->lanes = (struct mpg_lane_time){.low = t->low_table,
                                      .high = uniform() < 0.5 ? t->high_table : NULL,
                                      .weight = uniform(),
                                      .max = uniform() < 0.3 ? INFINITY : 300 * uniform()};
}

static void clear_time(struct time *t)
{
    mpg_lane_table_free(t->low_table);
    mpg_lane_table_free(t->high_table);
}

static double time_at(const struct time *t, uint32_t w, double u)
{
    double x = mpg_distribution_quantile(t->low[w], u);
    if (t->lanes.high)
        x = x + (mpg_distribution_quantile(t->high[w], u) - x) * t->lanes.weight;
    return fmin(x, t->lanes.max);
}

static bool times_agree(const struct mpg_lane_code *code, struct mpg_distribution *const *d,
                        size_t count)
{
    struct time target, source;
    double u[MOST], less[MOST], value[MOST + 1], expected[MOST];
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t at = (uint32_t)(uniform() * MOST), n = (uint32_t)(uniform() * (MOST + 1 - at));
        const bool has_source = i % 3 == 0, has_less = i % 3 == 1;
        draw_time(&target, d, count);
        draw_time(&source, d, count);
        for (uint32_t w = 0; w < n; w++) {
            u[w] = i % 2 ? uniform() : probability(target.low[at + w]);
            less[w] = 100 * uniform();
            value[w] = 1000 * uniform() - 500;
            double x = time_at(&target, at + w, u[w]);
            x = has_source ? x - time_at(&source, at + w, u[w]) : has_less ? x - less[w] : x;
            expected[w] = value[w] + x;
        }
        value[n] = 2.385;
        code->add_time(&target.lanes, has_source ? &source.lanes : NULL, has_less ? less : NULL, at, u, n,
                       value);
        clear_time(&target);
        clear_time(&source);
        if (!same("time", value, expected, n))
            return false;
    }
    return true;
}

/* --- rows --- */

static bool rows_agree(const struct mpg_lane_code *code)
{
    enum { ROWS = 40, LONGEST = 9 };
    double all[ROWS * LONGEST], u[MOST + 1], expected[MOST];
    uint32_t row[MOST];
    for (int i = 0; i < ROWS * LONGEST; i++)
        all[i] = uniform();
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t n = (uint32_t)(uniform() * (MOST + 1));
        const size_t length = 1 + (size_t)(uniform() * LONGEST), at = (size_t)(uniform() * (double)length);
        const double share = 0.25 * uniform();
        for (uint32_t w = 0; w < n; w++) {
            row[w] = (uint32_t)(uniform() * ROWS) * (uint32_t)length;
            u[w] = uniform();
            expected[w] = all[row[w] + at] + (u[w] - 0.5) * share;
        }
        u[n] = 2.385;
        code->place_in_rows(all + at, row, share, n, u);
        if (!same("row", u, expected, n))
            return false;
    }
    return true;
}

/* --- intervals --- */

static double longer(double taken, double length)
{
    return fmax(taken - length, -length);
}

static bool intervals_agree(const struct mpg_lane_code *code)
{
    double from[MOST], to[MOST], delay[MOST + 1], work[MOST], lengthened[MOST];
    uint32_t lane[MOST], expected[MOST];
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t n = (uint32_t)(uniform() * (MOST + 1)), count = 0;
        const double since = floor(10 * uniform()), length = 4 * uniform();
        const struct mpg_lane_quiet quiet = {from, to, 1e-3};
        const struct mpg_lane_work done = {.each = i % 3 ? work : NULL, .all = i % 5 ? floor(10 * uniform()) : quiet.min};
        const double few = i % 2 ? 0.1 : 1; /* fraction of lanes that are interrupted */
        for (uint32_t w = 0; w < n; w++) {  /* whole numbers, so that some lanes end at the same time */
            delay[w] = floor(20 * uniform()) - 12;
            from[w] = uniform() < few ? floor(10 * uniform()) : 0;
            to[w] = uniform() < few ? from[w] + floor(20 * uniform()) - 2 : 1000;
            work[w] = uniform() < 0.1 ? quiet.min : floor(10 * uniform());
            work[w] = done.each ? work[w] : done.all;
            const double begin = fmax(0, since + delay[w]);
            const bool passes = begin >= from[w] && begin + work[w] <= to[w] && work[w] > quiet.min;
            lengthened[w] = delay[w] + (passes ? longer(work[w], length) : 0);
            if (!passes)
                expected[count++] = w;
        }
        delay[n] = 2.385;
        const uint32_t got = code->pass(&quiet, since, length, &done, n, delay, lane);
        if (got != count || memcmp(lane, expected, count * sizeof *lane) != 0) {
            printf("# %u lanes do not pass, not %u, of %u\n", got, count, n);
            return false;
        }
        if (!same("delay", delay, lengthened, n))
            return false;
    }
    return true;
}

static bool lengths_agree(const struct mpg_lane_code *code)
{
    double taken[MOST], delay[MOST + 1], expected[MOST];
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t n = (uint32_t)(uniform() * (MOST + 1));
        const double length = 77.25 * uniform();
        for (uint32_t w = 0; w < n; w++) {
            taken[w] = 100 * uniform() - 10;
            delay[w] = 1000 * uniform() - 500;
            expected[w] = delay[w] + longer(taken[w], length);
        }
        delay[n] = 2.385;
        code->lengthen(taken, length, n, delay);
        if (!same("length", delay, expected, n))
            return false;
    }
    return true;
}

int main(void)
{
    enum { KINDS = 4, COUNT = 3 * KINDS };
    const size_t sizes[] = {1, 60, 20000};
    struct mpg_distribution *d[COUNT];
    for (int i = 0; i < COUNT; i++)
        d[i] = make(i % KINDS, sizes[i / KINDS]);
    for (enum mpg_isa isa = MPG_ISA_BASE; isa < MPG_ISAS; isa++) {
        const struct mpg_lane_code *code = mpg_lane_code_of(isa);
        const char *name = mpg_isa_name(isa);
        if (!code || isa > mpg_isa()) {
            ok(true, "%s # SKIP not here", name);
            continue;
        }
        ok(draws_agree(code), "%s: draws", name);
        ok(messages_agree(code), "%s: draws of messages", name);
        ok(quantiles_agree(code, d, COUNT), "%s: quantiles", name);
        ok(lengths_agree(code), "%s: lengths", name);
        ok(times_agree(code, d, COUNT), "%s: times", name);
        ok(rows_agree(code), "%s: rows", name);
        ok(intervals_agree(code), "%s: intervals", name);
    }
    ok(mpg_lane_code() == mpg_lane_code_of(mpg_isa()), "what is used is what there is");
    setenv("MPGKIT_ISA", "base", 1);
    ok(mpg_isa() == MPG_ISA_BASE, "no better than what is asked for");
    setenv("MPGKIT_ISA", "avx2", 1);
    ok(mpg_isa() <= MPG_ISA_AVX2, "AVX2 at best");
    for (int i = 0; i < COUNT; i++)
        mpg_distribution_free(d[i]);
    return done();
}
