/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured collective operation of a call. */
#ifndef MPG_OPERATIONS_H
#define MPG_OPERATIONS_H

#include "simulate/models/collectives.h"
#include "trace/event.h"

/* Returns the operation of CALL, which is blocking; MPG_OPERATIONS: not measured in signatures. Variants with sizes for each
 * rank, except of alltoall, and exclusive scans count as the plain operation. */
static inline enum mpg_operation mpg_operation_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Barrier:
        return MPG_OPERATION_BARRIER;
    case MPG_CALL_Allreduce:
        return MPG_OPERATION_ALLREDUCE;
    case MPG_CALL_Allgather:
    case MPG_CALL_Allgatherv:
        return MPG_OPERATION_ALLGATHER;
    case MPG_CALL_Alltoall:
        return MPG_OPERATION_ALLTOALL;
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        return MPG_OPERATION_ALLTOALLV;
    case MPG_CALL_Reduce_scatter:
        return MPG_OPERATION_REDUCE_SCATTER;
    case MPG_CALL_Bcast:
        return MPG_OPERATION_BCAST;
    case MPG_CALL_Reduce:
        return MPG_OPERATION_REDUCE;
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
        return MPG_OPERATION_GATHER;
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return MPG_OPERATION_SCATTER;
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return MPG_OPERATION_SCAN;
    default:
        return MPG_OPERATIONS;
    }
}

/* Returns the operation of CALL if all members have equal sizes, in which case the measured time of a whole collective
 * applies; else MPG_OPERATIONS. */
static inline enum mpg_operation mpg_operation_whole(enum mpg_call call)
{
    return call == MPG_CALL_Allgatherv ? MPG_OPERATIONS : mpg_operation_of(call);
}

#endif
