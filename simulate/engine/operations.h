/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which measured collective a call is. */
#ifndef MPG_OPERATIONS_H
#define MPG_OPERATIONS_H

#include "simulate/models/collectives.h"
#include "trace/event.h"

/* CALL is blocking; MPG_OPERATIONS where no signature has such. */
static inline enum mpg_operation mpg_operation_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Barrier:
        return MPG_OPERATION_BARRIER;
    case MPG_CALL_Bcast:
        return MPG_OPERATION_BCAST;
    case MPG_CALL_Allreduce:
        return MPG_OPERATION_ALLREDUCE;
    case MPG_CALL_Alltoall:
        return MPG_OPERATION_ALLTOALL;
    default:
        return MPG_OPERATIONS;
    }
}

#endif
