/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the events of a run, and writes snapshots: events of no duration at the end of a stream's last event. */
#include "trace/pmpi/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "common/pool.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/comms.h"
#include "trace/pmpi/counts.h"
#include "trace/pmpi/facts.h"
#include "trace/pmpi/objects.h"
#include "trace/pmpi/open_regions.h"
#include "trace/pmpi/regions.h"
#include "trace/pmpi/sites.h"
#include "trace/pmpi/tracer.h"

/* A persistent request, from the call that made the request on. Readers number the collective and the partitioned requests of a
 * communicator: these are kept when they are freed. */
struct init {
    struct init *next, *prev;
    struct mpg_event event;
    int64_t persistent;
    int64_t *counts;  /* the event's list */
    uint64_t starts;  /* of a collective or partitioned request */
    int32_t number;   /* number of earlier collective requests of the communicator, or partitioned requests of the channel */
};

/* A receive from any source or with any tag, whose message is not known yet. */
struct wildcard {
    struct mpg_event event; /* as a call of MPI_Irecv or MPI_Start */
    int64_t request, persistent;
    int32_t comm;
};

static struct {
    struct init *first, *last; /* in the order of the calls */
    struct mpg_map index;      /* persistent request -> struct init * */
    struct mpg_map made;       /* communicator, or channel -> number of collective, or partitioned, requests made so far */
} inits;

static struct mpg_map wildcards; /* request -> struct wildcard * */
static struct mpg_pool wildcard_pool = {.size = sizeof(struct wildcard)};

static struct open_regions opened;

/* --- persistent requests --- */

/* Returns whether KIND makes requests that readers number. */
static bool is_numbered(enum mpg_kind kind)
{
    return kind == MPG_KIND_COLLECTIVE_INIT || kind == MPG_KIND_NEIGHBOR_INIT || kind == MPG_KIND_PSEND_INIT ||
           kind == MPG_KIND_PRECV_INIT;
}

static bool is_collective(enum mpg_kind kind)
{
    return kind == MPG_KIND_COLLECTIVE_INIT || kind == MPG_KIND_NEIGHBOR_INIT;
}

static struct init *find_init(int64_t persistent)
{
    const uint64_t *slot = mpg_map_find(&inits.index, (uint64_t)persistent, 0);
    return slot ? (struct init *)(uintptr_t)*slot : NULL;
}

/* Returns a copy of E, with E's counts; NULL: out of memory. */
static struct init *new_init(const struct mpg_event *e)
{
    struct init *init = calloc(1, sizeof *init);
    const size_t n = e->counts ? e->count_number : 0;
    if (!init || (n > 0 && !(init->counts = malloc(n * sizeof *init->counts)))) {
        free(init);
        return NULL;
    }
    if (n > 0)
        memcpy(init->counts, e->counts, n * sizeof *init->counts);
    init->event = *e;
    init->event.counts = init->counts;
    init->persistent = e->persistent[0];
    init->event.persistent = &init->persistent;
    init->event.value_number = 0;
    init->event.off_before_ns = init->event.off_in_ns = 0;
    return init;
}

/* Sets the number of INIT, which readers number. Returns false: out of memory. */
static bool number_init(struct init *init)
{
    const struct mpg_event *e = &init->event;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const uint64_t peer = (uint64_t)(uint32_t)(kind == MPG_KIND_PSEND_INIT ? e->to : e->from);
    uint64_t *made = is_collective(kind)
                         ? mpg_map_add(&inits.made, (uint64_t)e->comm, 0)
                         : mpg_map_add(&inits.made, (uint64_t)(uint32_t)e->comm << 32 | peer,
                                       (uint64_t)(uint32_t)e->tag << 2 | (kind == MPG_KIND_PSEND_INIT ? 1 : 2));
    if (made)
        init->number = (int32_t)(*made)++;
    return made != NULL;
}

static void keep_init(const struct mpg_event *e)
{
    struct init *init = new_init(e);
    uint64_t *slot = init ? mpg_map_add(&inits.index, (uint64_t)init->persistent, 0) : NULL;
    if (!slot || (is_numbered(mpg_call_kind(e->call)) && !number_init(init))) {
        tracer_out_of_memory();
        return;
    }
    *slot = (uint64_t)(uintptr_t)init;
    init->prev = inits.last;
    *(inits.last ? &inits.last->next : &inits.first) = init;
    inits.last = init;
}

static void forget_init(int64_t persistent)
{
    struct init *init = find_init(persistent);
    if (!init || is_numbered(mpg_call_kind(init->event.call)))
        return;
    *(init->prev ? &init->prev->next : &inits.first) = init->next;
    *(init->next ? &init->next->prev : &inits.last) = init->prev;
    mpg_map_remove(&inits.index, (uint64_t)persistent, 0);
    free(init->counts);
    free(init);
}

/* --- receives from any source --- */

/* Keeps REQUEST, a wildcard receive on COMM that E starts. PERSISTENT: its persistent request, or 0. */
static void keep_wildcard(const struct mpg_event *e, int64_t request, int64_t persistent, int32_t comm)
{
    struct wildcard *w = mpg_pool_take(&wildcard_pool);
    uint64_t *slot = w ? mpg_map_add(&wildcards, (uint64_t)request, 0) : NULL;
    if (!slot) {
        tracer_out_of_memory();
        return;
    }
    *slot = (uint64_t)(uintptr_t)w;
    *w = (struct wildcard){.event = *e, .request = request, .persistent = persistent, .comm = comm};
    w->event.requests = &w->request;
    w->event.request_number = 1;
    w->event.value_number = 0;
    w->event.off_before_ns = w->event.off_in_ns = 0;
    if (persistent) {
        w->event.persistent = &w->persistent;
        return;
    }
    if (mpg_call_kind(e->call) == MPG_KIND_ISENDRECV) { /* the send is counted */
        w->event.tag = e->recvtag;
        w->event.bytes = e->recvbytes;
    }
    w->event.call = MPG_CALL_Irecv;
}

/* Forgets REQUEST. Returns the communicator, if REQUEST is a wildcard receive, or MPG_NO_COMM. */
static int32_t forget_wildcard(int64_t request)
{
    const uint64_t *slot = mpg_map_find(&wildcards, (uint64_t)request, 0);
    struct wildcard *w = slot ? (struct wildcard *)(uintptr_t)*slot : NULL;
    if (!w)
        return MPG_NO_COMM;
    const int32_t comm = w->comm;
    mpg_map_remove(&wildcards, (uint64_t)request, 0);
    mpg_pool_give(&wildcard_pool, w);
    return comm;
}

/* E completes requests: counts receives whose message is now known, and forgets cancelled ones. */
static void complete(const struct mpg_event *e)
{
    if (wildcards.count == 0)
        return;
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        const struct mpg_resolution *r = &e->resolutions[i];
        counts_add(COUNT_RECEIVES, forget_wildcard(r->request), r->source, r->tag);
    }
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        (void)forget_wildcard(e->cancelled[i]);
}

/* --- starts of persistent requests --- */

static void start(const struct mpg_event *e)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct init *init = find_init(e->persistent[i]);
        if (!init)
            continue;
        const struct mpg_event *made = &init->event;
        const enum mpg_kind kind = mpg_call_kind(made->call);
        if (is_numbered(kind))
            init->starts++;
        else if (kind == MPG_KIND_SEND_INIT)
            counts_add(COUNT_SENDS, made->comm, made->to, made->tag);
        else if (made->any)
            keep_wildcard(e, e->requests[i], e->persistent[i], made->comm);
        else
            counts_add(COUNT_RECEIVES, made->comm, made->from, made->tag);
    }
}

/* Readers cannot match general active target synchronisation from the middle of a run. */
static void refuse(const struct mpg_event *e)
{
    struct mpg_error err, ignored;
    struct mpg_trace_writer *w = stream_thread.stream->writer;
    mpg_error_set(&err, "MPI_%s: only whole runs with this function can be recorded, without --last", mpg_call_name(e->call));
    if (facts_write(w, "incomplete", err.text, &ignored) == 0) /* otherwise readers say that the file could not be written */
        (void)mpg_trace_writer_flush(w, &ignored);
    mpg_trace_writer_stop(w);
    tracer_fail(&err);
}

void snapshot_follow(const struct mpg_event *e)
{
    if (e->failed)
        return;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_REGION_BEGIN:
        open_regions_begin(&opened, e->thread, e->string);
        break;
    case MPG_KIND_REGION_END:
        (void)open_regions_end(&opened, e->thread, e->string);
        break;
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        keep_init(e);
        break;
    case MPG_KIND_START:
        start(e);
        break;
    case MPG_KIND_COMPLETE:
        complete(e);
        break;
    case MPG_KIND_REQUEST_FREE:
        if (e->persistent)
            forget_init(e->persistent[0]);
        else if (e->request_number > 0)
            (void)forget_wildcard(e->requests[0]);
        break;
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
        refuse(e);
        break;
    default:
        counts_event(e);
        if (counts_is_wildcard(e))
            keep_wildcard(e, e->requests[0], 0, e->comm);
        break;
    }
}

/* --- writing --- */

/* Writes E at NOW_NS to this thread's stream, after the definitions that E needs. Returns 0, or -1 with ERR. */
static int write_event(struct mpg_event *e, int64_t now_ns, struct mpg_error *err)
{
    struct stream *stream = stream_thread.stream;
    if (e->comm >= 0)
        tracer_comm_define(e->comm);
    if (e->object != MPG_NO_OBJECT && !tracer_object_define(e->object))
        return mpg_error_set(err, "a window is not known any more");
    if (sites_define(e->site, err) < 0)
        return -1;
    e->thread = stream->thread;
    e->enter_ns = e->leave_ns = mpg_trace_writer_last_ns(stream->writer, now_ns);
    return mpg_trace_write_event(stream->writer, e, err);
}

static int write_regions(int64_t now_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < opened.count; i++) {
        if (opened.items[i].thread != stream_thread.stream->thread)
            continue;
        struct mpg_event e = open_region_event(&opened.items[i]);
        if (regions_define(e.string, err) < 0 || write_event(&e, now_ns, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes the number of starts of INIT, if readers number it (see Unrecorded in trace/event.h). */
static int write_starts(const struct init *init, int64_t now_ns, struct mpg_error *err)
{
    struct mpg_event e = counts_blank();
    const enum mpg_kind kind = mpg_call_kind(init->event.call);
    const int32_t peer = kind == MPG_KIND_PSEND_INIT ? init->event.to : init->event.from;
    if (init->starts == 0)
        return 0;
    e.comm = init->event.comm;
    e.bytes = (int64_t)init->starts;
    e.recvbytes = init->number + (int64_t)1;
    if (!is_collective(kind)) {
        e.to = MPG_PARTITIONED - peer;
        e.tag = init->event.tag;
        e.recvbytes = 2 * e.recvbytes + (kind == MPG_KIND_PSEND_INIT);
    }
    return !is_collective(kind) && peer < 0 ? 0 : write_event(&e, now_ns, err);
}

static int write_inits(int64_t now_ns, struct mpg_error *err)
{
    for (const struct init *init = inits.first; init; init = init->next) {
        struct mpg_event e = init->event;
        if (write_event(&e, now_ns, err) < 0 || write_starts(init, now_ns, err) < 0)
            return -1;
    }
    return 0;
}

static int write_wildcards(int64_t now_ns, struct mpg_error *err)
{
    for (size_t i = 0; i < wildcards.capacity; i++) {
        if (!wildcards.entries[i].used)
            continue;
        struct mpg_event e = ((const struct wildcard *)(uintptr_t)wildcards.entries[i].value)->event;
        if (write_event(&e, now_ns, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes the snapshot of STREAM; WHOLE: with the parts that concern all threads of the rank. The mark that recording goes on is
 * the last event. Returns 0, or -1 with ERR. */
static int write_stream(struct stream *stream, bool whole, int64_t now_ns, struct mpg_error *err)
{
    struct stream *own = stream_thread.stream;
    struct mpg_event mark = counts_blank();
    mark.bytes = 1;
    stream_thread.stream = stream;
    stream_forget_definitions(stream);
    int status = whole && counts_prune(err) < 0 ? -1 : 0;
    if (status == 0 && whole)
        status = write_inits(now_ns, err);
    if (status == 0 && whole)
        status = write_wildcards(now_ns, err) < 0 ? -1 : counts_write(write_event, now_ns, err);
    if (status == 0)
        status = write_regions(now_ns, err) < 0 ? -1 : write_event(&mark, now_ns, err);
    stream_thread.stream = own;
    if (status == 0)
        status = mpg_trace_writer_end_snapshot(stream->writer, err);
    stream_forget_definitions(stream);
    stream->last_ns = mpg_trace_writer_last_ns(stream->writer, stream->last_ns);
    return status;
}

/* Returns the stream whose last event ends first: what concerns all threads comes before all calls that are in progress. */
static const struct stream *earliest(int64_t now_ns)
{
    const struct stream *first = streams.first;
    for (const struct stream *s = streams.first; s; s = s->next)
        if (mpg_trace_writer_last_ns(s->writer, now_ns) < mpg_trace_writer_last_ns(first->writer, now_ns))
            first = s;
    return first;
}

int snapshot_write(int64_t now_ns, struct mpg_error *err)
{
    const struct stream *whole = earliest(now_ns);
    for (struct stream *s = streams.first; s; s = s->next)
        if (write_stream(s, s == whole, now_ns, err) < 0)
            return -1;
    return 0;
}

void snapshot_begin_stream(struct stream *stream)
{
    struct mpg_error err;
    if (write_stream(stream, false, clock_now_ns(), &err) < 0)
        tracer_fail(&err);
}
