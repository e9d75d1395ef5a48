/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the operations of events. A start of a persistent request is an operation described by the call making the request. */
#include "trace/excerpt/operations.h"

#include <stdlib.h>

#include "common/reserve.h"

/* A persistent request in the map: kind of operations in the low bits, then 1 + channel or meeting; a wildcard receive has its
 * communicator there, because each start names a channel. */
enum { KIND_BITS = 3, WILDCARD = MPG_OPERATION_NEVER + 1 };

void mpg_operations_begin(struct mpg_operations *o, const struct mpg_trace *trace, struct mpg_crossings *crossings, int32_t rank)
{
    mpg_map_clear(&o->persistent);
    mpg_map_clear(&o->made);
    mpg_map_clear(&o->counts);
    o->trace = trace;
    o->crossings = crossings;
    o->rank = rank;
    o->n = 0;
}

void mpg_operations_clear(struct mpg_operations *o)
{
    mpg_map_clear(&o->persistent);
    mpg_map_clear(&o->made);
    mpg_map_clear(&o->counts);
    free(o->list);
    o->list = NULL;
}

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static int add(struct mpg_operations *o, const struct mpg_operation *operation, struct mpg_error *err)
{
    if (mpg_reserve_at(&o->list, sizeof *o->list, &o->capacity, o->n + 1, err) < 0)
        return -1;
    o->list[o->n++] = *operation;
    return 0;
}

/* Returns the world rank of PEER in COMM, for this rank; negative: no process of this job. */
static int32_t world_rank(const struct mpg_operations *o, int32_t comm, int32_t peer)
{
    if (comm < 0 || comm >= mpg_trace_comm_count(o->trace) || peer < 0)
        return MPG_FOREIGN;
    const struct mpg_comm *c = mpg_trace_comm(o->trace, comm);
    int32_t me = 0;
    while (c->remote_size > 0 && me < c->size && c->world_ranks[me] != o->rank)
        me++;
    const bool is_remote = c->remote_size > 0 && me < c->size;
    if (peer >= (is_remote ? c->remote_size : c->size))
        return MPG_FOREIGN;
    return c->world_ranks[(is_remote ? c->size : 0) + peer];
}

/* Finds the channel between this rank and PEER. Returns 1; 0: there is none; -1 with ERR. */
static int find_channel(struct mpg_operations *o, bool sends, int32_t comm, int32_t peer, int32_t tag, uint32_t *channel,
                        struct mpg_error *err)
{
    const int32_t other = world_rank(o, comm, peer);
    if (other < 0)
        return 0;
    return mpg_crossings_channel(o->crossings, comm, sends ? o->rank : other, sends ? other : o->rank, tag, channel, err) < 0 ? -1
                                                                                                                          : 1;
}

static int message(struct mpg_operations *o, enum mpg_operation_kind kind, uint32_t item, int32_t comm, int32_t peer, int32_t tag,
                   struct mpg_error *err)
{
    struct mpg_operation operation = {.kind = kind, .item = item};
    const int found = find_channel(o, kind == MPG_OPERATION_SEND, comm, peer, tag, &operation.where, err);
    return found <= 0 ? found : add(o, &operation, err);
}

static int send(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    return message(o, MPG_OPERATION_SEND, 0, e->comm, e->to, e->tag, err);
}

static int receive(struct mpg_operations *o, const struct mpg_event *e, int32_t tag, struct mpg_error *err)
{
    return message(o, MPG_OPERATION_RECEIVE, 0, e->comm, e->from, tag, err);
}

/* --- collectives --- */

static int32_t members_of(const struct mpg_trace *trace, int32_t comm)
{
    const struct mpg_comm *c = mpg_trace_comm(trace, comm);
    int32_t n = 0;
    for (int32_t i = 0; i < c->size + c->remote_size; i++)
        n += c->world_ranks[i] >= 0;
    return n;
}

/* Adds the next collective of meeting WHERE; UNRECORDED > 0: the next UNRECORDED collectives, not recorded. */
static int meet(struct mpg_operations *o, uint32_t item, uint32_t where, uint64_t unrecorded, struct mpg_error *err)
{
    uint64_t *count = mpg_map_add(&o->counts, where, 0);
    if (!count)
        return out_of_memory(err);
    const struct mpg_operation operation = {
        .kind = MPG_OPERATION_MEET, .item = item, .where = where, .number = *count, .unrecorded = unrecorded};
    *count += unrecorded > 0 ? unrecorded : 1;
    return add(o, &operation, err);
}

/* As meet(), in a sequence of the collectives of COMM. */
static int meet_in(struct mpg_operations *o, enum mpg_sequence sequence, int32_t where, int32_t comm, uint64_t unrecorded,
                   struct mpg_error *err)
{
    uint32_t meeting;
    if (comm < 0 || comm >= mpg_trace_comm_count(o->trace))
        return 0;
    return mpg_crossings_meeting(o->crossings, sequence, where, 0, members_of(o->trace, comm), &meeting, err) < 0
               ? -1
               : meet(o, 0, meeting, unrecorded, err);
}

static int construct(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    return mpg_call_is_by_group(e->call) ? meet_in(o, MPG_SEQUENCE_GROUP, e->newcomm, e->newcomm, 0, err)
                                         : meet_in(o, MPG_SEQUENCE_COMM, e->comm, e->comm, 0, err);
}

static int meet_at_window(struct mpg_operations *o, const struct mpg_event *e, uint64_t unrecorded, struct mpg_error *err)
{
    return e->object == MPG_NO_OBJECT
               ? 0
               : meet_in(o, MPG_SEQUENCE_WINDOW, e->object, mpg_trace_object(o->trace, e->object)->comm, unrecorded, err);
}

/* --- pauses of recording --- */

static int skip_messages(struct mpg_operations *o, enum mpg_operation_kind kind, const struct mpg_event *e, int64_t n,
                         struct mpg_error *err)
{
    struct mpg_operation operation = {.kind = kind, .unrecorded = (uint64_t)n};
    if (n <= 0)
        return 0;
    const int found = find_channel(o, kind == MPG_OPERATION_SEND, e->comm, e->to, e->tag, &operation.where, err);
    return found <= 0 ? found : add(o, &operation, err);
}

/* Adds the starts of a persistent collective: number E->recvbytes, from 1, of the communicator. */
static int meet_persistent(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    uint32_t meeting;
    if (e->comm < 0 || e->comm >= mpg_trace_comm_count(o->trace) || e->recvbytes > INT32_MAX)
        return 0;
    return mpg_crossings_meeting(o->crossings, MPG_SEQUENCE_PERSISTENT, e->comm, (uint32_t)(e->recvbytes - 1),
                                 members_of(o->trace, e->comm), &meeting, err) < 0
               ? -1
               : meet(o, 0, meeting, (uint64_t)e->bytes, err);
}

/* Adds the starts of a partitioned request: the E->recvbytes / 2-th of the channel, which sends if E->recvbytes is odd. */
static int skip_partitioned(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_operation operation = {.unrecorded = (uint64_t)e->bytes};
    uint32_t paired;
    if (e->bytes <= 0 || e->recvbytes < 2 || e->recvbytes > INT32_MAX)
        return 0;
    const bool sends = e->recvbytes % 2;
    const int found = find_channel(o, sends, e->comm, MPG_PARTITIONED - e->to, e->tag, &paired, err);
    if (found <= 0)
        return found;
    operation.kind = sends ? MPG_OPERATION_SEND : MPG_OPERATION_RECEIVE;
    return mpg_crossings_pair(o->crossings, paired, (uint32_t)(e->recvbytes / 2 - 1), &operation.where, err) < 0
               ? -1
               : add(o, &operation, err);
}

/* Adds the operations counted by E. */
static int skip(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    if (e->to <= MPG_PARTITIONED)
        return skip_partitioned(o, e, err);
    if (e->to >= 0)
        return skip_messages(o, MPG_OPERATION_SEND, e, e->bytes, err) < 0
                   ? -1
                   : skip_messages(o, MPG_OPERATION_RECEIVE, e, e->recvbytes, err);
    if (e->bytes <= 0)
        return 0;
    if (e->recvbytes > 0)
        return meet_persistent(o, e, err);
    return e->object != MPG_NO_OBJECT ? meet_at_window(o, e, (uint64_t)e->bytes, err)
                                      : meet_in(o, MPG_SEQUENCE_COMM, e->comm, e->comm, (uint64_t)e->bytes, err);
}

/* --- persistent requests --- */

static int keep(struct mpg_operations *o, const struct mpg_event *e, uint64_t kind, uint64_t where, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&o->persistent, (uint64_t)e->persistent[0], 0);
    if (!slot)
        return out_of_memory(err);
    *slot = (where + 1) << KIND_BITS | kind;
    return 0;
}

static int keep_message(struct mpg_operations *o, const struct mpg_event *e, bool sends, struct mpg_error *err)
{
    uint32_t channel;
    if (e->any)
        return keep(o, e, WILDCARD, (uint64_t)(uint32_t)e->comm, err);
    const int found = find_channel(o, sends, e->comm, sends ? e->to : e->from, e->tag, &channel, err);
    return found <= 0 ? found : keep(o, e, sends ? MPG_OPERATION_SEND : MPG_OPERATION_RECEIVE, channel, err);
}

/* The n-th partitioned sends and receives made on a channel are a pair with a separate channel (MPI-4.0, section 4.2). */
static int keep_partitioned(struct mpg_operations *o, const struct mpg_event *e, bool sends, struct mpg_error *err)
{
    uint32_t paired, channel;
    const int found = find_channel(o, sends, e->comm, sends ? e->to : e->from, e->tag, &paired, err);
    if (found <= 0)
        return found;
    struct mpg_channel *pair = &o->crossings->channels[paired];
    const uint32_t n = sends ? pair->sender_inits++ : pair->receiver_inits++;
    return mpg_crossings_pair(o->crossings, paired, n, &channel, err) < 0
               ? -1
               : keep(o, e, sends ? MPG_OPERATION_SEND : MPG_OPERATION_RECEIVE, channel, err);
}

static int keep_collective(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    uint32_t meeting;
    if (e->comm < 0 || e->comm >= mpg_trace_comm_count(o->trace))
        return 0;
    uint64_t *made = mpg_map_add(&o->made, (uint64_t)e->comm, 0);
    if (!made)
        return out_of_memory(err);
    return mpg_crossings_meeting(o->crossings, MPG_SEQUENCE_PERSISTENT, e->comm, (uint32_t)(*made)++,
                                 members_of(o->trace, e->comm), &meeting, err) < 0
               ? -1
               : keep(o, e, MPG_OPERATION_MEET, meeting, err);
}

static bool is_cancelled(const struct mpg_event *e, int64_t request)
{
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        if (e->cancelled[i] == request)
            return true;
    return false;
}

/* Adds the wildcard receive started by start I of E. */
static int start_wildcard(struct mpg_operations *o, const struct mpg_event *e, uint32_t i, int32_t comm, struct mpg_error *err)
{
    for (uint32_t k = 0; k < e->resolution_number; k++)
        if (e->resolutions[k].request == e->requests[i])
            return message(o, MPG_OPERATION_RECEIVE, i, comm, e->resolutions[k].source, e->resolutions[k].tag, err);
    return add(o, &(struct mpg_operation){.kind = MPG_OPERATION_NEVER, .item = i}, err);
}

static int start(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const uint64_t *slot = mpg_map_find(&o->persistent, (uint64_t)e->persistent[i], 0);
        if (!slot || is_cancelled(e, e->requests[i]))
            continue;
        const uint64_t kind = *slot & ((1 << KIND_BITS) - 1), where = (*slot >> KIND_BITS) - 1;
        const struct mpg_operation operation = {.kind = (enum mpg_operation_kind)kind, .item = i, .where = (uint32_t)where};
        if ((kind == WILDCARD             ? start_wildcard(o, e, i, (int32_t)where, err)
             : kind == MPG_OPERATION_MEET ? meet(o, i, (uint32_t)where, 0, err)
                                          : add(o, &operation, err)) < 0)
            return -1;
    }
    return 0;
}

int mpg_operations_of(struct mpg_operations *o, const struct mpg_event *e, struct mpg_error *err)
{
    o->n = 0;
    if (e->failed)
        return 0;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_UNRECORDED:
        return skip(o, e, err);
    case MPG_KIND_SEND:
        return send(o, e, err);
    case MPG_KIND_ISEND:
        return e->cancelled_number ? 0 : send(o, e, err);
    case MPG_KIND_RECV:
        return receive(o, e, e->tag, err);
    case MPG_KIND_IRECV:
        return e->cancelled_number ? 0 : receive(o, e, e->tag, err);
    case MPG_KIND_SENDRECV:
        return send(o, e, err) < 0 ? -1 : receive(o, e, e->recvtag, err);
    case MPG_KIND_ISENDRECV:
        return e->cancelled_number ? 0 : send(o, e, err) < 0 ? -1 : receive(o, e, e->recvtag, err);
    case MPG_KIND_PROBE:
        return e->found ? message(o, MPG_OPERATION_PEEK, 0, e->comm, e->from, e->tag, err) : 0;
    case MPG_KIND_MPROBE:
        return e->found ? receive(o, e, e->tag, err) : 0;
    case MPG_KIND_SEND_INIT:
        return keep_message(o, e, true, err);
    case MPG_KIND_RECV_INIT:
        return keep_message(o, e, false, err);
    case MPG_KIND_PSEND_INIT:
        return keep_partitioned(o, e, true, err);
    case MPG_KIND_PRECV_INIT:
        return keep_partitioned(o, e, false, err);
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return keep_collective(o, e, err);
    case MPG_KIND_START:
        return start(o, e, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
        return meet_in(o, MPG_SEQUENCE_COMM, e->comm, e->comm, 0, err);
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
        return construct(o, e, err);
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
        return meet_at_window(o, e, 0, err);
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
        return mpg_error_set(err, "rank %d calls MPI_%s: no part of such a run can be taken", o->rank, mpg_call_name(e->call));
    default:
        return 0;
    }
}
