/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each thread of the rank advances from node to node; the times of events between two nodes are interpolated. */
#include "simulate/replica/event_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "common/units.h"
#include "simulate/replica/match_overrides.h"

/* State of a thread. Times are new times, in ns since the leave of MPI_Init, unless the name says traced. */
struct thread {
    uint32_t thread, stream;
    bool begun, has_next;
    struct mpg_node next;
    int64_t traced_ns, new_ns; /* leave of the last node, traced and new; at first, begin of the first interval */
    int64_t flushed_ns;        /* time of flushes since traced_ns */
    uint32_t marks;            /* number of region marks in the interval so far */
    int64_t cpu_ns;            /* part of the interval's CPU time not given to an event yet; -1: unknown */
    int64_t all_cpu_ns;        /* CPU time of the whole interval */
    int64_t last_ns;           /* leave of the last event */
    int64_t *pending;          /* values of calls that are not made, to be added to the next call's values */
    uint32_t pending_number, pending_capacity;
};

/* An offset of the rank's clock, measured at traced_ns. */
struct point {
    int64_t traced_ns, new_ns, offset_ns;
};

struct mpg_event_times {
    struct mpg_node_times *nodes;
    struct mpg_event_times_rules rules;
    int64_t origin_ns, start_ns; /* leave of MPI_Init, new and traced time */
    bool started;                /* the leave of MPI_Init has been reached */
    int32_t cpu; /* index of the CPU time among the values; -1: none */
    double cpu_tracer_ns; /* the tracer's part of the CPU time of each event */
    struct point *point;  /* measured offsets of the clock; the first `placed` have a new time */
    uint32_t points, point_capacity, placed;
    struct mpg_match_overrides *overrides;
    uint64_t calls, swapped;
    uint32_t thread_number, thread_capacity;
    struct thread *threads;
    int64_t newest_ns; /* latest enter so far, and the thread of this call */
    uint32_t newest_thread;
    int64_t *values;
    uint32_t value_capacity;
};

/* Moves on to the next node of the thread. */
static int find_next(struct mpg_event_times *r, struct thread *t, struct mpg_error *err)
{
    int more = t->begun ? mpg_node_times_next(r->nodes, t->stream, &t->next, err) : 0;
    if (more < 0)
        return -1;
    t->has_next = more > 0;
    t->flushed_ns = 0;
    t->marks = 0;
    t->cpu_ns = -1;
    if (t->has_next && t->next.cpu_ns >= 0) { /* work cannot take longer than the interval */
        const int64_t all_ns = t->next.enter_ns - t->new_ns;
        const double work_ns = t->next.ratio * (double)t->next.cpu_ns;
        t->cpu_ns = t->all_cpu_ns = work_ns < (double)all_ns ? llround(work_ns) : all_ns;
    }
    return 0;
}

static struct thread *add_thread(struct mpg_event_times *r, uint32_t thread, struct mpg_error *err)
{
    if (mpg_reserve_at(&r->threads, sizeof *r->threads, &r->thread_capacity, r->thread_number + 1, err) < 0)
        return NULL;
    struct thread *t = &r->threads[r->thread_number++];
    *t = (struct thread){.thread = thread, .last_ns = INT64_MIN};
    return t;
}

/* Sets TRACED_NS as the traced leave of MPI_Init. */
static void start(struct mpg_event_times *r, int64_t traced_ns)
{
    r->start_ns = traced_ns;
    r->started = true;
    if (r->rules.own_clock)
        r->origin_ns = traced_ns;
}

static int add_stream(struct mpg_event_times *r, uint32_t stream, const struct mpg_node_stream *is,
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
    start(r, is->traced_ns - is->since_ns);
    return find_next(r, t, err);
}

static int list_points(struct mpg_event_times *r, const struct mpg_trace *trace, int32_t rank,
                       struct mpg_error *err)
{
    struct point p = {0};
    while (mpg_trace_clock(trace, rank, r->points, &p.traced_ns, &p.offset_ns)) {
        if (mpg_reserve_at(&r->point, sizeof *r->point, &r->point_capacity, r->points + 1, err) < 0)
            return -1;
        r->point[r->points++] = p;
    }
    return 0;
}

struct mpg_event_times *mpg_event_times_new(struct mpg_trace *trace, int32_t rank, struct mpg_node_times *nodes,
                                  const struct mpg_event_times_rules *rules, struct mpg_error *err)
{
    const char *cpu_tracer = mpg_trace_find_fact(trace, rank, "overhead_cpu_ns");
    struct mpg_event_times *r = calloc(1, sizeof *r);
    struct mpg_node_stream is;
    uint32_t stream;
    if (!r) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *r = (struct mpg_event_times){.nodes = nodes,
                             .rules = *rules,
                             .origin_ns = rules->origin_ns,
                             .cpu = mpg_trace_find_value(trace, rank, "cpu_ns"),
                             .cpu_tracer_ns = mpg_units_parse_fact(cpu_tracer, 0),
                             .newest_ns = INT64_MIN};
    if (!(r->overrides = mpg_match_overrides_new(trace, rank, err)) ||
        (rules->own_clock && list_points(r, trace, rank, err) < 0)) {
        mpg_event_times_free(r);
        return NULL;
    }
    for (uint32_t i = 0; mpg_node_times_stream(nodes, rank, i, &is, &stream); i++)
        if (add_stream(r, stream, &is, err) < 0) {
            mpg_event_times_free(r);
            return NULL;
        }
    return r;
}

void mpg_event_times_free(struct mpg_event_times *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->thread_number; i++)
        free(r->threads[i].pending);
    free(r->threads);
    free(r->point);
    mpg_match_overrides_free(r->overrides);
    free(r->values);
    free(r);
}

uint64_t mpg_event_times_swapped(const struct mpg_event_times *r)
{
    return r->swapped;
}

static struct thread *find_thread(const struct mpg_event_times *r, uint32_t thread)
{
    for (uint32_t i = 0; i < r->thread_number; i++)
        if (r->threads[i].thread == thread)
            return &r->threads[i];
    return NULL;
}

/* Returns the position, from 0 to 1, in T's new interval of the point PASSED_NS after the begin of the traced interval;
 * interpolated between the two nearest region marks. IS_MARK: number, from 1, of the region mark at this point; 0: no mark. */
static double share_of(const struct thread *t, int64_t passed_ns, uint32_t is_mark)
{
    const struct mpg_node *node = &t->next;
    const struct mpg_node_mark all = {node->length_ns, 1, 1}, none = {0, 0, 0};
    if (is_mark > 0 && is_mark <= node->mark_number)
        return node->marks[is_mark - 1].place;
    const struct mpg_node_mark *from = t->marks > 0 && t->marks <= node->mark_number ? &node->marks[t->marks - 1] : &none;
    const struct mpg_node_mark *to = t->marks < node->mark_number ? &node->marks[t->marks] : &all;
    const int64_t since_ns = passed_ns - from->passed_ns, length_ns = to->passed_ns - from->passed_ns;
    if (since_ns <= 0)
        return from->onward;
    return since_ns >= length_ns ? to->place
                                 : from->onward + (to->place - from->onward) * (double)since_ns / (double)length_ns;
}

/* Returns the new time, in ns since the leave of MPI_Init, for TRACED_NS, between two nodes of T (may be NULL). IS_MARK:
 * number, from 1, of the region mark at this time; 0: no mark. */
static int64_t between(const struct mpg_event_times *r, const struct thread *t, int64_t traced_ns, uint32_t is_mark)
{
    if (!t || !t->begun || traced_ns < t->traced_ns)
        return traced_ns - r->start_ns;
    int64_t passed_ns = traced_ns - t->traced_ns - t->flushed_ns;
    passed_ns = passed_ns > 0 ? passed_ns : 0;
    const int64_t kept_ns = r->rules.keeps_tracer ? t->flushed_ns : 0;
    if (!t->has_next)
        return t->new_ns + passed_ns + kept_ns;
    int64_t all_ns = t->next.enter_ns - t->new_ns - t->next.flushed_ns;
    all_ns = all_ns > 0 ? all_ns : 0;
    if (passed_ns >= t->next.length_ns && (t->next.mark_number == 0 || is_mark == 0))
        return t->new_ns + kept_ns + (passed_ns > 0 ? all_ns : 0);
    const double share = t->next.mark_number > 0 ? share_of(t, passed_ns, is_mark)
                                                 : (double)passed_ns / (double)t->next.length_ns;
    const int64_t new_ns = llround(share * (double)all_ns);
    return t->new_ns + kept_ns + (new_ns < all_ns ? new_ns : all_ns);
}

int64_t mpg_event_times_later(const struct mpg_event_times *r, uint32_t thread, int64_t traced_ns)
{
    const struct thread *t = find_thread(r, thread);
    const int64_t new_ns = between(r, t, traced_ns, 0);
    return r->origin_ns + (t && new_ns < t->last_ns ? t->last_ns : new_ns);
}

/* --- values, sums --- */

/* Multiplies the work in CPU_NS by RATIO; the rest of CPU_NS is recording, and does not change. */
static int64_t scale_cpu(const struct mpg_event_times *r, double ratio, int64_t cpu_ns)
{
    const double work_ns = (double)cpu_ns - r->cpu_tracer_ns;
    return ratio == 1 || !(work_ns > 0) ? cpu_ns : cpu_ns + llround((ratio - 1) * work_ns);
}

/* Copies the values of E into an array that R may change. */
static int own_values(struct mpg_event_times *r, struct mpg_event *e, struct mpg_error *err)
{
    if (e->values == r->values)
        return 0;
    if (mpg_reserve_at(&r->values, sizeof *r->values, &r->value_capacity, e->value_number, err) < 0)
        return -1;
    memcpy(r->values, e->values, e->value_number * sizeof *r->values);
    e->values = r->values;
    return 0;
}

static bool is_region_mark(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END;
}

/* Sets the CPU time of E, which lies in T's interval or ends the interval (IS_NODE), to its part of the interval's CPU time. */
static int set_values(struct mpg_event_times *r, struct thread *t, struct mpg_event *e, bool is_node,
                      struct mpg_error *err)
{
    if (r->cpu < 0 || (uint32_t)r->cpu >= e->value_number || t->cpu_ns < 0 || e->sum.calls > 0)
        return 0;
    if (own_values(r, e, err) < 0)
        return -1;
    int64_t *cpu_ns = &r->values[r->cpu];
    if (r->rules.keeps_tracer) {
        *cpu_ns = scale_cpu(r, t->next.ratio, *cpu_ns);
        return 0;
    }
    const int64_t passed_ns = e->enter_ns - t->traced_ns - t->flushed_ns;
    const double given_ns = (double)(t->all_cpu_ns - t->cpu_ns);
    const double part_ns = !is_node && t->next.mark_number > 0
                              ? share_of(t, passed_ns, is_region_mark(e) ? t->marks : 0) * (double)t->all_cpu_ns - given_ns
                              : t->next.ratio * (double)*cpu_ns;
    *cpu_ns = is_node || part_ns >= (double)t->cpu_ns ? t->cpu_ns : part_ns > 0 ? llround(part_ns) : 0;
    t->cpu_ns -= *cpu_ns;
    return 0;
}

/* For E, a call that ends an interval of T and is not made: stores the values of E, to be added to the next call's values,
 * unless the new interval has length 0 (IS_GONE). */
static int defer_values(struct thread *t, const struct mpg_event *e, bool is_gone,
                        struct mpg_error *err)
{
    if (is_gone || e->value_number == 0)
        return 0;
    if (mpg_reserve_at(&t->pending, sizeof *t->pending, &t->pending_capacity, e->value_number, err) < 0)
        return -1;
    for (; t->pending_number < e->value_number; t->pending_number++)
        t->pending[t->pending_number] = 0;
    for (uint32_t i = 0; i < e->value_number; i++)
        t->pending[i] += e->values[i];
    return 0;
}

static int take_pending(struct mpg_event_times *r, struct thread *t, struct mpg_event *e,
                        struct mpg_error *err)
{
    if (t->pending_number == 0 || e->value_number == 0)
        return 0;
    if (own_values(r, e, err) < 0)
        return -1;
    for (uint32_t i = 0; i < e->value_number && i < t->pending_number; i++)
        r->values[i] += t->pending[i];
    t->pending_number = 0;
    return 0;
}

static int64_t scale(double ratio, int64_t ns, double (*round_it)(double))
{
    const double max_ns = 1e18, scaled_ns = round_it(ratio * (double)ns);
    return scaled_ns < max_ns ? (int64_t)scaled_ns : (int64_t)max_ns;
}

/* Multiplies the times of aggregated calls by RATIO, because these calls are also work. */
static void set_sum(struct mpg_sum *s, double ratio)
{
    int64_t min_ns, max_ns;
    if (ratio == 1)
        return;
    s->min_ns = scale(ratio, s->min_ns, floor);
    s->max_ns = scale(ratio, s->max_ns, ceil);
    s->time_ns = scale(ratio, s->time_ns, round);
    if (!__builtin_mul_overflow(s->calls, s->min_ns, &min_ns) && s->time_ns < min_ns)
        s->time_ns = min_ns;
    if (!__builtin_mul_overflow(s->calls, s->max_ns, &max_ns) && s->time_ns > max_ns)
        s->time_ns = max_ns;
}

/* --- events --- */

static void note_order(struct mpg_event_times *r, const struct mpg_event *e)
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

static void set_times(const struct mpg_event_times *r, struct thread *t, struct mpg_event *e,
                      int64_t enter_ns, int64_t leave_ns)
{
    enter_ns = enter_ns < t->last_ns ? t->last_ns : enter_ns;
    leave_ns = leave_ns < enter_ns ? enter_ns : leave_ns;
    t->last_ns = leave_ns;
    e->enter_ns = r->origin_ns + enter_ns;
    e->leave_ns = r->origin_ns + leave_ns;
}

/* Sets the times of E, a flush of the traced length, and returns 1; returns 0 if flushes are left out. */
static int flush(struct mpg_event_times *r, struct thread *t, struct mpg_event *e)
{
    const int64_t took_ns = e->leave_ns - e->enter_ns, new_ns = between(r, t, e->enter_ns, 0);
    t->flushed_ns += e->enter_ns < t->traced_ns ? 0 : took_ns;
    if (!r->rules.keeps_tracer)
        return 0;
    set_times(r, t, e, new_ns, new_ns + took_ns);
    return 1;
}

/* Sets the new times of the clock offsets measured up to TRACED_NS, while thread 0, T, is between two nodes or after the last
 * node. */
static void place_points(struct mpg_event_times *r, const struct thread *t, int64_t traced_ns)
{
    for (; r->placed < r->points && r->point[r->placed].traced_ns <= traced_ns; r->placed++)
        r->point[r->placed].new_ns =
            r->origin_ns + between(r, t, r->point[r->placed].traced_ns, 0);
}

/* Sets the new times of the clock offsets measured within E, a call of thread 0 with new times: an offset keeps the distance
 * to the enter, but stays within the call. */
static void place_points_inside(struct mpg_event_times *r, const struct mpg_event *e, int64_t enter_ns,
                                int64_t leave_ns)
{
    for (; r->placed < r->points && r->point[r->placed].traced_ns < leave_ns; r->placed++) {
        const int64_t new_ns = e->enter_ns + (r->point[r->placed].traced_ns - enter_ns);
        r->point[r->placed].new_ns = new_ns < e->leave_ns ? new_ns : e->leave_ns;
    }
}

bool mpg_event_times_clock(const struct mpg_event_times *r, size_t i, int64_t *new_ns, int64_t *offset_ns)
{
    if (i >= r->points)
        return false;
    const struct point *p = &r->point[i];
    *new_ns = i < r->placed ? p->new_ns : mpg_event_times_later(r, 0, p->traced_ns);
    *offset_ns = p->offset_ns;
    return true;
}

static int at_node(struct mpg_event_times *r, struct thread *t, struct mpg_event *e,
                   struct mpg_error *err)
{
    const struct mpg_node node = t->next;
    const int64_t traced_ns = e->leave_ns, took_ns = e->leave_ns - e->enter_ns;
    const int is_made = mpg_match_overrides_apply(r->overrides, e, node.overrides, node.override_number, err);
    if (is_made < 0 || set_values(r, t, e, true, err) < 0 ||
        (is_made ? take_pending(r, t, e, err)
                 : defer_values(t, e, node.enter_ns == t->new_ns, err)) < 0)
        return -1;
    set_times(r, t, e, node.enter_ns, node.left ? node.leave_ns : node.enter_ns + took_ns);
    if (e->thread == 0)
        place_points_inside(r, e, traced_ns - took_ns, traced_ns);
    t->traced_ns = traced_ns;
    t->new_ns = e->leave_ns - r->origin_ns;
    return find_next(r, t, err) < 0 ? -1 : is_made;
}

int mpg_event_times_event(struct mpg_event_times *r, struct mpg_event *e, struct mpg_error *err)
{
    struct thread *t = find_thread(r, e->thread);
    if (!t && !(t = add_thread(r, e->thread, err)))
        return -1;
    if (!r->started)
        start(r, e->enter_ns);
    if (e->thread == 0)
        place_points(r, t, e->enter_ns);
    if (mpg_call_kind(e->call) == MPG_KIND_FLUSH)
        return flush(r, t, e);
    const bool is_call = mpg_event_is_call(e);
    const uint64_t number = r->calls;
    r->calls += is_call;
    if (is_call && t->has_next && t->next.number == number) {
        const int is_made = at_node(r, t, e, err);
        if (is_made <= 0)
            return is_made;
    } else {
        const bool is_inside = t->has_next && e->enter_ns >= t->traced_ns;
        const bool is_mark = is_inside && is_region_mark(e);
        t->marks += is_mark;
        if (is_inside && set_values(r, t, e, false, err) < 0)
            return -1;
        if (is_inside && e->sum.calls > 0)
            set_sum(&e->sum, t->next.ratio);
        set_times(r, t, e, between(r, t, e->enter_ns, is_mark ? t->marks : 0),
                  between(r, t, e->leave_ns, is_mark ? t->marks : 0));
    }
    note_order(r, e);
    return 1;
}
