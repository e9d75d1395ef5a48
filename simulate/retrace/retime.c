/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each thread of the rank goes from node to node. */
#include "simulate/retrace/retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times are new ones from MPI_Init's leave on, unless they are traced. */
struct thread {
    uint32_t thread, stream;
    bool begun, has_next;
    struct mpg_node next;
    int64_t traced_ns, new_ns; /* the last node's leave; at first, where the first interval begins */
    int64_t flushed_ns;        /* since then */
    int64_t cpu_ns;            /* of the interval, what no event has had yet; -1: not known */
    int64_t last_ns;           /* the last event's leave */
};

struct mpg_retime {
    struct mpg_nodes *nodes;
    int64_t origin_ns, start_ns; /* MPI_Init's leave, new and traced */
    bool started;                /* else that is not known */
    int32_t cpu; /* which of the values is the CPU time; -1: none */
    uint64_t calls, swapped;
    uint32_t thread_number;
    struct thread *threads;
    int64_t newest_ns; /* the latest enter so far, and its thread */
    uint32_t newest_thread;
    int64_t *values;
    uint32_t value_capacity;
};

/* Moves on to the thread's next node. */
static int find_next(struct mpg_retime *r, struct thread *t, struct mpg_error *err)
{
    int more = t->begun ? mpg_nodes_next(r->nodes, t->stream, &t->next, err) : 0;
    if (more < 0)
        return -1;
    t->has_next = more > 0;
    t->flushed_ns = 0;
    t->cpu_ns = -1;
    if (t->has_next && t->next.cpu_ns >= 0) { /* work is no more than the interval */
        const int64_t all_ns = t->next.enter_ns - t->new_ns;
        const double work_ns = t->next.ratio * (double)t->next.cpu_ns;
        t->cpu_ns = work_ns < (double)all_ns ? llround(work_ns) : all_ns;
    }
    return 0;
}

static struct thread *add_thread(struct mpg_retime *r, uint32_t thread, struct mpg_error *err)
{
    struct thread *grown = realloc(r->threads, (r->thread_number + 1) * sizeof *grown);
    if (!grown) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    r->threads = grown;
    struct thread *t = &r->threads[r->thread_number++];
    *t = (struct thread){.thread = thread, .last_ns = INT64_MIN};
    return t;
}

static int add_stream(struct mpg_retime *r, uint32_t stream, const struct mpg_node_stream *is,
                      struct mpg_error *err)
{
    if (!is->begun)
        return 0;
    struct thread *t = add_thread(r, is->thread, err);
    if (!t)
        return -1;
    t->stream = stream;
    t->begun = true;
    t->traced_ns = is->traced_ns;
    t->new_ns = is->begin_ns;
    r->start_ns = is->traced_ns - is->since_ns;
    r->started = true;
    return find_next(r, t, err);
}

struct mpg_retime *mpg_retime_new(struct mpg_trace *trace, int32_t rank, struct mpg_nodes *nodes,
                                  int64_t origin_ns, struct mpg_error *err)
{
    struct mpg_retime *r = calloc(1, sizeof *r);
    struct mpg_node_stream is;
    uint32_t stream;
    if (!r) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *r = (struct mpg_retime){.nodes = nodes,
                             .origin_ns = origin_ns,
                             .cpu = mpg_trace_find_value(trace, rank, "cpu_ns"),
                             .newest_ns = INT64_MIN};
    for (uint32_t i = 0; mpg_nodes_stream(nodes, rank, i, &is, &stream); i++)
        if (add_stream(r, stream, &is, err) < 0) {
            mpg_retime_free(r);
            return NULL;
        }
    return r;
}

void mpg_retime_free(struct mpg_retime *r)
{
    if (!r)
        return;
    free(r->threads);
    free(r->values);
    free(r);
}

uint64_t mpg_retime_swapped(const struct mpg_retime *r)
{
    return r->swapped;
}

static struct thread *find_thread(const struct mpg_retime *r, uint32_t thread)
{
    for (uint32_t i = 0; i < r->thread_number; i++)
        if (r->threads[i].thread == thread)
            return &r->threads[i];
    return NULL;
}

/* When T, which may be NULL, is at TRACED_NS between two nodes. */
static int64_t between(const struct mpg_retime *r, const struct thread *t, int64_t traced_ns)
{
    if (!t || !t->begun || traced_ns < t->traced_ns)
        return traced_ns - r->start_ns;
    int64_t passed_ns = traced_ns - t->traced_ns - t->flushed_ns;
    passed_ns = passed_ns > 0 ? passed_ns : 0;
    if (!t->has_next)
        return t->new_ns + passed_ns;
    const int64_t all_ns = t->next.enter_ns - t->new_ns;
    if (passed_ns >= t->next.length_ns)
        return passed_ns > 0 ? t->next.enter_ns : t->new_ns;
    const double share = (double)passed_ns / (double)t->next.length_ns;
    const int64_t new_ns = llround(share * (double)all_ns);
    return t->new_ns + (new_ns < all_ns ? new_ns : all_ns);
}

int64_t mpg_retime_later(const struct mpg_retime *r, uint32_t thread, int64_t traced_ns)
{
    const struct thread *t = find_thread(r, thread);
    const int64_t new_ns = between(r, t, traced_ns);
    return r->origin_ns + (t && new_ns < t->last_ns ? t->last_ns : new_ns);
}

/* --- values, sums --- */

/* Of the CPU time of the interval that E ends, or that it lies in, its part. */
static int set_values(struct mpg_retime *r, struct thread *t, struct mpg_event *e, bool is_node,
                      struct mpg_error *err)
{
    if (r->cpu < 0 || (uint32_t)r->cpu >= e->value_number || t->cpu_ns < 0 || e->sum.calls > 0)
        return 0;
    if (e->value_number > r->value_capacity) {
        int64_t *grown = realloc(r->values, e->value_number * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        r->values = grown;
        r->value_capacity = e->value_number;
    }
    memcpy(r->values, e->values, e->value_number * sizeof *r->values);
    const double had_ns = t->next.ratio * (double)r->values[r->cpu];
    int64_t *cpu_ns = &r->values[r->cpu];
    *cpu_ns = is_node || had_ns >= (double)t->cpu_ns ? t->cpu_ns : had_ns > 0 ? llround(had_ns) : 0;
    t->cpu_ns -= *cpu_ns;
    e->values = r->values;
    return 0;
}

static int64_t scale(double ratio, int64_t ns, double (*round_it)(double))
{
    const double most_ns = 1e18, scaled_ns = round_it(ratio * (double)ns);
    return scaled_ns < most_ns ? (int64_t)scaled_ns : (int64_t)most_ns;
}

/* What was summed up is work, too. */
static void set_sum(struct mpg_sum *s, double ratio)
{
    int64_t least_ns, most_ns;
    s->least_ns = scale(ratio, s->least_ns, floor);
    s->most_ns = scale(ratio, s->most_ns, ceil);
    s->time_ns = scale(ratio, s->time_ns, round);
    if (!__builtin_mul_overflow(s->calls, s->least_ns, &least_ns) && s->time_ns < least_ns)
        s->time_ns = least_ns;
    if (!__builtin_mul_overflow(s->calls, s->most_ns, &most_ns) && s->time_ns > most_ns)
        s->time_ns = most_ns;
}

/* --- events --- */

static void note_order(struct mpg_retime *r, const struct mpg_event *e)
{
    const bool earlier = e->enter_ns < r->newest_ns ||
                         (e->enter_ns == r->newest_ns && e->thread < r->newest_thread);
    if (earlier && e->thread != r->newest_thread) {
        r->swapped += mpg_event_is_call(e);
        return;
    }
    r->newest_ns = e->enter_ns;
    r->newest_thread = e->thread;
}

static void set_times(const struct mpg_retime *r, struct thread *t, struct mpg_event *e,
                      int64_t enter_ns, int64_t leave_ns)
{
    enter_ns = enter_ns < t->last_ns ? t->last_ns : enter_ns;
    leave_ns = leave_ns < enter_ns ? enter_ns : leave_ns;
    t->last_ns = leave_ns;
    e->enter_ns = r->origin_ns + enter_ns;
    e->leave_ns = r->origin_ns + leave_ns;
}

static int at_node(struct mpg_retime *r, struct thread *t, struct mpg_event *e,
                   struct mpg_error *err)
{
    const struct mpg_node node = t->next;
    const int64_t traced_ns = e->leave_ns, took_ns = e->leave_ns - e->enter_ns;
    if (set_values(r, t, e, true, err) < 0)
        return -1;
    set_times(r, t, e, node.enter_ns, node.left ? node.leave_ns : node.enter_ns + took_ns);
    t->traced_ns = traced_ns;
    t->new_ns = e->leave_ns - r->origin_ns;
    return find_next(r, t, err);
}

int mpg_retime_event(struct mpg_retime *r, struct mpg_event *e, struct mpg_error *err)
{
    struct thread *t = find_thread(r, e->thread);
    if (!t && !(t = add_thread(r, e->thread, err)))
        return -1;
    if (!r->started) {
        r->start_ns = e->enter_ns;
        r->started = true;
    }
    if (mpg_call_kind(e->call) == MPG_KIND_FLUSH) {
        t->flushed_ns += e->enter_ns < t->traced_ns ? 0 : e->leave_ns - e->enter_ns;
        return 0;
    }
    const bool is_call = mpg_event_is_call(e);
    const uint64_t number = r->calls;
    r->calls += is_call;
    if (is_call && t->has_next && t->next.number == number) {
        if (at_node(r, t, e, err) < 0)
            return -1;
    } else {
        const bool is_inside = t->has_next && e->enter_ns >= t->traced_ns;
        if (is_inside && set_values(r, t, e, false, err) < 0)
            return -1;
        if (is_inside && e->sum.calls > 0)
            set_sum(&e->sum, t->next.ratio);
        set_times(r, t, e, between(r, t, e->enter_ns), between(r, t, e->leave_ns));
    }
    note_order(r, e);
    return 1;
}
