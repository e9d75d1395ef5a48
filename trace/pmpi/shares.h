/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank contributes to a collective, in bytes (MPI-3.1, chapter 5), for
 * the C and the Fortran wrappers. IN_PLACE says that the send buffer is
 * MPI_IN_PLACE; the meaning is that of trace/event.h. */
#ifndef MPG_SHARES_H
#define MPG_SHARES_H

#include "trace/pmpi/tracer.h"

/* Gather, Allgather and their v-variants: sendcount, or the receive count of the
 * rank's own part when in place. */
static inline int64_t gather_share(bool in_place, int sendcount, MPI_Datatype sendtype,
                                   int recvcount, MPI_Datatype recvtype)
{
    return in_place ? tracer_bytes(recvcount, recvtype) : tracer_bytes(sendcount, sendtype);
}

/* Whether a gathering call's ROOT says, on an inter-communicator, that this rank
 * sends nothing; its send arguments then mean nothing and may be anything. */
static inline bool only_receives(int root)
{
    return root == MPI_ROOT || root == MPI_PROC_NULL;
}

/* Scatter: what one rank gets; the root of it knows by its send arguments. */
static inline int64_t scatter_share(bool sends, int sendcount, MPI_Datatype sendtype,
                                    int recvcount, MPI_Datatype recvtype)
{
    return sends ? tracer_bytes(sendcount, sendtype) : tracer_bytes(recvcount, recvtype);
}

/* Reduce_scatter: the whole vector. */
static inline int64_t sum_share(const int *counts, int p, MPI_Datatype type)
{
    int64_t sum = 0;
    for (int i = 0; i < p; i++)
        sum += tracer_bytes(counts[i], type);
    return sum;
}

/* Whether this rank is the root that sends or receives. */
static inline bool is_root(int root, MPI_Comm comm)
{
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    return inter ? root == MPI_ROOT : root == tracer_rank_in(comm);
}

#endif
