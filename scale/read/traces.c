/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace, one rank after another, and then finds the wait times of the trace. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/efficiency/run.h"
#include "analyse/traced.h"
#include "graph/work/intervals.h"
#include "scale/read/core_facts.h"
#include "scale/read/gather.h"
#include "trace/reader.h"

enum { RECORDING_TEXT = 320 };

/* A thread: the open regions, and the computation since the last call or region mark. */
struct stack {
    uint32_t thread;
    size_t depth, capacity;
    int32_t *string;
    bool computes;   /* the thread has been computing since `since_ns` */
    int64_t since_ns;
    double summed_ns; /* time of calls since `since_ns` recorded only as sums */
    struct interval_sums interval_sums;
};

struct reading {
    struct scale_gather *g;
    struct scale_run *run;
    struct mpg_trace *trace;
    struct stack *stack;
    size_t stack_number;
    struct tracer_overhead tracer_overhead;
    bool started, ended;
    int64_t start_ns, end_ns;
    uint64_t content;
    struct mpg_graph_counts events; /* for judge(): time of all events so far in calls, off the CPU and for recording */
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* ---- threads ---- */

static struct stack *stack_of(struct reading *r, uint32_t thread)
{
    for (size_t i = 0; i < r->stack_number; i++)
        if (r->stack[i].thread == thread)
            return &r->stack[i];
    struct stack *grown = realloc(r->stack, (r->stack_number + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    r->stack = grown;
    grown[r->stack_number] = (struct stack){.thread = thread};
    return &grown[r->stack_number++];
}

/* ---- computation ---- */

static int add_computation(struct reading *r, int32_t region, const char *name, double work_ns, struct mpg_error *err)
{
    const struct scale_sum sum = {1, work_ns, work_ns, work_ns, 0, 0};
    const int64_t chain = mpg_scale_gather_find_computation(r->g, region, name, err);
    return chain < 0 ? -1 : mpg_scale_gather_add(r->g, chain, &sum, err);
}

/* Event E ends the computation of thread S: adds this computation to the sums. OWN: E is an event of S itself. */
static int end_part(struct reading *r, struct stack *s, const struct mpg_event *e, bool own, struct mpg_error *err)
{
    const int32_t region = s->depth > 0 ? s->string[s->depth - 1] : -1;
    double length_ns, work_ns = 0;
    if (s->computes && e->enter_ns > s->since_ns)
        work_ns =
            mpg_graph_interval_work(&s->interval_sums, &r->tracer_overhead, e->enter_ns - s->since_ns, e, own,
                                    &length_ns) - s->summed_ns;
    s->interval_sums = (struct interval_sums){0};
    s->summed_ns = 0;
    if (!(work_ns > 0))
        return 0;
    r->run->comp_ns += work_ns;
    if (add_computation(r, 0, NULL, work_ns, err) < 0)
        return -1;
    const char *name = region < 0 ? "(no region)" : mpg_trace_string(r->trace, region);
    return r->g->how->unit != SCALE_UNIT_REGION ? 0 : add_computation(r, region, name, work_ns, err);
}

/* If E is a call or region mark, ends the computation of E's thread; MPI_Finalize ends the computation of all threads. Does
 * nothing unless computation is read (how->computation). */
static int take_computation(struct reading *r, const struct mpg_event *e, struct mpg_error *err)
{
    struct stack *own = r->g->how->computation ? stack_of(r, e->thread) : NULL;
    const bool is_last = mpg_call_kind(e->call) == MPG_KIND_FINALIZE && !e->failed;
    if (!r->g->how->computation)
        return 0;
    if (!own)
        return out_of_memory(err);
    if (!mpg_event_is_call(e) && mpg_call_kind(e->call) != MPG_KIND_REGION_BEGIN &&
        mpg_call_kind(e->call) != MPG_KIND_REGION_END) {
        mpg_graph_interval_add(&own->interval_sums, &r->tracer_overhead, e);
        own->summed_ns += (double)e->sum.time_ns;
        return 0;
    }
    for (size_t i = 0; i < r->stack_number; i++)
        if ((&r->stack[i] == own || is_last) && end_part(r, &r->stack[i], e, &r->stack[i] == own, err) < 0)
            return -1;
    own->computes = r->started;
    own->since_ns = e->leave_ns;
    return 0;
}

/* ---- regions ---- */

static int mark_region(struct reading *r, const struct mpg_event *e, struct mpg_error *err)
{
    struct stack *s = stack_of(r, e->thread);
    if (!s)
        return out_of_memory(err);
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_END) {
        s->depth -= s->depth > 0;
        return 0;
    }
    if (s->depth == s->capacity) {
        const size_t more = s->capacity ? 2 * s->capacity : 8;
        int32_t *grown = realloc(s->string, more * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        s->string = grown;
        s->capacity = more;
    }
    s->string[s->depth++] = e->string;
    return 0;
}

/* Returns the innermost region of E's thread open at E; -1: none. */
static int32_t region_of(const struct reading *r, const struct mpg_event *e)
{
    for (size_t i = 0; i < r->stack_number; i++)
        if (r->stack[i].thread == e->thread && r->stack[i].depth > 0)
            return r->stack[i].string[r->stack[i].depth - 1];
    return -1;
}

static int64_t find_chain(const struct reading *r, enum mpg_call call, int32_t site, int32_t region,
                          struct mpg_error *err)
{
    return mpg_scale_gather_find(r->g, call, site, region, region < 0 ? NULL : mpg_trace_string(r->trace, region), err);
}

/* ---- sums ---- */

static int add_call(struct reading *r, const char *names, const struct mpg_event *e, struct mpg_error *err)
{
    const double time_ns = (double)(e->leave_ns - e->enter_ns);
    int64_t sent, received;
    mpg_event_bytes(e, &sent, &received);
    struct scale_sum sum = {1, time_ns, time_ns, time_ns, (double)sent, (double)received};
    if (e->sum.calls)
        sum = (struct scale_sum){(uint64_t)e->sum.calls, (double)e->sum.time_ns, (double)e->sum.min_ns,
                                 (double)e->sum.max_ns, 0, 0};
    r->content = scale_mix(scale_mix(scale_mix(r->content, e->call), sum.count), (uint64_t)sum.time_ns);
    r->run->comm_ns += sum.time_ns;
    if (r->g->how->computation)
        return 0;
    const int64_t chain = find_chain(r, mpg_call_plain(e->call), e->site, region_of(r, e), err);
    if (chain < 0 || mpg_scale_gather_add(r->g, chain, &sum, err) < 0)
        return -1;
    /* an event's counters were measured in the interval before the call, and count for the call */
    return mpg_scale_gather_count(r->g, chain, names, e->values, e->value_number, err);
}

/* Adds E's time in MPI, off the CPU and for recording to r->events. A local call, and the time before this call, count as
 * computation. */
static void add_off_cpu(struct reading *r, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_call = mpg_event_is_call(e) && kind != MPG_KIND_OTHER && kind != MPG_KIND_PCONTROL;
    if (kind == MPG_KIND_FLUSH)
        r->events.flushed_ns += (uint64_t)(e->leave_ns - e->enter_ns);
    r->events.tracer_ns += kind == MPG_KIND_FLUSH || e->sum.calls ? 0 : (uint64_t)r->tracer_overhead.call_ns;
    r->events.off_ns += (uint64_t)e->off_before_ns + (is_call ? 0 : (uint64_t)e->off_in_ns);
    if (!is_call || kind == MPG_KIND_FINALIZE)
        return;
    r->events.call_off_ns += (uint64_t)e->off_in_ns;
    r->events.calls_ns += (uint64_t)(e->leave_ns - e->enter_ns);
}

static int add_event(struct reading *r, const char *names, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (!r->ended && take_computation(r, e, err) < 0)
        return -1;
    if (r->started && !r->ended)
        add_off_cpu(r, e);
    if (kind == MPG_KIND_FLUSH)
        return 0;
    if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
        return e->failed ? 0 : mark_region(r, e, err); /* a failed mark has no region */
    if (r->ended)
        return 0;
    r->end_ns = kind == MPG_KIND_FINALIZE ? e->enter_ns : e->leave_ns;
    if (kind == MPG_KIND_INIT && !e->failed && !r->started) {
        r->started = true;
        r->start_ns = e->leave_ns;
        for (size_t i = 0; i < r->stack_number; i++)
            r->stack[i].computes |= r->stack[i].thread == e->thread;
    }
    r->ended = kind == MPG_KIND_FINALIZE && !e->failed;
    return !r->started || kind == MPG_KIND_INIT || kind == MPG_KIND_FINALIZE ? 0 : add_call(r, names, e, err);
}

static int add_rank(struct reading *r, int32_t rank, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(r->trace, rank, err);
    const char *names = mpg_trace_find_fact(r->trace, rank, "values");
    const struct mpg_event *e;
    int more = -1, status = 0;
    r->tracer_overhead = mpg_graph_tracer_overhead_of(r->trace, rank);
    for (size_t i = 0; i < r->stack_number; i++) {
        r->stack[i].depth = 0;
        r->stack[i].computes = false;
        r->stack[i].summed_ns = 0;
        r->stack[i].interval_sums = (struct interval_sums){0};
    }
    r->started = r->ended = false;
    r->content = scale_mix(0, (uint64_t)rank);
    while (c && status == 0 && (more = mpg_cursor_read(c, &e, err)) > 0)
        status = add_event(r, names, e, err);
    mpg_cursor_close(c);
    if (status < 0 || more < 0)
        return -1;
    if (!r->ended && mpg_trace_lost_segment(r->trace, rank))
        return mpg_error_set(err, "rank %d: its last calls are lost", rank);
    mpg_scale_gather_end_rank(r->g, rank);
    const double run_ns = r->started ? (double)(r->end_ns - r->start_ns) : 0;
    const uint32_t threads = mpg_trace_threads(r->trace, rank);
    r->run->content += scale_mix(r->content, (uint64_t)run_ns);
    r->run->app_ns += run_ns;
    r->run->longest_ns = run_ns > r->run->longest_ns ? run_ns : r->run->longest_ns;
    r->run->threads = threads > r->run->threads ? threads : r->run->threads;
    r->run->unfinished |= !r->ended;
    return 0;
}

/* ---- the quality of the recording ---- */

/* Adds a note, once for a run, if the recording is not reliable. COUNTS: statistics of the run's message-passing graph, or of
 * the run's events. */
static int judge(struct reading *r, const struct mpg_graph_counts *counts, struct scale_notes *notes, struct mpg_error *err)
{
    const struct mpg_recording recording = mpg_recording_of_trace(r->trace, counts, r->run->app_ns, true);
    char words[RECORDING_TEXT];
    if (r->run->is_judged)
        return 0;
    r->run->is_judged = true;
    r->run->is_reliable = recording.reliable;
    return recording.reliable ? 0
                              : mpg_scale_note(notes, r->run->path, false, err, "%s",
                                               mpg_recording_describe(&recording, "", words, sizeof words));
}

/* ---- waits ---- */

static int add_waits(struct reading *r, const struct mpg_waits *waits, struct mpg_error *err)
{
    mpg_scale_gather_know_waits(r->g);
    if (r->g->how->unit == SCALE_UNIT_REGION)
        for (int32_t name = -1; name < mpg_waits_regions(waits); name++) {
            const struct mpg_wait_sum sum = mpg_waits_of_region(waits, name);
            const int64_t chain = sum.calls > 0 ? find_chain(r, MPG_CALL_COUNT, MPG_NO_SITE, name, err) : 0;
            if (chain < 0)
                return -1;
            if (sum.calls > 0)
                mpg_scale_gather_wait(r->g, chain, mpg_wait_all(&sum));
        }
    else
        for (size_t i = 0; i < mpg_waits_sites(waits); i++) {
            const struct mpg_wait_sum sum = mpg_waits_of_site(waits, i);
            const struct mpg_call_site place = mpg_waits_site(waits, i);
            const int32_t site = place.site ? (int32_t)place.site - 1 : MPG_NO_SITE;
            const int64_t chain = find_chain(r, place.call, site, -1, err);
            if (chain < 0)
                return -1;
            mpg_scale_gather_wait(r->g, chain, mpg_wait_all(&sum));
        }
    r->run->has_waits = true;
    return 0;
}

/* Finds the wait times. On failure, the waits are unknown but the times of the trace still count. */
static int find_waits(struct reading *r, struct scale_notes *notes, struct mpg_error *err)
{
    const struct mpg_traced_options options = {.lenient = true};
    struct mpg_traced_waits found = {.waits = NULL};
    struct mpg_error why;
    int status;
    if (mpg_waits_find(r->trace, &options, &found, &why) < 0)
        status = mpg_scale_note(notes, r->run->path, false, err, "the waits in its calls are unknown: %s", why.text);
    else if ((status = judge(r, &found.counts, notes, err)) == 0)
        status = add_waits(r, found.waits, err);
    mpg_traced_waits_clear(&found);
    return status;
}

/* ---- efficiencies ---- */

static int find_efficiency(struct reading *r, struct scale_notes *notes, struct mpg_error *err)
{
    const struct mpg_efficiency_options options = {.eager_limit_bytes = INT64_MAX};
    struct mpg_efficiency_run found;
    int status = mpg_efficiency_find(r->trace, &options, &found, err);
    if (status == 0) {
        r->run->times = found.times;
        r->run->counters = found.counters;
        status = judge(r, &found.counts, notes, err);
    }
    mpg_efficiency_run_clear(&found);
    return status;
}

/* ---- the whole trace ---- */

static int find_core_facts(const struct reading *r, struct mpg_error *err)
{
    struct mpg_host_cores *host;
    size_t hosts;
    if (mpg_trace_cores(r->trace, &host, &hosts, err) < 0)
        return -1;
    const int status = mpg_scale_core_facts_max(host, hosts, r->run, err);
    free(host);
    return status;
}

static int keep_fact(const struct mpg_trace *trace, const char *key, char **text, struct mpg_error *err)
{
    const char *value = mpg_trace_find_fact(trace, 0, key);
    *text = value ? strdup(value) : NULL;
    return value && !*text ? out_of_memory(err) : 0;
}

/* Returns an error if the trace is incomplete. */
static int check(const struct mpg_trace *trace, struct mpg_error *err)
{
    if (mpg_trace_cut(trace))
        return mpg_error_set(err, "%s", mpg_trace_cut(trace));
    for (int32_t rank = 0; rank < mpg_trace_ranks(trace); rank++) {
        enum mpg_call call;
        int64_t enter_ns;
        if (mpg_trace_runs(trace, rank))
            return mpg_error_set(err, "rank %d: it is still running", rank);
        for (uint32_t i = 0; i < mpg_trace_threads(trace, rank); i++)
            if (mpg_trace_died(trace, rank, mpg_trace_thread(trace, rank, i), &call, &enter_ns))
                return mpg_error_set(err, "rank %d: it died: the rest of its run is unknown", rank);
    }
    return 0;
}

static int read_all(struct reading *r, struct scale_notes *notes, struct mpg_error *err)
{
    const struct stat_callsites source = mpg_stat_callsites_of(r->trace);
    if (mpg_scale_gather_begin(r->g, &source, err) < 0)
        return -1;
    r->run->ranks = mpg_trace_ranks(r->trace);
    r->run->is_trace = true;
    if (check(r->trace, err) < 0 || keep_fact(r->trace, "program", &r->run->program, err) < 0 ||
        keep_fact(r->trace, "date", &r->run->date, err) < 0 ||
        keep_fact(r->trace, "host", &r->run->host, err) < 0 || find_core_facts(r, err) < 0)
        return -1;
    for (int32_t rank = 0; rank < r->run->ranks; rank++)
        if (add_rank(r, rank, err) < 0)
            return -1;
    if (r->g->how->efficiency && find_efficiency(r, notes, err) < 0)
        return -1;
    if (r->g->how->waits && find_waits(r, notes, err) < 0)
        return -1;
    const uint64_t other_ns = r->events.calls_ns + r->events.tracer_ns + r->events.flushed_ns;
    r->events.interval_ns = (uint64_t)fmax(0, r->run->app_ns - (double)other_ns);
    return judge(r, &r->events, notes, err);
}

int mpg_scale_read_trace(struct scale_gather *g, struct scale_run *run, struct scale_notes *notes,
                         struct mpg_error *err)
{
    struct reading r = {.g = g, .run = run, .trace = mpg_trace_open(run->path, err)};
    if (!r.trace)
        return -1;
    const int status = read_all(&r, notes, err);
    mpg_trace_close(r.trace);
    for (size_t i = 0; i < r.stack_number; i++)
        free(r.stack[i].string);
    free(r.stack);
    return status;
}
