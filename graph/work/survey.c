/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads all ranks once before the graph is made: finds region names, the computation in regions, and callsites in the order of
 * appearance. */
#include <stdlib.h>
#include <string.h>

#include "graph/call_ref.h"
#include "graph/work/intervals.h"
#include "graph/work/private.h"

/* An open region. Bit I of NAMED: hypothesis I names the region; visit[I]: if hypothesis I is a balance, the number of
 * the thread's present visit. */
struct open {
    uint64_t named;
    size_t visit[MPG_HYPOTHESES_MAX];
};

/* A thread of the rank being read. */
struct thread {
    uint32_t number;
    bool computes;      /* whether the time since the last event is computation; not before the rank's first call */
    int64_t since_ns;   /* begin of the not yet counted part of the compute interval */
    struct interval_sums interval_sums;
    struct open *open;
    size_t depth, capacity;
    struct thread *next;
};

struct survey {
    struct mpg_bound_hypotheses *x;
    struct mpg_trace *trace;
    int32_t rank;
    bool started, ended;
    struct tracer_overhead tracer_overhead;
    struct thread *threads;
};

static struct thread *find_thread(struct survey *s, const struct mpg_event *e)
{
    struct thread *t = s->threads;
    while (t && t->number != e->thread)
        t = t->next;
    if (t || !(t = calloc(1, sizeof *t)))
        return t;
    t->number = e->thread;
    t->computes = s->started;
    t->since_ns = e->enter_ns;
    t->next = s->threads;
    return s->threads = t;
}

/* --- callsites and names --- */

static int meet_site(struct mpg_bound_hypotheses *x, int32_t site, struct mpg_error *err)
{
    if (site < 0 || ((size_t)site < x->sites && x->site[site] >= 0))
        return 0;
    if ((size_t)site >= x->sites) {
        const size_t n = 2 * ((size_t)site + 8);
        int32_t *grown = realloc(x->site, n * sizeof *grown);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        for (size_t i = x->sites; i < n; i++)
            grown[i] = -1;
        x->site = grown;
        x->sites = n;
    }
    x->site[site] = (int32_t)x->sites_met++;
    return 0;
}

static uint64_t find_named(const struct mpg_hypotheses *list, const char *name)
{
    uint64_t named = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct mpg_hypothesis *h = &list->item[i];
        const char *region = h->region ? h->region : h->select.region;
        if (region && strcmp(region, name) == 0)
            named |= UINT64_C(1) << i;
    }
    return named;
}

static int meet_string(struct survey *s, int32_t string, struct mpg_error *err)
{
    struct mpg_bound_hypotheses *x = s->x;
    if (string < 0 || (size_t)string < x->strings)
        return 0;
    const size_t n = (size_t)string + 1;
    uint64_t *grown = realloc(x->named, n * sizeof *grown);
    if (!grown)
        return mpg_graph_out_of_memory(err);
    for (size_t i = x->strings; i < n; i++)
        grown[i] = find_named(x->list, mpg_trace_string(s->trace, (int32_t)i));
    x->named = grown;
    x->strings = n;
    return 0;
}

/* --- regions --- */

/* Returns whether RANK is among the ranks that hypothesis I names; true if the hypothesis names no ranks. A balance names a
 * communicator, whose members are known only after the survey: here a balance concerns every rank. */
static bool is_about(const struct mpg_bound_hypotheses *x, size_t i, int32_t rank)
{
    return mpg_rank_set_contains(&x->list->item[i].ranks, rank);
}

static int begin_region(struct survey *s, struct thread *t, int32_t string, struct mpg_error *err)
{
    struct mpg_bound_hypotheses *x = s->x;
    if (t->depth == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 8;
        struct open *grown = realloc(t->open, capacity * sizeof *grown);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        t->open = grown;
        t->capacity = capacity;
    }
    struct open *o = &t->open[t->depth++];
    o->named = bound_named(x, string);
    for (size_t i = 0; i < x->list->n; i++) {
        if (!(o->named >> i & 1))
            continue;
        x->known[i] = true;
        if ((x->exchanges >> i & 1) && s->started && mpg_bound_count_begin(x, i, s->rank, t->number) < 0)
            return mpg_graph_out_of_memory(err);
        if (!is_about(x, i, s->rank))
            continue;
        x->entered[i] = true;
        if (x->balance[i] && mpg_balance_visit(x->balance[i], s->rank, t->number, &o->visit[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Ends T's part of a compute interval at EVENT. OWN: EVENT belongs to T. */
static void end_part(struct survey *s, struct thread *t, const struct mpg_event *event, bool own)
{
    struct mpg_bound_hypotheses *x = s->x;
    const struct open *o = t->depth > 0 ? &t->open[t->depth - 1] : NULL;
    double traced_ns;
    if (t->computes && o && o->named) {
        const double work_ns =
            mpg_graph_interval_work(&t->interval_sums, &s->tracer_overhead, event->enter_ns - t->since_ns, event, own,
                                    &traced_ns);
        for (size_t i = 0; i < x->list->n; i++) {
            if (!(o->named >> i & 1) || !is_about(x, i, s->rank))
                continue;
            x->work_ns[i] += x->balance[i] ? work_ns : traced_ns;
            if (x->balance[i])
                mpg_balance_work(x->balance[i], s->rank, t->number, o->visit[i], work_ns);
        }
    }
    t->since_ns = event->enter_ns > t->since_ns ? event->enter_ns : t->since_ns;
    t->interval_sums = (struct interval_sums){0};
}

/* --- events --- */

static int take_mark(struct survey *s, struct thread *t, const struct mpg_event *e, struct mpg_error *err)
{
    end_part(s, t, e, true);
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_END) {
        t->depth -= t->depth > 0;
        return 0;
    }
    return meet_string(s, e->string, err) < 0 ? -1 : begin_region(s, t, e->string, err);
}

/* Handles call E, which ends compute intervals. */
static void take_call(struct survey *s, struct thread *t, const struct mpg_event *e)
{
    const bool is_last = mpg_call_kind(e->call) == MPG_KIND_FINALIZE && !e->failed;
    for (struct thread *other = s->threads; other; other = other->next)
        if (other == t || is_last)
            end_part(s, other, e, other == t);
    s->started = true;
    s->ended = is_last;
    t->computes = true;
    t->since_ns = e->leave_ns;
}

static int take(struct survey *s, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    struct thread *t = find_thread(s, e);
    if (!t)
        return mpg_graph_out_of_memory(err);
    if (meet_site(s->x, e->site, err) < 0)
        return -1;
    if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
        return take_mark(s, t, e, err);
    if (!mpg_event_is_call(e) || graph_is_computation(e))
        mpg_graph_interval_add(&t->interval_sums, &s->tracer_overhead, e);
    else
        take_call(s, t, e);
    return 0;
}

static void forget_threads(struct survey *s)
{
    for (struct thread *t = s->threads, *next; t; t = next) {
        next = t->next;
        free(t->open);
        free(t);
    }
    s->threads = NULL;
}

int mpg_bound_survey(struct mpg_bound_hypotheses *x, struct mpg_trace *trace, struct mpg_error *err)
{
    int status = 0;
    for (int32_t rank = 0; rank < x->ranks && status == 0; rank++) {
        struct survey s = {.x = x, .trace = trace, .rank = rank};
        struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
        const struct mpg_event *event;
        int more = cursor ? 1 : -1;
        s.tracer_overhead = mpg_graph_tracer_overhead_of(trace, rank);
        while (more > 0 && !s.ended && (more = mpg_cursor_read(cursor, &event, err)) > 0)
            if (take(&s, event, err) < 0)
                more = -1;
        forget_threads(&s);
        mpg_cursor_close(cursor);
        status = more < 0 ? -1 : 0;
    }
    return status;
}
