/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A complete simulation of a trace, native or text, and of a part of it: graph and lanes. */
#include "simulate/evaluate/driver/simulation.h"
#include "tests/fuzz/fuzz.h"
#include "trace/excerpt/excerpt.h"

enum { REPLICAS = 2 };

static void simulate(struct mpg_trace *t, bool lenient, struct mpg_error *err)
{
    struct mpg_perturbation p = {.seed = 1, .compute_ratio = 1.125};
    const struct mpg_simulation_options options = {
        .graph = {.eager_limit_bytes = 4096, .lenient = lenient}, .replicas = REPLICAS, .threads = 1};
    struct mpg_result result = {0};
    const struct mpg_scenario scenario = {.p = &p, .options = &options, .result = &result};
    if (mpg_specs_add(&p.latency, "exp:2us", err) < 0 ||
        mpg_specs_add(&p.noise, "const:3us@0", err) < 0 ||
        mpg_simulate(t, &scenario, 1, NULL, err) < 0)
        fuzz_check_error(err);
    mpg_result_clear(&result);
    mpg_perturbation_clear(&p);
}

/* Simulates the part of the trace PATH that EXCERPT says. */
static void simulate_part(const char *path, const struct mpg_excerpt *excerpt)
{
    struct mpg_error err = {""};
    struct mpg_trace *t = mpg_excerpt_open(path, excerpt, &err);
    if (t)
        simulate(t, false, &err);
    else
        fuzz_check_error(&err);
    mpg_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    const char *path = fuzz_file(data, size);
    struct mpg_trace *t = mpg_trace_open(path, &err);
    if (!t) {
        fuzz_check_error(&err);
        return 0;
    }
    simulate(t, false, &err);
    err.text[0] = '\0';
    simulate(t, true, &err);
    mpg_trace_close(t);
    simulate_part(path, &(struct mpg_excerpt){.from = "1us", .until = "3us"});
    simulate_part(path, &(struct mpg_excerpt){.from = "a", .until = "a:2"});
    return 0;
}
