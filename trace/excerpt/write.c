/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second pass: writes an excerpt. Each rank's excerpt begins with an MPI_Init of no duration, the open regions and the calls
 * making persistent requests, and ends with calls of no duration completing open requests, and MPI_Finalize. */
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "trace/copy/copy.h"
#include "trace/excerpt/fit.h"
#include "trace/excerpt/place.h"

/* A thread of the rank. */
struct thread {
    int64_t read_ns;  /* leave of the last event read; INT64_MIN: none */
    int64_t wrote_ns; /* leave of the last event written; INT64_MIN: none */
};

struct writing {
    struct mpg_trace *trace;
    struct mpg_crossings *crossings;
    struct mpg_copy *copy;
    const char *fact;
    const struct mpg_edges *edges; /* of the rank */
    int32_t rank;
    struct mpg_operations operations;
    struct mpg_open open;
    struct mpg_fitted_lists lists;
    struct thread *threads;
    uint32_t thread_count, thread_capacity;
    bool begun, initialised, finalised, finalised_before; /* the last: MPI_Finalize is before the excerpt */
    uint64_t edge_calls; /* calls marked as failed */
};

static struct thread *find_thread(struct writing *x, uint32_t thread, struct mpg_error *err)
{
    if (mpg_reserve_at(&x->threads, sizeof *x->threads, &x->thread_capacity, thread + 1, err) < 0)
        return NULL;
    for (; x->thread_count <= thread; x->thread_count++)
        x->threads[x->thread_count] = (struct thread){INT64_MIN, INT64_MIN};
    return &x->threads[thread];
}

static int put(struct writing *x, const struct mpg_event *e, struct mpg_error *err)
{
    struct thread *t = find_thread(x, e->thread, err);
    if (!t)
        return -1;
    t->wrote_ns = e->leave_ns;
    return mpg_copy_event(x->copy, e, err);
}

/* Returns a call of no duration at TIME_NS, without arguments. */
static struct mpg_event call_at(enum mpg_call call, int64_t time_ns)
{
    return (struct mpg_event){.enter_ns = time_ns, .leave_ns = time_ns, .call = call, .site = MPG_NO_SITE, .comm = MPG_NO_COMM,
                              .newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT, .found = true};
}

static int put_call(struct writing *x, enum mpg_call call, int64_t time_ns, struct mpg_error *err)
{
    const struct mpg_event e = call_at(call, time_ns);
    return put(x, &e, err);
}

static int put_mark(struct writing *x, enum mpg_call call, const struct mpg_open_region *region, int64_t time_ns,
                    struct mpg_error *err)
{
    struct mpg_event e = call_at(call, time_ns);
    e.thread = region->thread;
    e.string = region->string;
    return put(x, &e, err);
}

/* --- the edges --- */

/* Begins the rank's excerpt at the rank's edge; nothing without an edge. */
static int begin(struct writing *x, struct mpg_error *err)
{
    const int64_t begin_ns = x->edges->begin_ns;
    int status = 0;
    x->begun = true;
    if (begin_ns == INT64_MIN)
        return 0;
    x->initialised = true;
    status = put_call(x, MPG_CALL_Init, begin_ns, err);
    for (size_t i = 0; i < x->open.region_count && status == 0; i++)
        status = put_mark(x, MPG_CALL_Region_begin, &x->open.regions[i], begin_ns, err);
    for (size_t i = 0; i < x->open.init_count && status == 0; i++) {
        struct mpg_event e = x->open.inits[i].event;
        e.enter_ns = e.leave_ns = begin_ns;
        e.off_before_ns = e.off_in_ns = 0;
        e.value_number = 0;
        e.thread = 0;
        e.persistent = &x->open.inits[i].persistent;
        e.counts = x->open.inits[i].counts;
        status = put(x, &e, err);
    }
    return status;
}

/* Receives the matched messages left unreceived by the excerpt. */
static int receive_matched(struct writing *x, int64_t end_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < x->open.matched_count; i++) {
        const struct mpg_event *probe = &x->open.matched[i].event;
        struct mpg_event e = call_at(MPG_CALL_Mrecv, end_ns);
        e.comm = probe->comm;
        e.from = probe->from;
        e.tag = probe->tag;
        e.bytes = probe->bytes;
        e.message = probe->message;
        if (x->open.matched[i].origin == MPG_ORIGIN_INSIDE && put(x, &e, err) < 0)
            return -1;
    }
    return 0;
}

/* Completes the requests left open by the excerpt. */
static int complete_requests(struct writing *x, int64_t end_ns, struct mpg_error *err)
{
    int64_t *list = NULL;
    const int64_t n = mpg_open_list(&x->open, &list, err);
    int status = n < 0 ? -1 : 0;
    if (n > 0) {
        struct mpg_event e = call_at(MPG_CALL_Waitall, end_ns);
        e.requests = list;
        e.request_number = (uint32_t)n;
        e.done_all = true;
        status = put(x, &e, err);
    }
    free(list);
    return status;
}

/* Ends the rank's excerpt at the rank's edge, before which the rank has not ended. */
static int cut(struct writing *x, struct mpg_error *err)
{
    const int64_t end_ns = x->edges->end_ns;
    int status = x->initialised ? 0 : put_call(x, MPG_CALL_Init, end_ns, err);
    if (status == 0)
        status = receive_matched(x, end_ns, err);
    if (status == 0)
        status = complete_requests(x, end_ns, err);
    for (size_t i = x->open.region_count; i > 0 && status == 0; i--)
        status = put_mark(x, MPG_CALL_Region_end, &x->open.regions[i - 1], end_ns, err);
    return status == 0 ? put_call(x, MPG_CALL_Finalize, end_ns, err) : status;
}

/* Writes the deaths of threads of the rank as facts; with the call of a death, if the call began in the excerpt. */
static int write_deaths(struct writing *x, struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0; i < mpg_trace_threads(x->trace, x->rank) && status == 0; i++) {
        const uint32_t thread = mpg_trace_thread(x->trace, x->rank, i);
        enum mpg_call call;
        int64_t enter_ns;
        char value[96];
        if (!mpg_trace_died(x->trace, x->rank, thread, &call, &enter_ns))
            continue;
        if (call != MPG_CALL_COUNT && enter_ns >= x->edges->begin_ns && enter_ns < x->edges->end_ns)
            snprintf(value, sizeof value, "%u %s %lld", thread, mpg_call_name(call), (long long)enter_ns);
        else
            snprintf(value, sizeof value, "%u", thread);
        status = mpg_copy_fact(x->copy, "died", value, err);
    }
    return status;
}

/* Ends the rank's excerpt. IS_CUT: the rank has events after the excerpt. A rank ended before the excerpt is in the excerpt,
 * without calls. */
static int end(struct writing *x, bool is_cut, struct mpg_error *err)
{
    if (!x->begun && begin(x, err) < 0)
        return -1;
    if (x->finalised)
        return 0;
    if (x->finalised_before)
        return put_call(x, MPG_CALL_Finalize, x->edges->begin_ns, err);
    return is_cut ? cut(x, err) : write_deaths(x, err);
}

/* --- events in the excerpt --- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Cuts the times of E at the edges. T: the thread of E. VALUES: room for E's values. */
static void cut_times(const struct writing *x, const struct thread *t, int64_t *values, struct mpg_event *e)
{
    const int64_t begin_ns = x->edges->begin_ns, entered_ns = e->enter_ns;
    e->enter_ns = later(entered_ns, begin_ns);
    e->leave_ns = later(e->enter_ns, earlier(e->leave_ns, x->edges->end_ns));
    e->off_in_ns = earlier(e->off_in_ns, e->leave_ns - e->enter_ns);
    if (t->wrote_ns == INT64_MIN)
        e->off_before_ns = 0;
    else
        e->off_before_ns = earlier(e->off_before_ns, e->enter_ns - t->wrote_ns);
    if (t->read_ns >= begin_ns || begin_ns == INT64_MIN || t->read_ns == INT64_MIN || e->value_number == 0)
        return;
    /* Only a part of the interval before E is in the excerpt: the values measured over the interval are reduced in proportion. */
    const double share = entered_ns > begin_ns ? (double)(entered_ns - begin_ns) / (double)(entered_ns - t->read_ns) : 0;
    for (uint32_t i = 0; i < e->value_number; i++)
        values[i] = (int64_t)(share * (double)e->values[i]);
    e->values = values;
}

/* Returns whether E aggregates calls from before the excerpt, too: the calls' times are not known. */
static bool begins_before(const struct writing *x, const struct mpg_event *e)
{
    return e->sum.calls > 0 && x->edges->begin_ns != INT64_MIN && e->sum.time_ns > e->enter_ns - x->edges->begin_ns;
}

static int write_inside(struct writing *x, const struct mpg_event *read, struct mpg_error *err)
{
    struct thread *t = find_thread(x, read->thread, err);
    struct mpg_event e = *read;
    int64_t values[64];
    if (!t)
        return -1;
    if (begins_before(x, read) || mpg_call_kind(read->call) == MPG_KIND_UNRECORDED)
        return 0;
    const enum mpg_kind kind = mpg_call_kind(e.call);
    x->initialised = x->initialised || kind == MPG_KIND_INIT;
    x->finalised = x->finalised || (kind == MPG_KIND_FINALIZE && !e.failed);
    if (e.value_number <= sizeof values / sizeof *values)
        cut_times(x, t, values, &e);
    if (mpg_excerpt_fit(x->crossings, &x->operations,
                        mpg_messages_are_before(x->edges, read, mpg_trace_threads(x->trace, x->rank)), &x->open, &x->lists, &e,
                        err) < 0)
        return -1;
    x->edge_calls += e.failed && !read->failed;
    return put(x, &e, err);
}

/* Notes E, an event before the excerpt. */
static int skip(struct writing *x, const struct mpg_event *e, struct mpg_error *err)
{
    if (e->failed)
        return 0;
    for (uint32_t i = 0; i < e->request_number && mpg_kind_makes_requests(mpg_call_kind(e->call)); i++)
        if (mpg_open_note_request(&x->open, e->requests[i], MPG_ORIGIN_BEFORE, err) < 0)
            return -1;
    x->finalised_before = x->finalised_before || mpg_call_kind(e->call) == MPG_KIND_FINALIZE;
    return mpg_open_note(&x->open, e, MPG_ORIGIN_BEFORE, err);
}

/* Notes all events before the excerpt, of a rank with several threads: a call in the excerpt may have begun before other threads'
 * events before the excerpt. */
static int skip_all(struct writing *x, struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(x->trace, x->rank, err);
    const struct mpg_event *e;
    int more = cursor ? 1 : -1, status = 0;
    while (status == 0 && more > 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0 && e->enter_ns <= x->edges->begin_ns)
        status = mpg_place_of(x->edges, e) == MPG_BEFORE ? skip(x, e, err) : 0;
    mpg_cursor_close(cursor);
    return more < 0 ? -1 : status;
}

static int write_events(struct writing *x, struct mpg_cursor *cursor, struct mpg_error *err)
{
    const bool has_threads = mpg_trace_threads(x->trace, x->rank) > 1;
    if (has_threads && skip_all(x, err) < 0)
        return -1;
    const struct mpg_event *e;
    int more = 0, status = 0;
    while (status == 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        const enum mpg_place place = mpg_place_of(x->edges, e);
        struct thread *t = find_thread(x, e->thread, err);
        if (!t || (place != MPG_BEFORE && !x->begun && begin(x, err) < 0))
            return -1;
        if (place == MPG_AFTER)
            break;
        if (mpg_operations_of(&x->operations, e, err) < 0)
            return -1;
        if (place == MPG_BEFORE)
            status = has_threads ? 0 : skip(x, e, err);
        else
            status = write_inside(x, e, err);
        t = &x->threads[e->thread];
        t->read_ns = e->leave_ns;
    }
    return status < 0 || more < 0 ? -1 : end(x, more > 0, err);
}

/* --- ranks --- */

/* Returns whether fact KEY of the trace is a fact of the excerpt. Sums over the whole run are not. Deaths are written where the
 * rank's excerpt ends. */
static bool is_kept(const char *key)
{
    static const char *const others[] = {"died", "pauses", "last", "excerpt", "excerpt_edge_calls",
                                         "overhead_calls_ns", "flushed_stacks_ns", "overhead_stacks_ns",
                                         "off_cpu_intervals_ns", "off_cpu_calls_ns", "cpu_user_ns", "cpu_system_ns",
                                         "switches_voluntary", "switches_involuntary", "page_faults", "runqueue_wait_ns",
                                         "steal_ns", "throttled_ns"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return true;
}

static int write_facts(struct writing *x, struct mpg_error *err)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(x->trace, x->rank, i, &key, &value); i++)
        if (is_kept(key) && mpg_copy_fact(x->copy, key, value, err) < 0)
            return -1;
    return x->rank == 0 ? mpg_copy_fact(x->copy, "excerpt", x->fact, err) : 0;
}

static int write_edge_calls(struct writing *x, struct mpg_error *err)
{
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)x->edge_calls);
    return x->edge_calls ? mpg_copy_fact(x->copy, "excerpt_edge_calls", number, err) : 0;
}

static int write_rank(struct writing *x, bool last, struct mpg_error *err)
{
    struct mpg_cursor *cursor = mpg_cursor_open(x->trace, x->rank, err);
    x->begun = x->initialised = x->finalised = x->finalised_before = false;
    x->edge_calls = 0;
    x->thread_count = 0;
    mpg_open_clear(&x->open);
    mpg_operations_begin(&x->operations, x->trace, x->crossings, x->rank);
    int status = cursor && mpg_copy_begin(x->copy, x->rank, err) == 0 && write_facts(x, err) == 0 ? 0 : -1;
    for (uint32_t i = 0; i < mpg_trace_threads(x->trace, x->rank) && status == 0; i++)
        status = mpg_copy_thread(x->copy, mpg_trace_thread(x->trace, x->rank, i), err);
    if (status == 0)
        status = write_events(x, cursor, err);
    mpg_cursor_close(cursor);
    if (status == 0)
        status = write_edge_calls(x, err);
    return status == 0 ? mpg_copy_end(x->copy, last, err) : status;
}

int mpg_excerpt_write(struct mpg_trace *trace, const struct mpg_edges *edges, struct mpg_crossings *crossings,
                      const char *fact, int fd, const char *name, struct mpg_error *err)
{
    struct writing x = {.trace = trace, .crossings = crossings, .fact = fact, .copy = mpg_copy_new_file(trace, fd, name, err)};
    int status = x.copy ? 0 : -1;
    mpg_crossings_restart(crossings);
    for (x.rank = 0; x.rank < mpg_trace_ranks(trace) && status == 0; x.rank++) {
        x.edges = &edges[x.rank];
        status = write_rank(&x, x.rank == mpg_trace_ranks(trace) - 1, err);
    }
    mpg_operations_clear(&x.operations);
    mpg_open_clear(&x.open);
    mpg_fitted_lists_clear(&x.lists);
    free(x.threads);
    mpg_copy_free(x.copy);
    return status;
}
