/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/algorithms/operation.h"

enum mpg_collective mpg_collective_of(enum mpg_call call)
{
    switch (call) {
#define OPERATION(name, NAME) \
    case MPG_CALL_##name: \
        return MPG_COLLECTIVE_##NAME;
        OPERATION(Barrier, BARRIER)
        OPERATION(Bcast, BCAST)
        OPERATION(Scatter, SCATTER)
        OPERATION(Scatterv, SCATTERV)
        OPERATION(Gather, GATHER)
        OPERATION(Gatherv, GATHERV)
        OPERATION(Reduce, REDUCE)
        OPERATION(Allreduce, ALLREDUCE)
        OPERATION(Allgather, ALLGATHER)
        OPERATION(Allgatherv, ALLGATHERV)
        OPERATION(Alltoall, ALLTOALL)
        OPERATION(Alltoallv, ALLTOALLV)
        OPERATION(Alltoallw, ALLTOALLV)
        OPERATION(Reduce_scatter, REDUCE_SCATTER)
        OPERATION(Reduce_scatter_block, REDUCE_SCATTER_BLOCK)
        OPERATION(Scan, SCAN)
        OPERATION(Exscan, EXSCAN)
#undef OPERATION
    default:
        return MPG_COLLECTIVES;
    }
}

bool mpg_collective_has_blocks(enum mpg_collective operation)
{
    return operation == MPG_COLLECTIVE_SCATTERV || operation == MPG_COLLECTIVE_GATHERV ||
           operation == MPG_COLLECTIVE_ALLGATHERV || operation == MPG_COLLECTIVE_ALLTOALLV;
}

int64_t mpg_collective_member_bytes(const struct mpg_event *e, int32_t i)
{
    int64_t sum = 0;
    if (e->count_number == 0)
        return e->bytes;
    enum mpg_call call = mpg_call_blocking(e->call);
    if (call != MPG_CALL_Alltoallv && call != MPG_CALL_Alltoallw)
        return (uint32_t)i < e->count_number ? e->counts[i] : 0;
    for (uint32_t j = 0; j < e->count_number; j++)
        sum += j == (uint32_t)i ? 0 : e->counts[j];
    return sum;
}
