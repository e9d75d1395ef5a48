/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes that remember their position in the noise record, and the quiet time there, compared with lanes that remember
 * nothing: identical times for any moves forward, back, or apart. Both are also compared with the record itself, within
 * rounding errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/models/perturbation.h"
#include "tests/tap.h"

enum { DETOURS = 300, OTHERS = 200, BLOCKS = 4, LANES = 71, INTERVALS = 4000, FIRST = 3 };

static uint64_t calls;

static double uniform(void)
{
    struct mpg_address a = {.seed = 2385, .call = calls++, .purpose = MPG_DRAW_NOISE};
    return mpg_draw(&a, 0);
}

/* Returns a random number from LOW to HIGH, uniform in its logarithm. */
static double spread(double low, double high)
{
    return low * pow(high / low, uniform());
}

/* Draws N detours from AT_NS on, in whole ns if WHOLE; some touch each other. Returns the end of the last one. */
static double make_detours(size_t n, double at_ns, bool whole, double max_ns, double *start_ns,
                           double *duration_ns)
{
    for (size_t i = 0; i < n; i++) {
        double gap_ns = uniform() < 0.1 ? 0 : spread(1, 4e4), length_ns = spread(1, max_ns);
        at_ns += whole ? floor(gap_ns) : gap_ns;
        start_ns[i] = at_ns;
        duration_ns[i] = whole ? floor(length_ns) : length_ns;
        at_ns = start_ns[i] + duration_ns[i];
    }
    return at_ns;
}

static double start_ns[DETOURS], duration_ns[DETOURS], other_start_ns[OTHERS], other_ns[OTHERS];
static struct mpg_noise_block block[BLOCKS];

/* Returns a core; if IN_PART, with a truncated record, whose shorter detours are in blocks. */
static struct mpg_noise_core make_core(bool whole, bool in_part)
{
    double end_ns =
        make_detours(DETOURS, 0, whole, in_part ? 3e4 : 3e3, start_ns, duration_ns);
    struct mpg_noise_core core = {.span_ns = end_ns + (whole ? 500 : 1000.0 / 3),
                                  .detours = DETOURS,
                                  .start_ns = start_ns,
                                  .duration_ns = duration_ns};
    if (!in_part)
        return core;
    double at_ns = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t first = i * (OTHERS / BLOCKS);
        end_ns = make_detours(OTHERS / BLOCKS, at_ns, whole, 500, other_start_ns + first,
                              other_ns + first);
        block[i] = (struct mpg_noise_block){.from_ns = at_ns,
                                            .to_ns = end_ns + 77.25,
                                            .first = first,
                                            .detours = OTHERS / BLOCKS};
        at_ns = end_ns + 5000;
    }
    core.blocks = (struct mpg_noise_blocks){.recorded = OTHERS * 10,
                                            .n = BLOCKS,
                                            .detours = OTHERS,
                                            .min_ns = 600,
                                            .block = block,
                                            .start_ns = other_start_ns,
                                            .duration_ns = other_ns};
    return core;
}

/* each lane's delay, and the end of the last detour that it skipped */
struct run {
    double delay_ns[LANES], passed_ns[LANES];
};

/* Returns whether the delays of A and B differ by at most MAX_NS in every lane. I: the interval, for messages. */
static bool same(const struct run *a, const struct run *b, double max_ns, uint32_t i)
{
    for (uint32_t w = 0; w < LANES; w++)
        if (!(fabs(a->delay_ns[w] - b->delay_ns[w]) <= max_ns)) {
            printf("# interval %u, lane %u: a delay of %.17g, not %.17g ns\n", i, w, a->delay_ns[w],
                   b->delay_ns[w]);
            return false;
        }
    return true;
}

/* Delays some lanes, and moves some back. */
static void move(struct run *r)
{
    const double jump_ns = uniform() < 0.2 ? spread(1, 1e7) : 0;
    for (uint32_t w = 0; w < LANES; w++)
        r->delay_ns[w] += uniform() < 0.3 ? jump_ns : uniform() < 0.1 ? -spread(1, 5e3) : 0;
}

static bool goes_on(const struct mpg_perturbation *p, bool covers)
{
    struct run kept = {.delay_ns = {0}}, fresh, record;
    const size_t bytes = mpg_perturbation_cursor_bytes(p) * LANES;
    void *cursor = calloc(1, bytes), *empty = calloc(1, bytes);
    double since_ns = 0;
    bool equal = true;
    for (uint32_t i = 0; i < INTERVALS && equal; i++) {
        const double lengths_ns[] = {0, 5e-4, spread(1e-3, 1e7), spread(1, 3e4), spread(1, 3e4)};
        struct mpg_interval x = {.rank = 2,
                                 .since_ns = since_ns,
                                 .length_ns = lengths_ns[(int)(5 * uniform())],
                                 .ratio = uniform() < 0.5 ? 1 : 0.75,
                                 .covered_ns = uniform() < 0.5 ? spread(1, 1e4) : 0,
                                 .lanes = LANES};
        since_ns += x.length_ns + (uniform() < 0.3 ? 0 : spread(1, 2e3));
        move(&kept);
        fresh = record = kept;
        x.passed_ns = covers ? record.passed_ns : NULL;
        mpg_perturb_compute(p, &x, FIRST, LANES, record.delay_ns);
        x.passed_ns = covers ? fresh.passed_ns : NULL;
        memset(empty, 0, bytes);
        x.cursor = empty;
        mpg_perturb_compute(p, &x, FIRST, LANES, fresh.delay_ns);
        x.passed_ns = covers ? kept.passed_ns : NULL;
        x.cursor = cursor;
        mpg_perturb_compute(p, &x, FIRST, LANES, kept.delay_ns);
        equal = same(&kept, &fresh, 0, i) && same(&kept, &record, 1e-3, i);
    }
    free(cursor);
    free(empty);
    return equal;
}

static void test(bool whole, bool in_part, bool fixed, bool covers)
{
    struct mpg_noise_core core = make_core(whole, in_part);
    struct mpg_signature sig = {.cores = 1, .core = &core};
    struct mpg_perturbation p = {
        .seed = 17, .compute_ratio = 1, .target = &sig, .measurement_fixed = fixed};
    struct mpg_error err;
    if (mpg_perturbation_use_noise(&p, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    ok(goes_on(&p, covers), "detours at %s, %s record, %s, %s", whole ? "nanoseconds" : "any time",
       in_part ? "a part of a" : "a whole", fixed ? "as it is" : "measured again",
       covers ? "some covered" : "none covered");
    mpg_perturbation_clear_noise(&p);
}

int main(void)
{
    for (int i = 0; i < 16; i++)
        test(i & 1, i & 2, i & 4, i & 8);
    return done();
}
