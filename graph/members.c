/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the index of a world rank among the members of a communicator. In most communicators the index is the world rank, or
 * world ranks ascend. For the rest a sorted list is made on first use. */
#include "graph/members.h"

#include <stdlib.h>

struct comm_index {
    bool counted, is_ascending;
    int32_t number;    /* number of members that belong to this job */
    uint64_t *by_rank; /* world rank << 32 | index of each member, ascending; made on first use */
};

/* Returns the entry of COMM; NULL with ERR: out of memory. */
static struct comm_index *find_comm(struct members *m, int32_t comm, struct mpg_error *err)
{
    if (comm >= m->count) {
        int32_t count = mpg_trace_comm_count(m->trace);
        struct comm_index *grown = realloc(m->comms, (size_t)count * sizeof *grown);
        if (!grown) {
            mpg_graph_out_of_memory(err);
            return NULL;
        }
        for (int32_t i = m->count; i < count; i++)
            grown[i] = (struct comm_index){0};
        m->comms = grown;
        m->count = count;
    }
    struct comm_index *index = &m->comms[comm];
    if (index->counted)
        return index;
    const struct mpg_comm *c = mpg_trace_comm(m->trace, comm);
    int32_t size = c->size + c->remote_size;
    index->counted = index->is_ascending = true;
    for (int32_t i = 0; i < size; i++) {
        index->number += c->world_ranks[i] >= 0;
        if (c->world_ranks[i] < 0 || (i > 0 && c->world_ranks[i] <= c->world_ranks[i - 1]))
            index->is_ascending = false;
    }
    return index;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int sort_members(struct comm_index *index, const struct mpg_comm *c, struct mpg_error *err)
{
    if (index->is_ascending || index->by_rank || index->number == 0)
        return 0;
    uint64_t *sorted = malloc((size_t)index->number * sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return mpg_graph_out_of_memory(err);
    for (int32_t i = 0; i < c->size + c->remote_size; i++)
        if (c->world_ranks[i] >= 0)
            sorted[n++] = (uint64_t)(uint32_t)c->world_ranks[i] << 32 | (uint32_t)i;
    qsort(sorted, n, sizeof *sorted, compare);
    index->by_rank = sorted;
    return 0;
}

int mpg_graph_member_index(struct members *m, int32_t comm, int32_t rank, int32_t *index, struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(m->trace, comm);
    if (rank < c->size + c->remote_size && c->world_ranks[rank] == rank) {
        *index = rank;
        return 0;
    }
    struct comm_index *known = find_comm(m, comm, err);
    if (!known || sort_members(known, c, err) < 0)
        return -1;
    int32_t low = 0, high = known->number;
    *index = -1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int32_t i = known->by_rank ? (int32_t)(uint32_t)known->by_rank[middle] : middle;
        if (c->world_ranks[i] == rank)
            *index = i;
        if (c->world_ranks[i] <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

int mpg_graph_member_number(struct members *m, int32_t comm, int32_t *number, struct mpg_error *err)
{
    struct comm_index *known = find_comm(m, comm, err);
    if (!known)
        return -1;
    *number = known->number;
    return 0;
}

int32_t mpg_graph_peer(struct members *m, const struct call *call, int32_t comm, int32_t peer, struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(call);
    if (comm < 0 || comm >= mpg_trace_comm_count(m->trace))
        return mpg_graph_error(&here, err, "its communicator is not known");
    const struct mpg_comm *c = mpg_trace_comm(m->trace, comm);
    int32_t first = 0, size = c->size, me;
    if (c->remote_size > 0) {
        if (mpg_graph_member_index(m, comm, call->rank, &me, err) < 0)
            return -1;
        if (me < c->size) {
            first = c->size;
            size = c->remote_size;
        }
    }
    if (peer < 0 || peer >= size)
        return mpg_graph_error(&here, err, "rank %d is not in communicator %d (%d ranks)", peer, c->label, size);
    return c->world_ranks[first + peer];
}

void mpg_graph_members_clear(struct members *m)
{
    for (int32_t i = 0; i < m->count; i++)
        free(m->comms[i].by_rank);
    free(m->comms);
    *m = (struct members){0};
}
