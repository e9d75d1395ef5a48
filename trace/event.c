/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and kinds of MPI calls, from trace/calls.def. */
#include "trace/event.h"

#include <pthread.h>
#include <string.h>

static const char *const names[] = {
#define MPG_CALL(name, kind, result, parameters) #name,
#define MPG_LARGE(name) #name "_c",
#include "trace/calls.def"
#undef MPG_CALL
};

/* The result of mpg_call_kind() for each call. */
const uint8_t mpg_call_kinds[MPG_CALL_COUNT] = {
#define MPG_CALL(name, kind, result, parameters) MPG_KIND_##kind,
#define MPG_LARGE(name) MPG_KIND_OF_##name,
#include "trace/calls.def"
#undef MPG_CALL
};

/* The result of mpg_call_plain() for each call. */
const uint16_t mpg_call_plains[MPG_CALL_COUNT] = {
#define MPG_CALL(name, kind, result, parameters) MPG_CALL_##name,
#define MPG_LARGE(name) MPG_CALL_##name,
#include "trace/calls.def"
#undef MPG_CALL
};

const char *mpg_call_name(enum mpg_call call)
{
    return names[call];
}

const char *mpg_call_prefix(enum mpg_call call)
{
    return call < MPG_CALL_Init || call == MPG_CALL_Unknown ? "" : "MPI_";
}

/* A hash table of all names: 1 + the call; 0: empty. Filled once. */
enum { NAME_PLACES = 2048 };
static uint16_t call_at[NAME_PLACES];
_Static_assert(MPG_CALL_COUNT < NAME_PLACES / 2, "look-ups end early");

/* Returns where NAME is in the table, or the empty place where it belongs. */
static uint32_t find_name(const char *name)
{
    uint32_t hash = 2166136261; /* FNV-1a */
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619;
    uint32_t place = hash % NAME_PLACES;
    while (call_at[place] && strcmp(names[call_at[place] - 1], name) != 0)
        place = (place + 1) % NAME_PLACES;
    return place;
}

static void fill_names(void)
{
    for (int i = 0; i < MPG_CALL_COUNT; i++) {
        const uint32_t place = find_name(names[i]);
        if (!call_at[place])
            call_at[place] = (uint16_t)(i + 1);
    }
}

enum mpg_call mpg_call_by_name(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_names);
    const uint16_t found = call_at[find_name(name)];
    return found ? (enum mpg_call)(found - 1) : MPG_CALL_COUNT;
}

bool mpg_kind_has_neighbors(enum mpg_kind kind)
{
    return kind == MPG_KIND_NEIGHBOR || kind == MPG_KIND_INEIGHBOR || kind == MPG_KIND_NEIGHBOR_INIT;
}

bool mpg_call_may_lack_comm(enum mpg_call call)
{
    enum mpg_kind kind = mpg_call_kind(call);
    return kind == MPG_KIND_UNRECORDED || kind == MPG_KIND_DYNAMIC || kind == MPG_KIND_MRECV || kind == MPG_KIND_IMRECV ||
           call == MPG_CALL_Comm_create_from_group || call == MPG_CALL_Intercomm_create_from_groups;
}

bool mpg_sum_is_consistent(const struct mpg_sum *s)
{
    const int64_t limit = INT64_MAX / 4;
    return s->calls > 0 && s->calls <= limit && s->min_ns >= 0 && s->time_ns <= limit &&
           s->time_ns / s->calls >= s->min_ns &&
           s->time_ns / s->calls + (s->time_ns % s->calls > 0) <= s->max_ns &&
           s->max_ns <= limit;
}

bool mpg_call_is_synchronous(enum mpg_call call)
{
    call = mpg_call_plain(call);
    return call == MPG_CALL_Ssend || call == MPG_CALL_Issend || call == MPG_CALL_Ssend_init;
}

bool mpg_call_is_standard(enum mpg_call call)
{
    switch (mpg_call_plain(call)) {
    case MPG_CALL_Send:
    case MPG_CALL_Isend:
    case MPG_CALL_Sendrecv:
    case MPG_CALL_Sendrecv_replace:
    case MPG_CALL_Isendrecv:
    case MPG_CALL_Isendrecv_replace:
    case MPG_CALL_Send_init:
    case MPG_CALL_Psend_init:
        return true;
    default:
        return false;
    }
}

enum mpg_call mpg_call_blocking(enum mpg_call call)
{
    call = mpg_call_plain(call);
    switch (call) {
#define TWIN(name, twin) \
    case MPG_CALL_##name: \
        return MPG_CALL_##twin;
        TWIN(Iallgather, Allgather) TWIN(Iallgatherv, Allgatherv)
        TWIN(Iallreduce, Allreduce) TWIN(Ialltoall, Alltoall) TWIN(Ialltoallv, Alltoallv)
        TWIN(Ialltoallw, Alltoallw) TWIN(Ibarrier, Barrier) TWIN(Ibcast, Bcast) TWIN(Iexscan, Exscan)
        TWIN(Igather, Gather) TWIN(Igatherv, Gatherv) TWIN(Ireduce, Reduce)
        TWIN(Ireduce_scatter, Reduce_scatter) TWIN(Ireduce_scatter_block, Reduce_scatter_block)
        TWIN(Iscan, Scan) TWIN(Iscatter, Scatter) TWIN(Iscatterv, Scatterv) TWIN(Comm_idup, Comm_dup)
        TWIN(Comm_idup_with_info, Comm_dup_with_info) TWIN(Allgather_init, Allgather)
        TWIN(Allgatherv_init, Allgatherv) TWIN(Allreduce_init, Allreduce) TWIN(Alltoall_init, Alltoall)
        TWIN(Alltoallv_init, Alltoallv) TWIN(Alltoallw_init, Alltoallw) TWIN(Barrier_init, Barrier)
        TWIN(Bcast_init, Bcast) TWIN(Exscan_init, Exscan) TWIN(Gather_init, Gather)
        TWIN(Gatherv_init, Gatherv) TWIN(Reduce_init, Reduce) TWIN(Reduce_scatter_init, Reduce_scatter)
        TWIN(Reduce_scatter_block_init, Reduce_scatter_block) TWIN(Scan_init, Scan)
        TWIN(Scatter_init, Scatter) TWIN(Scatterv_init, Scatterv)
        TWIN(Ineighbor_allgather, Neighbor_allgather) TWIN(Ineighbor_allgatherv, Neighbor_allgatherv)
        TWIN(Ineighbor_alltoall, Neighbor_alltoall) TWIN(Ineighbor_alltoallv, Neighbor_alltoallv)
        TWIN(Ineighbor_alltoallw, Neighbor_alltoallw) TWIN(Neighbor_allgather_init, Neighbor_allgather)
        TWIN(Neighbor_allgatherv_init, Neighbor_allgatherv) TWIN(Neighbor_alltoall_init, Neighbor_alltoall)
        TWIN(Neighbor_alltoallv_init, Neighbor_alltoallv) TWIN(Neighbor_alltoallw_init, Neighbor_alltoallw)
#undef TWIN
    default:
        return call;
    }
}

/* Returns whether CALL, an MPI-IO call that moves data, reads. */
static bool is_read(enum mpg_call call)
{
    return strncmp(names[call], "File_read", 9) == 0 ||
           strncmp(names[call], "File_iread", 10) == 0;
}

bool mpg_call_has_root(enum mpg_call call)
{
    switch (mpg_call_plain(call)) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
    case MPG_CALL_Ibcast:
    case MPG_CALL_Ireduce:
    case MPG_CALL_Igather:
    case MPG_CALL_Igatherv:
    case MPG_CALL_Iscatter:
    case MPG_CALL_Iscatterv:
    case MPG_CALL_Bcast_init:
    case MPG_CALL_Reduce_init:
    case MPG_CALL_Gather_init:
    case MPG_CALL_Gatherv_init:
    case MPG_CALL_Scatter_init:
    case MPG_CALL_Scatterv_init:
        return true;
    default:
        return false;
    }
}

/* Returns the bytes that this rank contributes to a collective. */
static int64_t collective_bytes(const struct mpg_event *e)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < e->count_number; i++)
        sum += e->counts[i];
    if (e->count_number)
        return sum;
    switch (mpg_call_blocking(e->call)) {
    case MPG_CALL_Bcast:
        return e->is_root ? e->bytes : 0;
    case MPG_CALL_Scatter:
        return e->is_root ? e->bytes * e->peer_number : 0;
    case MPG_CALL_Scatterv: /* bytes are unknown here: the root's event has a list of counts */
        return 0;
    case MPG_CALL_Alltoall:
        return e->bytes * e->peer_number;
    default:
        return e->root == MPG_ROOT ? 0 : e->bytes; /* on an inter-communicator the root only receives */
    }
}

static int64_t neighbor_bytes(const struct mpg_event *e)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < e->destination_number; i++)
        if (e->destinations[i] != MPG_PROC_NULL)
            sum += !e->count_number ? e->bytes : i < e->count_number ? e->counts[i] : 0;
    return sum;
}

void mpg_event_bytes(const struct mpg_event *e, int64_t *sent, int64_t *received)
{
    *sent = *received = 0;
    if (e->failed)
        return;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        *sent = e->to == MPG_PROC_NULL ? 0 : e->bytes;
        break;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        *received = e->from == MPG_PROC_NULL ? 0 : e->bytes;
        break;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        *sent = e->to == MPG_PROC_NULL ? 0 : e->bytes;
        *received = e->from == MPG_PROC_NULL ? 0 : e->recvbytes;
        break;
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        *sent = e->to == MPG_PROC_NULL ? 0 : e->bytes;
        *received = e->to == MPG_PROC_NULL ? 0 : e->recvbytes;
        break;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        *sent = collective_bytes(e);
        break;
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
        *sent = neighbor_bytes(e);
        break;
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
        *(is_read(e->call) ? received : sent) = e->bytes;
        break;
    default:
        break;
    }
}
