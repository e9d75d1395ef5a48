/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states: the times of streams (threads), and the begin of the operation that each call waits for (docs/MODEL.md,
 * section 9). */
#include "analyse/waits_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double ROUNDING_NS = 1e-3; /* shorter waits are rounding errors */

/* ---- making and clearing ---- */

struct mpg_waits *mpg_waits_new(int32_t ranks, const struct mpg_clock_map *clocks,
                                enum mpg_wait_times times, struct mpg_error *err)
{
    struct mpg_waits *w = calloc(1, sizeof *w);
    if (w) {
        w->ranks = ranks;
        w->clocks = clocks;
        w->times = times;
        w->run_ns = calloc((size_t)ranks, sizeof *w->run_ns);
        w->rank = calloc((size_t)ranks, sizeof *w->rank);
        if (w->run_ns && w->rank)
            return w;
    }
    mpg_waits_free(w);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_waits_restart(struct mpg_waits *w)
{
    mpg_map_clear(&w->begun);
    mpg_map_clear(&w->site_index);
    mpg_map_clear(&w->causes);
    memset(w->run_ns, 0, (size_t)w->ranks * sizeof *w->run_ns);
    memset(w->rank, 0, (size_t)w->ranks * sizeof *w->rank);
    memset(w->category, 0, sizeof w->category);
    memset(w->call, 0, sizeof w->call);
    w->regions = w->sites = w->substituted_count = 0;
    if (w->stream_capacity > 0)
        memset(w->stream, 0, w->stream_capacity * sizeof *w->stream);
    if (w->observer)
        w->observer->restart(w->observer->context);
}

void mpg_waits_observe(struct mpg_waits *w, const struct mpg_wait_observer *observer)
{
    w->observer = observer;
}

void mpg_waits_free(struct mpg_waits *w)
{
    if (!w)
        return;
    mpg_map_clear(&w->begun);
    mpg_map_clear(&w->site_index);
    mpg_map_clear(&w->causes);
    free(w->stream);
    free(w->slot);
    free(w->substituted);
    free(w->run_ns);
    free(w->rank);
    free(w->region);
    free(w->site);
    free(w);
}

/* ---- when messages were sent, where a call may receive another one ---- */

static int remember(struct mpg_waits *w, uint64_t message, double begun_ns, struct mpg_error *err)
{
    uint64_t *bits = mpg_map_add(&w->begun, message, 0);
    if (!bits)
        return mpg_error_set(err, "out of memory");
    memcpy(bits, &begun_ns, sizeof begun_ns);
    return 0;
}

static double recall(const struct mpg_waits *w, uint64_t message)
{
    const uint64_t *bits = mpg_map_find(&w->begun, message, 0);
    double begun_ns = -INFINITY;
    if (bits)
        memcpy(&begun_ns, bits, sizeof begun_ns);
    return begun_ns;
}

int mpg_waits_substitute(struct mpg_waits *w, const struct mpg_step *s, uint32_t i, uint64_t message,
                         struct mpg_error *err)
{
    const struct mpg_edge *e = &s->edges[i];
    w->slot[e->slot].begun_ns = recall(w, message);
    if (message == 0 || mpg_call_is_probe(s->call))
        return 0;
    if (mpg_reserve_at(&w->substituted, sizeof *w->substituted, &w->substituted_capacity, w->substituted_count + 1, err) < 0)
        return -1;
    w->substituted[w->substituted_count++] = message;
    return 0;
}

/* Forgets the sends of the messages that step S has received. */
static void forget_received(struct mpg_waits *w, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < w->substituted_count; i++)
        mpg_map_remove(&w->begun, w->substituted[i], 0);
    w->substituted_count = 0;
    for (uint32_t i = 0; i < s->edge_number && w->begun.count > 0; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && !s->edges[i].is_view &&
            !mpg_call_is_probe(s->call))
            mpg_map_remove(&w->begun, s->edges[i].message, 0);
}

/* ---- waits of a call ---- */

/* The latest operation that a call waits for: begin (-INFINITY: no operation) and stream of the operation. */
struct awaited {
    double at_ns;
    enum mpg_wait kind;
    uint32_t stream;
};

static void await(struct awaited *a, double at_ns, enum mpg_wait kind, const struct mpg_wait_origin *by)
{
    if (at_ns > a->at_ns || (at_ns == a->at_ns && kind < a->kind))
        *a = (struct awaited){at_ns, kind, by->stream};
}

static bool same_meeting(const struct mpg_edge *a, const struct mpg_edge *b)
{
    return a->kind == b->kind && a->meeting.rank == b->meeting.rank &&
           a->meeting.call == b->meeting.call && a->meeting.index == b->meeting.index;
}

/* S leaves a root's call, with an edge for each member of the collective from edge I on. Returns the slot of the member that
 * began first; *LAST: index of the last of these edges. */
static const struct waits_slot *first_member(const struct mpg_waits *w, const struct mpg_step *s, uint32_t i, uint32_t *last)
{
    const struct waits_slot *first = &w->slot[s->edges[i].slot];
    for (*last = i; *last < s->edge_number && same_meeting(&s->edges[i], &s->edges[*last]); ++*last)
        if (w->slot[s->edges[*last].slot].begun_ns < first->begun_ns)
            first = &w->slot[s->edges[*last].slot];
    --*last;
    return first;
}

static struct awaited find_awaited(const struct mpg_waits *w, const struct mpg_step *s)
{
    struct awaited a = {-INFINITY, MPG_WAIT_KINDS, 0};
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const struct waits_slot *slot = &w->slot[e->slot];
        switch (e->kind) {
        case MPG_EDGE_ARRIVAL:
        case MPG_EDGE_ENVELOPE:
            await(&a, slot->begun_ns, MPG_WAIT_LATE_SENDER, &slot->begun_by);
            break;
        case MPG_EDGE_ACK:
            await(&a, slot->posted_ns, MPG_WAIT_LATE_RECEIVER, &slot->posted_by);
            break;
        case MPG_EDGE_MEETING:
        case MPG_EDGE_MET:
            await(&a, slot->begun_ns, mpg_waits_of_meeting(e->call), &slot->begun_by);
            break;
        case MPG_EDGE_ROOT:
            await(&a, slot->begun_ns, MPG_WAIT_LATE_BROADCAST, &slot->begun_by);
            break;
        case MPG_EDGE_MEMBER:
            slot = first_member(w, s, i, &i);
            await(&a, slot->begun_ns, MPG_WAIT_EARLY_REDUCE, &slot->begun_by);
            break;
        case MPG_EDGE_HELD:
            break;
        }
    }
    return a;
}

/* ---- the observer ---- */

struct mpg_wait_origin mpg_waits_origin(const struct mpg_waits *w, const struct mpg_edge *e)
{
    const struct waits_slot *slot = &w->slot[e->slot];
    return e->kind == MPG_EDGE_ACK ? slot->posted_by : slot->begun_by;
}

/* Tells the observer that S leaves a call with the waits SUM at LEAVE_NS. Returns 0, or -1 with ERR. */
static int notify_leave(struct mpg_waits *w, const struct mpg_step *s, double leave_ns, const struct mpg_wait_sum *sum,
                      struct mpg_error *err)
{
    struct waits_stream *stream = &w->stream[s->stream];
    struct mpg_wait_event event = {.waits = w, .step = s, .sum = sum, .enter_ns = stream->at_ns, .leave_ns = leave_ns,
                                   .place = {s->call, stream->place.site}, .position = stream->position,
                                   .since = stream->since, .awaited_ns = -INFINITY};
    bool is_collective = false;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        const struct waits_slot *slot = &w->slot[e->slot];
        const double at_ns = e->kind == MPG_EDGE_ACK ? slot->posted_ns : slot->begun_ns;
        if (e->kind == MPG_EDGE_HELD)
            continue;
        is_collective = is_collective || (e->kind != MPG_EDGE_ACK && e->kind != MPG_EDGE_ARRIVAL && e->kind != MPG_EDGE_ENVELOPE);
        if (at_ns > event.awaited_ns) {
            event.awaited_ns = at_ns;
            event.awaited = mpg_waits_origin(w, e);
        }
    }
    const int status = w->observer->leave(w->observer->context, &event, err);
    if (is_collective)
        stream->since = stream->position;
    return status;
}

/* ---- steps ---- */

/* Returns the duration of the call that S leaves: DIFFERENCE_NS, the difference of two times; the traced duration if the two
 * differ only by rounding; at least 0. */
static double taken_ns(const struct mpg_waits *w, const struct mpg_step *s, double difference_ns)
{
    const double duration_ns = (double)s->duration_ns, error_ns = 2 * DBL_EPSILON * fabs(s->leave_ns);
    const bool is_exact = w->times == MPG_WAIT_TRACED && fabs(difference_ns - duration_ns) <= error_ns;
    return is_exact ? duration_ns : fmax(0, difference_ns);
}

/* Returns the time, ns, that the thread was off the CPU in a call of TOOK_NS, without WAIT_NS: a waiting thread may sleep, and
 * sleep counts as waiting. 0 for runs other than the traced run: off-CPU time is unknown. */
static double off_cpu_ns(const struct mpg_waits *w, const struct mpg_step *s, double took_ns, double wait_ns)
{
    if (w->times != MPG_WAIT_TRACED || s->call_off_ns == 0)
        return 0;
    return fmin((double)s->call_off_ns, fmax(0, took_ns - fmax(0, wait_ns)));
}

static int leave(struct mpg_waits *w, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    struct waits_stream *stream = &w->stream[s->stream];
    const struct awaited a = find_awaited(w, s);
    const double until_ns = w->times == MPG_WAIT_TRACED   ? s->leave_ns
                            : w->times == MPG_WAIT_DELAYS ? s->leave_ns + value_ns
                                                          : value_ns;
    const double took_ns = s->dropped && w->times != MPG_WAIT_TRACED ? 0 : taken_ns(w, s, until_ns - stream->at_ns);
    const double wait_ns = fmin(a.at_ns - stream->at_ns, took_ns);
    struct mpg_wait_sum one = {
        .calls = 1, .time_ns = took_ns, .off_cpu_ns = off_cpu_ns(w, s, took_ns, wait_ns)};
    if (wait_ns > ROUNDING_NS) {
        one.waited = 1;
        one.wait_ns[a.kind] = wait_ns;
    }
    /* In runs other than the traced run, the stream of the begin is unknown: a replica may receive a different message, and
     * collectives may be simulated as messages. */
    const int32_t for_rank = one.waited && w->times == MPG_WAIT_TRACED ? w->stream[a.stream].rank : -1;
    int status = mpg_waits_count(w, s, &one, for_rank, err);
    if (status == 0 && w->observer)
        status = notify_leave(w, s, until_ns, &one, err);
    stream = &w->stream[s->stream];
    stream->at_ns = until_ns;
    if (w->begun.count > 0)
        forget_received(w, s);
    return status;
}

static int enter(struct mpg_waits *w, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    struct waits_stream *stream = &w->stream[s->stream];
    const int64_t enter_ns = s->begin_ns + s->interval_ns + s->tracer_ns;
    stream->at_ns = w->times == MPG_WAIT_COMMON_CLOCK ? value_ns
                                               : mpg_clock_align(w->clocks, s->rank, enter_ns) +
                                                     (w->times == MPG_WAIT_DELAYS ? value_ns : 0);
    stream->rank = s->rank; /* some steps lack the rank */
    stream->place = s->to;
    stream->region = s->region;
    stream->position++;
    return w->observer ? w->observer->enter(w->observer->context, s, stream->at_ns,
                                            mpg_clock_align(w->clocks, s->rank, s->begin_ns), err)
                       : 0;
}

static int reserve_all(struct mpg_waits *w, const struct mpg_step *s, struct mpg_error *err)
{
    uint32_t slot = s->slot > s->a ? s->slot : s->a;
    slot = s->b > slot ? s->b : slot;
    return mpg_reserve_at(&w->stream, sizeof *w->stream, &w->stream_capacity, s->stream + 1, err) < 0 ||
                   mpg_reserve_at(&w->slot, sizeof *w->slot, &w->slot_capacity, slot + 1, err) < 0
               ? -1
               : 0;
}

int mpg_waits_take(struct mpg_waits *w, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    if (reserve_all(w, s, err) < 0)
        return -1;
    struct waits_slot *slot = &w->slot[s->slot];
    const struct waits_stream *stream = &w->stream[s->stream];
    const double now_ns = stream->at_ns;
    const struct mpg_wait_origin own = {s->stream, stream->position, stream->since};
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return enter(w, s, value_ns, err);
    case MPG_STEP_STORE:
        *slot = (struct waits_slot){now_ns, now_ns, own, own};
        break;
    case MPG_STEP_EAGER:
        *slot = (struct waits_slot){now_ns, now_ns, own, own};
        return s->is_followed ? remember(w, s->message, now_ns, err) : 0;
    case MPG_STEP_SYNCHRONOUS:
        *slot = (struct waits_slot){w->slot[s->a].begun_ns, w->slot[s->b].begun_ns, w->slot[s->a].begun_by,
                                    w->slot[s->b].begun_by};
        break;
    case MPG_STEP_CONTRIBUTE:
        *slot = w->slot[s->a];
        break;
    case MPG_STEP_MERGE: {
        const struct waits_slot later = w->slot[w->slot[s->b].begun_ns > w->slot[s->a].begun_ns ? s->b : s->a];
        slot->begun_ns = later.begun_ns;
        slot->begun_by = later.begun_by;
        break;
    }
    case MPG_STEP_VIEW:
        *slot = w->slot[s->a];
        return remember(w, s->message, slot->begun_ns, err);
    case MPG_STEP_LEAVE:
        return leave(w, s, value_ns, err);
    case MPG_STEP_FINISH:
        w->run_ns[s->rank] = w->times == MPG_WAIT_TRACED   ? (double)s->since_ns
                             : w->times == MPG_WAIT_DELAYS ? (double)s->since_ns + value_ns
                                                           : value_ns;
        break;
    case MPG_STEP_EXPORT: /* the graph is not divided */
    case MPG_STEP_IMPORT:
    case MPG_STEP_LOAD: /* the ENTER step that follows sets the stream's time */
    case MPG_STEP_JOIN:
        break;
    case MPG_STEP_EXPAND:
        return mpg_waits_expand(w, s, err);
    }
    return 0;
}
