/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers the collectives of each communicator: the calls of all members with one number are one collective (MPI-4.0
 * sections 6.12 and 6.13). */
#include "graph/collectives/entering.h"

#include "graph/algorithms/operation.h"
#include "graph/collectives/costs.h"

/* Constructors by group are not called by all members of the old communicator. Each is counted as the first collective of
 * the new communicator, in a separate sequence. */
void mpg_graph_find_order(const struct collectives *collectives, const struct mpg_event *e, struct entering *entering)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    const bool by_group = mpg_call_is_by_group(e->call);
    int32_t comm = by_group ? e->newcomm : e->comm;
    entering->order = by_group ? ORDER_GROUP : ORDER_COMM;
    if (kind == MPG_KIND_WIN_FENCE || kind == MPG_KIND_WIN_FREE) {
        entering->order = ORDER_WINDOW;
        entering->where = e->object;
        entering->comm = e->object == MPG_NO_OBJECT
                           ? MPG_NO_COMM
                           : mpg_trace_object(collectives->trace, e->object)->comm;
        return;
    }
    entering->where = comm;
    entering->comm = comm < mpg_trace_comm_count(collectives->trace) ? comm : MPG_NO_COMM;
}

int mpg_graph_next_of(struct collectives *collectives, enum order order, int32_t where, int32_t rank, uint64_t *sequence,
                      struct mpg_error *err)
{
    uint64_t *count = mpg_map_add(&collectives->sequences, graph_pair(where, rank), order);
    if (!count)
        return mpg_graph_out_of_memory(err);
    *sequence = (*count)++;
    return 0;
}

int mpg_graph_find_me(struct collectives *collectives, const struct call *call, int32_t comm, int32_t *me, struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(call);
    if (mpg_graph_member_index(collectives->members, comm, call->rank, me, err) < 0)
        return -1;
    return *me >= 0
               ? 0
               : mpg_graph_error(&here, err, "the rank is not in communicator %d",
                                 mpg_trace_comm(collectives->trace, comm)->label);
}

int mpg_graph_init_persistent_collective(struct collectives *collectives, const struct call *call,
                                         struct persistent_collective *persistent_collective, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    uint64_t which = 0;
    int32_t me;
    *persistent_collective = (struct persistent_collective){.call = e->call, .comm = MPG_NO_COMM, .root = e->root};
    if (e->comm < 0 || e->comm >= mpg_trace_comm_count(collectives->trace))
        return 0;
    if (mpg_graph_find_me(collectives, call, e->comm, &me, err) < 0 ||
        mpg_graph_next_of(collectives, ORDER_PERSISTENT, e->comm, call->rank, &which, err) < 0)
        return -1;
    persistent_collective->comm = e->comm;
    persistent_collective->which = (uint32_t)which;
    persistent_collective->bytes = mpg_collective_member_bytes(e, me);
    return 0;
}
