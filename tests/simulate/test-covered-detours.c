/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detours covered by a call's messages (docs/MODEL.md, section 3, and docs/NOISE.md, Covered detours), computed by
 * hand: detours that begin before the call's end, at the end, and at the end within rounding errors. */
#include <math.h>
#include <stdlib.h>

#include "simulate/models/perturbation.h"
#include "tests/tap.h"

/* A record of sixteen equal parts, so that all draws of parts are alike: each part begins with the last 200 ns of a
 * detour and ends with the first 100 ns of another. */
#define SPAN_NS 16000.0
#define PART_NS 1000.0
#define BEGIN_NS 900.0
#define LENGTH_NS 300.0
#define REST_NS 200.0
#define WORK_NS 52.385

enum { DETOURS = 17, LANES = 64 };

static void make(struct mpg_perturbation *p, struct mpg_signature *sig, bool fixed)
{
    static double start_ns[DETOURS], duration_ns[DETOURS];
    static struct mpg_noise_core core = {
        .span_ns = SPAN_NS, .detours = DETOURS, .start_ns = start_ns, .duration_ns = duration_ns};
    struct mpg_error err;
    for (int i = 0; i < DETOURS; i++) {
        start_ns[i] = i > 0 ? PART_NS * (i - 1) + BEGIN_NS : 0;
        duration_ns[i] = i > 0 ? LENGTH_NS : REST_NS;
    }
    duration_ns[DETOURS - 1] = LENGTH_NS - REST_NS; /* the record ends inside this detour */
    *sig = (struct mpg_signature){.cores = 1, .core = &core};
    *p = (struct mpg_perturbation){
        .seed = 2385, .compute_ratio = 1, .target = sig, .measurement_fixed = fixed};
    if (mpg_perturbation_use_noise(p, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
}

/* Returns whether work takes TIME_NS in every lane if it begins AT_NS after the begin of the third repetition of the
 * record, with K_NS covered before that. */
static bool takes(const struct mpg_perturbation *p, double at_ns, double k_ns, double time_ns)
{
    double delay_ns[LANES], before_ns[LANES], passed_ns[LANES] = {0};
    struct mpg_interval x = {
        .ratio = 1,
        .length_ns = WORK_NS, .covered_ns = k_ns, .passed_ns = passed_ns};
    for (uint32_t w = 0; w < LANES; w++)
        delay_ns[w] = before_ns[w] =
            2 * SPAN_NS + at_ns - mpg_noise_start(&p->target_noise, mpg_perturbation_parts(p, w), p->seed, 0, w);
    mpg_perturb_compute(p, &x, 0, LANES, delay_ns);
    for (uint32_t w = 0; w < LANES; w++) {
        double found_ns = delay_ns[w] - before_ns[w] + WORK_NS;
        if (fabs(found_ns - time_ns) > 1e-6) {
            printf("# lane %u: %.9g ns instead of %.9g\n", w, found_ns, time_ns);
            return false;
        }
    }
    return true;
}

/* Tests a detour that begins at FROM_NS of the replay and lasts LENGTH_NS. E is the end of the call. */
static void test_detour(const struct mpg_perturbation *p, double from_ns, double length_ns,
                        const char *what)
{
    double met_ns = length_ns + WORK_NS, past_ns = 50;
    ok(takes(p, from_ns, 0, met_ns), "%s: begun at E, nothing covered", what);
    ok(takes(p, from_ns, 5000, met_ns), "%s: begun at E, and not before it", what);
    ok(takes(p, from_ns + 5e-4, 5000, met_ns - 5e-4), "%s: but for rounding", what);
    ok(takes(p, from_ns + 2e-3, 5000, WORK_NS), "%s: begun before E", what);
    ok(takes(p, from_ns + past_ns, 0, met_ns - past_ns), "%s: before E, nothing covered", what);
    ok(takes(p, from_ns + past_ns, past_ns - 1, met_ns - past_ns), "%s: longer before", what);
    ok(takes(p, from_ns + past_ns, past_ns, WORK_NS), "%s: just as long before", what);
    ok(takes(p, from_ns + past_ns, past_ns - 5e-4, WORK_NS), "%s: as long but for rounding", what);
}

int main(void)
{
    struct mpg_perturbation p;
    struct mpg_signature sig;
    make(&p, &sig, true);
    test_detour(&p, 3 * PART_NS + BEGIN_NS, LENGTH_NS, "a detour");
    mpg_perturbation_clear_noise(&p);
    make(&p, &sig, false);
    test_detour(&p, 3 * PART_NS, REST_NS, "what a part's begin leaves of one");
    mpg_perturbation_clear_noise(&p);
    return done();
}
