/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts operations during pauses of recording. */
#include "trace/pmpi/pauses.h"

#include <stdlib.h>

#include "common/map.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/comms.h"
#include "trace/pmpi/counts.h"
#include "trace/pmpi/last.h"
#include "trace/pmpi/open_regions.h"
#include "trace/pmpi/settings.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/values.h"
#include "trace/pmpi/visits.h"

/* Number of different counts above which they are written before the pause ends: programs may use a new tag for each message. */
enum { MOST_COUNTS = 8192 };
/* Directions of a persistent request; a wildcard receive is counted when its message is known. */
enum { PERSISTENT_SEND = 1, PERSISTENT_RECEIVE, PERSISTENT_WILDCARD, PERSISTENT_BITS = 2 };

struct pauses pauses = {.next_ns = INT64_MAX, .for_ns = INT64_MAX};

/* An operation of a persistent request. */
struct persistent {
    int32_t comm, peer, tag;
    int how;
};

static struct mpg_map wildcards;  /* request posted during a pause -> 1 + communicator */
static struct mpg_map persistent; /* persistent request -> struct persistent *, of the whole run */

static struct open_regions opened; /* regions that began during this pause */

/* Remembers that REQUEST, a wildcard receive on COMM, was posted during a pause. */
static void post_wildcard(int64_t request, int32_t comm)
{
    uint64_t *slot = mpg_map_add(&wildcards, (uint64_t)request, 0);
    if (slot)
        *slot = (uint64_t)comm + 1;
    else
        tracer_out_of_memory();
}

static void keep_persistent(const struct mpg_event *e, bool sends)
{
    uint64_t *slot = mpg_map_add(&persistent, (uint64_t)e->persistent[0], 0);
    struct persistent *p = slot ? malloc(sizeof *p) : NULL;
    if (!p) {
        tracer_out_of_memory();
        return;
    }
    free((struct persistent *)(uintptr_t)*slot);
    *p = (struct persistent){.comm = e->comm, .peer = sends ? e->to : e->from, .tag = e->tag,
                             .how = sends ? PERSISTENT_SEND : e->any ? PERSISTENT_WILDCARD : PERSISTENT_RECEIVE};
    *slot = (uint64_t)(uintptr_t)p;
}

static void forget_persistent(const struct mpg_event *e)
{
    uint64_t *slot = e->persistent ? mpg_map_find(&persistent, (uint64_t)e->persistent[0], 0) : NULL;
    if (!slot)
        return;
    free((struct persistent *)(uintptr_t)*slot);
    mpg_map_remove(&persistent, (uint64_t)e->persistent[0], 0);
}

static void start_persistent(const struct mpg_event *e)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const uint64_t *slot = mpg_map_find(&persistent, (uint64_t)e->persistent[i], 0);
        const struct persistent *p = slot ? (const struct persistent *)(uintptr_t)*slot : NULL;
        if (!p)
            continue;
        if (p->how == PERSISTENT_WILDCARD)
            post_wildcard(e->requests[i], p->comm);
        else
            counts_add(p->how == PERSISTENT_SEND ? COUNT_SENDS : COUNT_RECEIVES, p->comm, p->peer, p->tag);
    }
}

/* --- events of a pause --- */

/* Lets the next event of STREAM be after what the writer has written by itself: flushes. */
static int follow_writer(struct stream *stream, struct mpg_error *err)
{
    const struct mpg_work none = {.enter_ns = 0};
    return mpg_trace_writer_worked(stream->writer, &none, &stream->last_ns, err);
}

/* Writes E, at TIME_NS or after the last event, to this thread's stream. */
static void write_unrecorded(struct mpg_event *e, int64_t time_ns)
{
    struct mpg_error err;
    struct stream *stream = stream_thread.stream;
    if (e->comm >= 0)
        tracer_comm_define(e->comm);
    /* A flush comes before E has its time: E would be earlier than a flush that makes room for E. */
    int status = mpg_trace_writer_is_full(stream->writer) ? mpg_trace_writer_flush(stream->writer, &err) : 0;
    status = status < 0 ? -1 : follow_writer(stream, &err);
    e->thread = stream->thread;
    e->enter_ns = e->leave_ns = time_ns > stream->last_ns ? time_ns : stream->last_ns;
    stream->last_ns = e->leave_ns;
    stream->last_thread = NULL; /* no interval, and no time off the CPU, before the next event */
    if (status < 0 || mpg_trace_write_event(stream->writer, e, &err) < 0 || follow_writer(stream, &err) < 0)
        stream_fail(&err);
}

/* Writes that recording pauses at TIME_NS, or GOES_ON. */
static void write_edge(int64_t time_ns, bool goes_on)
{
    struct mpg_event e = counts_blank();
    e.bytes = goes_on;
    write_unrecorded(&e, time_ns);
}

static int write_count(struct mpg_event *e, int64_t now_ns, struct mpg_error *err)
{
    (void)err; /* write_unrecorded() reports */
    write_unrecorded(e, now_ns);
    return 0;
}

/* Writes all counts, and begins new ones; readers add the counts of a pause. */
static void write_counts(int64_t now_ns)
{
    struct mpg_error ignored;
    (void)counts_write(write_count, now_ns, &ignored);
    counts_clear();
}

/* Notes E, the begin or end of a region during a pause. Returns whether E is to be written: the end of a region that began
 * before the pause. */
static bool note_region(const struct mpg_event *e)
{
    const uint32_t thread = stream_thread.stream->thread;
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_END)
        return !open_regions_end(&opened, thread, OPEN_REGION_ANY);
    open_regions_begin(&opened, thread, e->string);
    return false;
}

/* Writes the begins of the regions that this thread has begun during the pause and not ended, at NOW_NS. The caller must not
 * write to other threads' streams: their open regions are not recorded. */
static void write_regions(int64_t now_ns)
{
    for (size_t i = 0; i < opened.count; i++) {
        if (opened.items[i].thread != stream_thread.stream->thread)
            continue;
        struct mpg_event e = open_region_event(&opened.items[i]);
        write_unrecorded(&e, now_ns);
    }
    opened.count = 0;
}

/* Writes, once, the fact that the trace has pauses. */
static int note_pauses(struct mpg_error *err)
{
    static bool noted;
    struct mpg_trace_writer *writer = streams.first->writer;
    if (noted)
        return 0;
    noted = true;
    return mpg_trace_write_fact(writer, "pauses", "yes", err) < 0 ? -1 : mpg_trace_writer_flush(writer, err);
}

void pauses_begin(int64_t now_ns)
{
    struct mpg_error err;
    if (pauses.on)
        return;
    if (mpg_trace_end_sums(tracer_writer(), &err) < 0 || note_pauses(&err) < 0)
        tracer_fail(&err);
    pauses.on = true;
    write_edge(now_ns, false);
}

void pauses_end(int64_t now_ns)
{
    if (!pauses.on)
        return;
    pauses.on = false;
    write_regions(now_ns);
    write_edge(now_ns, true);
    write_counts(now_ns);
    if (values_number)
        values_leave();
}

void pauses_finish(void)
{
    pauses.on = false;
}

static int64_t later(int64_t time_ns, int64_t span_ns)
{
    return span_ns < INT64_MAX - time_ns ? time_ns + span_ns : INT64_MAX;
}

bool pauses_turn(int64_t now_ns)
{
    if (!tracer_lock())
        return false;
    if (last_is_on()) {
        last_turn(now_ns);
        tracer_unlock();
        return true;
    }
    const int64_t due_ns = pauses.next_ns;
    if (now_ns >= due_ns) {
        pauses.next_ns = pauses.on ? later(now_ns, pauses.for_ns) : INT64_MAX;
        if (pauses.on)
            pauses_end(now_ns); /* not earlier: a call may have been in progress when it was due */
        else
            pauses_begin(due_ns);
    }
    tracer_unlock();
    return false;
}

void pauses_start(int rank, int64_t init_ns)
{
    if (last_is_on())
        return;
    if (visits_limit()) {
        pauses.is_given = true;
        if (!visits_inside())
            pauses_begin(init_ns);
        return;
    }
    const int64_t after_ns = setting_number("MPGTRACE_AFTER", SETTING_INT, 0, INT64_MAX, 0, rank);
    const int64_t for_ns = setting_number("MPGTRACE_FOR", SETTING_INT, 1, INT64_MAX, INT64_MAX, rank);
    pauses.is_given = after_ns > 0 || for_ns < INT64_MAX;
    pauses.next_ns = later(init_ns, after_ns > 0 ? after_ns : for_ns);
    pauses.for_ns = for_ns;
    if (after_ns > 0)
        pauses_begin(init_ns);
}

void pauses_note(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND_INIT:
        keep_persistent(e, true);
        break;
    case MPG_KIND_RECV_INIT:
        keep_persistent(e, false);
        break;
    case MPG_KIND_REQUEST_FREE:
        forget_persistent(e);
        break;
    default:
        break;
    }
}

/* --- calls during a pause --- */

/* Counts the receives that E completes, if they were posted with wildcards during a pause. Returns whether E completes wildcard
 * receives that were posted, and recorded, before the pause. */
static bool count_wildcards(const struct mpg_event *e)
{
    bool others = false;
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        const uint64_t *slot = mpg_map_find(&wildcards, (uint64_t)e->resolutions[i].request, 0);
        others = others || !slot;
        if (!slot)
            continue;
        counts_add(COUNT_RECEIVES, (int32_t)(*slot - 1), e->resolutions[i].source, e->resolutions[i].tag);
        mpg_map_remove(&wildcards, (uint64_t)e->resolutions[i].request, 0);
    }
    return others;
}

void pauses_complete(const struct mpg_event *e, int64_t now_ns)
{
    if (wildcards.count == 0)
        return;
    (void)count_wildcards(e);
    write_counts(now_ns);
}

bool pauses_count(const struct mpg_event *e)
{
    if (e->failed)
        return false;
    if (counts_number() >= MOST_COUNTS)
        write_counts(clock_now_ns());
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_REGION_BEGIN:
    case MPG_KIND_REGION_END:
        return note_region(e);
    case MPG_KIND_START:
        start_persistent(e);
        break;
    case MPG_KIND_COMPLETE:
        return count_wildcards(e); /* readers need the message of a recorded receive, to count it */
    case MPG_KIND_REQUEST_FREE:
        return e->persistent != NULL;
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_FINALIZE:
        return true;
    default:
        counts_event(e);
        if (counts_is_wildcard(e))
            post_wildcard(e->requests[0], e->comm);
        break;
    }
    return false;
}
