/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shape, number of rounds and bytes of each collective: the tables of docs/MODEL.md, section 4. */
#include "graph/collectives/costs.h"

enum collective_shape mpg_graph_shape_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return SHAPE_SCAN;
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return SHAPE_FROM_ROOT;
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
        return SHAPE_TO_ROOT;
    default:
        return SHAPE_MEETING;
    }
}

static uint32_t ceil_log2(int32_t p)
{
    uint32_t n = 0;
    while ((INT64_C(1) << n) < p)
        n++;
    return n;
}

uint32_t mpg_graph_rounds_of(enum mpg_call call, int32_t p)
{
    if (p == 1)
        return 0;
    switch (call) {
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return 1;
    case MPG_CALL_Alltoall:
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        return (uint32_t)p - 1;
    default:
        return ceil_log2(p);
    }
}

double mpg_graph_bytes_of(enum mpg_call call, int32_t p, double d, double total)
{
    if (p == 1)
        return 0;
    switch (call) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Allreduce:
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return ceil_log2(p) * d;
    case MPG_CALL_Allgather:
    case MPG_CALL_Allgatherv:
        return total - d;
    case MPG_CALL_Alltoall:
        return (p - 1) * d;
    case MPG_CALL_Reduce_scatter:
    case MPG_CALL_Reduce_scatter_block:
        return d * (p - 1) / p;
    case MPG_CALL_Alltoallv: /* D is already the sum over all peers */
    case MPG_CALL_Alltoallw:
    case MPG_CALL_Win_fence: /* D: bytes that the member transferred in the epoch */
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return d;
    default:
        return 0;
    }
}
