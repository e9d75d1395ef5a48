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
