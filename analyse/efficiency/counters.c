/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/counters.h"

#include <math.h>

/* The names in PAPI and in the kernel of the counters of instructions and of cycles. */
const char *const mpg_counter_instructions[] = {"PAPI_TOT_INS", "perf::INSTRUCTIONS", "perf::PERF_COUNT_HW_INSTRUCTIONS", NULL};
const char *const mpg_counter_cycles[] = {"PAPI_TOT_CYC", "perf::CYCLES", "perf::CPU-CYCLES", "perf::PERF_COUNT_HW_CPU_CYCLES",
                                          NULL};

int32_t mpg_counter_find(const struct mpg_trace *trace, int32_t rank, const char *const *names)
{
    int32_t value = -1;
    for (; *names && value < 0; names++)
        value = mpg_trace_find_value(trace, rank, *names);
    return value;
}

static double value_of(const struct mpg_event *e, int32_t value)
{
    return value >= 0 && (uint32_t)value < e->value_number ? (double)e->values[value] : 0;
}

static int count_rank(struct mpg_trace *trace, int32_t rank, struct mpg_efficiency_counters *c, struct mpg_error *err)
{
    const int32_t of_instructions = mpg_counter_find(trace, rank, mpg_counter_instructions);
    const int32_t of_cycles = mpg_counter_find(trace, rank, mpg_counter_cycles);
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    bool started = false, ended = false;
    int more = cursor ? 1 : -1;
    while (more > 0 && !ended && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        const enum mpg_kind kind = mpg_call_kind(e->call);
        if (started && e->thread == 0 && kind != MPG_KIND_FLUSH && !e->killed) {
            c->instructions += value_of(e, of_instructions);
            c->cycles += value_of(e, of_cycles);
        }
        started = started || kind == MPG_KIND_INIT;
        ended = kind == MPG_KIND_FINALIZE && !e->failed;
    }
    mpg_cursor_close(cursor);
    return more < 0 ? -1 : 0;
}

int mpg_efficiency_count(struct mpg_trace *trace, struct mpg_efficiency_counters *c, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    *c = (struct mpg_efficiency_counters){0, 0};
    for (int32_t rank = 0; rank < ranks; rank++) {
        c->instructions += mpg_counter_find(trace, rank, mpg_counter_instructions) < 0 ? NAN : 0;
        c->cycles += mpg_counter_find(trace, rank, mpg_counter_cycles) < 0 ? NAN : 0;
    }
    for (int32_t rank = 0; rank < ranks && !(isnan(c->instructions) && isnan(c->cycles)); rank++)
        if (count_rank(trace, rank, c, err) < 0)
            return -1;
    return 0;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

struct mpg_efficiency_counter_scaling mpg_efficiency_counter_scaling(const struct mpg_efficiency_counted *reference,
                                                                     const struct mpg_efficiency_counted *run,
                                                                     enum mpg_efficiency_scaling scaling)
{
    const struct mpg_efficiency_counters *a = reference->counters, *b = run->counters;
    const double a_ns = reference->times->mean_compute_ns * reference->times->ranks;
    const double b_ns = run->times->mean_compute_ns * run->times->ranks;
    const double grown = scaling == MPG_EFFICIENCY_SCALED ? (double)run->times->ranks / reference->times->ranks : 1;
    return (struct mpg_efficiency_counter_scaling){
        .instructions = ratio(a->instructions * grown, b->instructions),
        .ipc = ratio(ratio(b->instructions, b->cycles), ratio(a->instructions, a->cycles)),
        .frequency = ratio(ratio(b->cycles, b_ns), ratio(a->cycles, a_ns))};
}
