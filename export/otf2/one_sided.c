/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the records of windows and one-sided communication, in the form that mpgotf2(5) reads. Ranks in records are ranks of the
 * window's communicator; members of groups are ranks of MPI_COMM_WORLD. */
#include "export/otf2/writer.h"

#include <stdlib.h>

/* Evaluates CALL of libotf2; returns -1 with ERR if CALL fails. */
#define WRITE(CALL) \
    do { \
        if ((CALL) != OTF2_SUCCESS) \
            return mpg_otf2_write_error(w, err); \
    } while (0)

/* Stores the archive's number of WINDOW in *NUMBER; assigns the next number at the first use. Returns 1; 0: an archive
 * cannot hold the window, which belongs to MPI_COMM_SELF or to processes of another MPI_COMM_WORLD; -1 with ERR. */
static int need_window(struct mpg_otf2_writer *w, int32_t window, uint32_t *number, struct mpg_error *err)
{
    const struct mpg_object *o = window == MPG_NO_OBJECT ? NULL : mpg_trace_object(w->trace, window);
    const uint32_t comm = o ? mpg_otf2_comm_number(w, o->comm) : OTF2_UNDEFINED_COMM;
    if (comm == OTF2_UNDEFINED_COMM || comm == OTF2_OWN_SELF)
        return 0;
    return mpg_otf2_number(&w->windows, (uint32_t)window, number, err) < 0 ? -1 : 1;
}

/* Stores the archive's number of the group of E in *NUMBER. Groups with equal members share a number. */
static int need_group(struct mpg_otf2_writer *w, const struct mpg_event *e, uint32_t *number, struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(w->trace, mpg_trace_object(w->trace, e->object)->comm);
    uint64_t sum[2] = {14695981039346656037u, 88172645463325252u + e->count_number};
    uint64_t *members = malloc(((size_t)e->count_number + 1) * sizeof *members);
    for (uint32_t i = 0; members && i < e->count_number; i++) {
        members[i] = (uint64_t)c->world_ranks[e->counts[i]];
        sum[0] = (sum[0] ^ members[i]) * 1099511628211u;
        sum[1] = (sum[1] + members[i]) * 6364136223846793005u + 1442695040888963407u;
    }
    uint64_t *slot = members ? mpg_map_add(&w->group_numbers, sum[0], sum[1]) : NULL;
    if (!slot) {
        free(members);
        return mpg_error_set(err, "out of memory");
    }
    if (*slot == 0) {
        if (mpg_grow(&w->groups, w->group_number, &w->group_capacity, sizeof *w->groups, err) < 0) {
            free(members);
            return -1;
        }
        w->groups[w->group_number++] = (struct otf2_epoch_group){e->count_number, members};
        *slot = OTF2_FIRST_GROUP + w->group_number - 1;
        members = NULL;
    }
    *number = (uint32_t)*slot;
    free(members);
    return 0;
}

void mpg_otf2_one_sided_clear(struct mpg_otf2_writer *w)
{
    for (size_t i = 0; i < w->group_number; i++)
        free(w->groups[i].members);
    free(w->groups);
    mpg_otf2_numbers_clear(&w->windows);
    mpg_map_clear(&w->group_numbers);
    mpg_map_clear(&w->epochs);
}

/* Writes a call by all members of WINDOW: the constructor, the free, or a fence. Returns 1, or -1 with ERR. */
static int write_collective(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, uint32_t window,
                            struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const uint64_t end = mpg_otf2_tick(w, e->leave_ns);
    OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
    WRITE(OTF2_EvtWriter_RmaCollectiveBegin(s->w, NULL, mpg_otf2_tick(w, e->enter_ns)));
    if (kind == MPG_KIND_WIN_CONSTRUCTOR) {
        op = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
        WRITE(OTF2_EvtWriter_RmaWinCreate(s->w, NULL, end, window));
    } else if (kind == MPG_KIND_WIN_FREE) {
        op = OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
        WRITE(OTF2_EvtWriter_RmaWinDestroy(s->w, NULL, end, window));
    } else
        mpg_left_out_add(w->left, "fences with an assertion: written without", e->root != 0);
    WRITE(OTF2_EvtWriter_RmaCollectiveEnd(s->w, NULL, end, op, OTF2_RMA_SYNC_LEVEL_PROCESS, window, OTF2_COLLECTIVE_ROOT_NONE, 0,
                                          0));
    return 1;
}

/* Writes MPI_Win_post, _start, _complete, _wait, or a _test that ended an epoch, with the group of the epoch. Returns 1, or -1
 * with ERR. */
static int write_epoch(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, uint32_t window,
                       struct mpg_error *err)
{
    const bool begins = mpg_call_kind(e->call) == MPG_KIND_WIN_GROUP;
    const bool is_target = e->call != MPG_CALL_Win_start && e->call != MPG_CALL_Win_complete;
    uint64_t *of_epoch = mpg_map_add(&w->epochs, (uint64_t)e->object, is_target);
    uint32_t group = 0;
    if (!of_epoch)
        return mpg_error_set(err, "out of memory");
    if (begins && need_group(w, e, &group, err) < 0)
        return -1;
    if (begins)
        *of_epoch = group;
    else
        group = *of_epoch ? (uint32_t)*of_epoch : OTF2_UNDEFINED_GROUP;
    WRITE(OTF2_EvtWriter_RmaGroupSync(s->w, NULL, mpg_otf2_tick(w, e->leave_ns), OTF2_RMA_SYNC_LEVEL_PROCESS, window, group));
    return 1;
}

static int write_target(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, uint32_t window,
                        struct mpg_error *err)
{
    const uint64_t end = mpg_otf2_tick(w, e->leave_ns), lock = 0;
    const uint32_t target = (uint32_t)e->to;
    if (e->call == MPG_CALL_Win_lock)
        WRITE(OTF2_EvtWriter_RmaAcquireLock(s->w, NULL, end, window, target, lock,
                                            e->root ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
    else if (e->call == MPG_CALL_Win_unlock)
        WRITE(OTF2_EvtWriter_RmaReleaseLock(s->w, NULL, end, window, target, lock));
    else
        WRITE(OTF2_EvtWriter_RmaSync(s->w, NULL, end, window, target, OTF2_RMA_SYNC_TYPE_MEMORY));
    return 1;
}

static OTF2_RmaAtomicType atomic_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Compare_and_swap:
        return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
    case MPG_CALL_Fetch_and_op:
    case MPG_CALL_Get_accumulate:
    case MPG_CALL_Rget_accumulate:
        return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    default:
        return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
    }
}

static int write_operation(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, uint32_t window,
                           struct mpg_error *err)
{
    const uint64_t begin = mpg_otf2_tick(w, e->enter_ns), number = ++w->operations;
    const uint64_t sent = (uint64_t)(e->bytes > 0 ? e->bytes : 0), received = (uint64_t)(e->recvbytes > 0 ? e->recvbytes : 0);
    const enum mpg_call call = mpg_call_plain(e->call);
    const uint32_t target = (uint32_t)e->to;
    mpg_left_out_add(w->left, "one-sided operations with a request: written as operations without",
                     mpg_call_kind(e->call) == MPG_KIND_IRMA);
    if ((call == MPG_CALL_Put || call == MPG_CALL_Rput) && received == 0)
        WRITE(OTF2_EvtWriter_RmaPut(s->w, NULL, begin, window, target, sent, number));
    else if ((call == MPG_CALL_Get || call == MPG_CALL_Rget) && sent == 0)
        WRITE(OTF2_EvtWriter_RmaGet(s->w, NULL, begin, window, target, received, number));
    else
        WRITE(OTF2_EvtWriter_RmaAtomic(s->w, NULL, begin, window, target, atomic_of(call), sent, received, number));
    return 1;
}

int mpg_otf2_write_one_sided(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    uint32_t window = 0;
    if (kind < MPG_KIND_WIN_CONSTRUCTOR || kind > MPG_KIND_IRMA)
        return 0;
    const bool has_target = kind == MPG_KIND_WIN_TARGET || kind == MPG_KIND_RMA || kind == MPG_KIND_IRMA;
    if ((has_target && e->to < 0) || (kind == MPG_KIND_WIN_EPOCH && !e->found))
        return 0;
    const int status = need_window(w, e->object, &window, err);
    if (status <= 0)
        return status;
    switch (kind) {
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
        return write_epoch(w, s, e, window, err);
    case MPG_KIND_WIN_TARGET:
        return write_target(w, s, e, window, err);
    case MPG_KIND_WIN_ALL:
        WRITE(OTF2_EvtWriter_RmaSync(s->w, NULL, mpg_otf2_tick(w, e->leave_ns), window,
                                     (uint32_t)mpg_otf2_place_in(w, mpg_trace_object(w->trace, e->object)->comm),
                                     OTF2_RMA_SYNC_TYPE_MEMORY));
        return 1;
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return write_operation(w, s, e, window, err);
    default:
        return write_collective(w, s, e, window, err);
    }
}
