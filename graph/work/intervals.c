/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's time and the CPU time in a compute interval. Computed in picoseconds, because the overhead of a call can be a
 * fraction of a nanosecond; in integers, to make sums independent of the order of addition. */
#include "graph/work/intervals.h"

#include <math.h>
#include <stdlib.h>

#include "common/units.h"

enum { PS = 1000 };

static int64_t cost_ps(const struct mpg_trace *trace, int32_t rank, const char *key,
                       int64_t otherwise_ps)
{
    const char *text = mpg_trace_find_fact(trace, rank, key);
    const double cost_ns = mpg_units_parse_fact(text, -1);
    return cost_ns >= 0 ? llround(cost_ns * PS) : otherwise_ps;
}

/* Returns PS, which is not negative, rounded to ns; halves are rounded up. */
static int64_t whole_ns(int64_t ps)
{
    return ps / PS + (ps % PS >= PS / 2);
}

struct tracer_overhead mpg_graph_tracer_overhead_of(const struct mpg_trace *trace, int32_t rank)
{
    const int64_t call_ps =
        cost_ps(trace, rank, "overhead_call_median_ns", cost_ps(trace, rank, "overhead_call_ns", 0));
    return (struct tracer_overhead){
        .call_ps = call_ps,
        .call_ns = whole_ns(call_ps),
        .sum_ps = cost_ps(trace, rank, "overhead_sum_ns", call_ps),
        .cpu_ps = cost_ps(trace, rank, "overhead_cpu_ns", 0),
        .knows_cpu = mpg_trace_find_fact(trace, rank, "overhead_cpu_ns") != NULL,
        .cpu = mpg_trace_find_value(trace, rank, "cpu_ns"),
    };
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int64_t multiply(int64_t n, int64_t ps)
{
    int64_t product;
    return __builtin_mul_overflow(n, ps, &product) ? INT64_MAX : product;
}

void mpg_graph_interval_add(struct interval_sums *b, const struct tracer_overhead *r, const struct mpg_event *e)
{
    if (mpg_call_kind(e->call) == MPG_KIND_FLUSH) {
        b->flushed_ns = add(b->flushed_ns, e->leave_ns - e->enter_ns);
        b->off_ns = add(b->off_ns, e->off_before_ns);
        return;
    }
    b->off_ns = add(b->off_ns, add(e->off_before_ns, e->off_in_ns));
    if (e->sum.calls > 0) {
        const int64_t summing_ps = multiply(e->sum.calls, r->sum_ps);
        b->tracer_ps = add(b->tracer_ps, summing_ps);
        b->cpu_tracer_ps = add(b->cpu_tracer_ps, summing_ps);
        return;
    }
    b->tracer_ps = add(b->tracer_ps, r->call_ps);
    if (graph_is_computation(e))
        b->local_ns = add(b->local_ns, e->leave_ns - e->enter_ns);
    if (graph_has_cpu(r, e)) {
        b->cpu_ns = add(b->cpu_ns, e->values[r->cpu]);
        b->cpu_tracer_ps = add(b->cpu_tracer_ps, r->cpu_ps);
    }
}

int64_t mpg_graph_interval_tracer_ns(const struct interval_sums *b, const struct tracer_overhead *r, int64_t traced_ns)
{
    const int64_t tracer_ns = b->tracer_ps == 0 ? r->call_ns : whole_ns(add(b->tracer_ps, r->call_ps));
    const int64_t left_ns = traced_ns - b->flushed_ns;
    return left_ns <= 0 ? 0 : tracer_ns < left_ns ? tracer_ns : left_ns;
}

int64_t mpg_graph_interval_off_ns(const struct interval_sums *b, const struct mpg_event *call, bool own, int64_t length_ns)
{
    const int64_t off_ns = own ? add(b->off_ns, call->off_before_ns) : b->off_ns;
    return off_ns < 0 ? 0 : off_ns < length_ns ? off_ns : length_ns;
}

int64_t mpg_graph_interval_cpu_ns(const struct interval_sums *b, const struct tracer_overhead *r, const struct mpg_event *call)
{
    if (!graph_has_cpu(r, call))
        return -1;
    const int64_t cpu_ns = add(b->cpu_ns, call->values[r->cpu]);
    const int64_t tracer_ns = whole_ns(add(b->cpu_tracer_ps, r->cpu_ps));
    return cpu_ns > tracer_ns ? cpu_ns - tracer_ns : 0;
}

int64_t mpg_graph_interval_work_ns(const struct interval_sums *b, const struct tracer_overhead *r, const struct mpg_event *call)
{
    if (!graph_has_cpu(r, call))
        return -1;
    const int64_t ns = add(add(b->cpu_ns, call->values[r->cpu]), b->local_ns);
    const int64_t tracer_ns = r->knows_cpu ? whole_ns(add(b->cpu_tracer_ps, r->cpu_ps))
                                           : whole_ns(add(b->tracer_ps, r->call_ps));
    return ns > tracer_ns ? ns - tracer_ns : 0;
}

double mpg_graph_interval_work(const struct interval_sums *b, const struct tracer_overhead *r, int64_t traced_ns,
                               const struct mpg_event *event, bool own, double *length_ns)
{
    const int64_t length = traced_ns - b->flushed_ns - mpg_graph_interval_tracer_ns(b, r, traced_ns);
    const int64_t cpu_ns = own ? mpg_graph_interval_cpu_ns(b, r, event) : -1;
    *length_ns = length > 0 ? (double)(length - mpg_graph_interval_off_ns(b, event, own, length)) : 0;
    return cpu_ns >= 0 && (double)cpu_ns < *length_ns ? (double)cpu_ns : *length_ns;
}
