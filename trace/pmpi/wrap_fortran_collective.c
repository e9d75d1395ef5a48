/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran wrappers of collectives, communicators, start and end. */
#include "trace/pmpi/fortran.h"

/* Runs the real CALL and records it with ROOT and BYTES. */
#define COLLECTIVE(name, call, root, bytes, comm)                                             \
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                    \
    call;                                                                                     \
    if (tracer_leave(&s, *ierr))                                                              \
        record_collective(&s, root, bytes, COMM(comm))

FORTRAN(barrier, (F *comm, F *ierr))
{
    COLLECTIVE(Barrier, pmpi_barrier_(comm, ierr), 0, 0, comm);
}

FORTRAN(bcast, (void *buf, F *count, F *type, F *root, F *comm, F *ierr))
{
    COLLECTIVE(Bcast, pmpi_bcast_(buf, count, type, root, comm, ierr), *root,
               *root == MPI_PROC_NULL ? 0 : tracer_bytes(*count, TYPE(type)), comm);
}

FORTRAN(reduce, (void *in, void *out, F *count, F *type, F *op, F *root, F *comm, F *ierr))
{
    COLLECTIVE(Reduce, pmpi_reduce_(in, out, count, type, op, root, comm, ierr), *root,
               *root == MPI_PROC_NULL ? 0 : tracer_bytes(*count, TYPE(type)), comm);
}

#define FORTRAN_REDUCTION(lower, name)                                                        \
    FORTRAN(lower, (void *in, void *out, F *count, F *type, F *op, F *comm, F *ierr))         \
    {                                                                                         \
        COLLECTIVE(name, pmpi_##lower##_(in, out, count, type, op, comm, ierr), 0,            \
                   tracer_bytes(*count, TYPE(type)), comm);                                   \
    }
FORTRAN_REDUCTION(allreduce, Allreduce)
FORTRAN_REDUCTION(scan, Scan)
FORTRAN_REDUCTION(exscan, Exscan)

FORTRAN(gather, (void *in, F *sendcount, F *sendtype, void *out, F *recvcount, F *recvtype,
                 F *root, F *comm, F *ierr))
{
    COLLECTIVE(Gather,
               pmpi_gather_(in, sendcount, sendtype, out, recvcount, recvtype, root, comm, ierr),
               *root,
               only_receives(*root) ? 0
                                    : gather_share(fortran_in_place(in), *sendcount,
                                                   TYPE(sendtype), *recvcount, TYPE(recvtype)),
               comm);
}

FORTRAN(gatherv, (void *in, F *sendcount, F *sendtype, void *out, F *recvcounts, F *displs,
                  F *recvtype, F *root, F *comm, F *ierr))
{
    bool in_place = fortran_in_place(in);
    COLLECTIVE(Gatherv,
               pmpi_gatherv_(in, sendcount, sendtype, out, recvcounts, displs, recvtype, root,
                             comm, ierr),
               *root,
               only_receives(*root) ? 0
                                    : gather_share(in_place, *sendcount, TYPE(sendtype),
                                                in_place ? recvcounts[*root] : 0, TYPE(recvtype)),
               comm);
}

FORTRAN(allgather, (void *in, F *sendcount, F *sendtype, void *out, F *recvcount, F *recvtype,
                    F *comm, F *ierr))
{
    COLLECTIVE(Allgather,
               pmpi_allgather_(in, sendcount, sendtype, out, recvcount, recvtype, comm, ierr), 0,
               gather_share(fortran_in_place(in), *sendcount, TYPE(sendtype), *recvcount,
                            TYPE(recvtype)),
               comm);
}

FORTRAN(allgatherv, (void *in, F *sendcount, F *sendtype, void *out, F *recvcounts, F *displs,
                     F *recvtype, F *comm, F *ierr))
{
    bool in_place = fortran_in_place(in);
    COLLECTIVE(Allgatherv,
               pmpi_allgatherv_(in, sendcount, sendtype, out, recvcounts, displs, recvtype, comm,
                                ierr),
               0,
               gather_share(in_place, *sendcount, TYPE(sendtype),
                            in_place ? recvcounts[tracer_rank_in(COMM(comm))] : 0, TYPE(recvtype)),
               comm);
}

FORTRAN(scatter, (void *in, F *sendcount, F *sendtype, void *out, F *recvcount, F *recvtype,
                  F *root, F *comm, F *ierr))
{
    COLLECTIVE(Scatter,
               pmpi_scatter_(in, sendcount, sendtype, out, recvcount, recvtype, root, comm, ierr),
               *root,
               *root == MPI_PROC_NULL
                   ? 0
                   : scatter_share(is_root(*root, COMM(comm)), *sendcount, TYPE(sendtype),
                                   *recvcount, TYPE(recvtype)),
               comm);
}

FORTRAN(scatterv, (void *in, F *sendcounts, F *displs, F *sendtype, void *out, F *recvcount,
                   F *recvtype, F *root, F *comm, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Scatterv);
    pmpi_scatterv_(in, sendcounts, displs, sendtype, out, recvcount, recvtype, root, comm, ierr);
    if (!tracer_leave(&s, *ierr))
        return;
    if (is_root(*root, COMM(comm)))
        record_counts(&s, *root, sendcounts, tracer_size_of(COMM(comm)),
                      TYPE(sendtype), COMM(comm));
    else
        record_collective(&s, *root,
                          *root == MPI_PROC_NULL ? 0 : tracer_bytes(*recvcount, TYPE(recvtype)),
                          COMM(comm));
}

FORTRAN(alltoall, (void *in, F *sendcount, F *sendtype, void *out, F *recvcount, F *recvtype,
                   F *comm, F *ierr))
{
    COLLECTIVE(Alltoall,
               pmpi_alltoall_(in, sendcount, sendtype, out, recvcount, recvtype, comm, ierr), 0,
               gather_share(fortran_in_place(in), *sendcount, TYPE(sendtype), *recvcount,
                            TYPE(recvtype)),
               comm);
}

FORTRAN(alltoallv, (void *in, F *sendcounts, F *sdispls, F *sendtype, void *out, F *recvcounts,
                    F *rdispls, F *recvtype, F *comm, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Alltoallv);
    bool in_place = fortran_in_place(in);
    pmpi_alltoallv_(in, sendcounts, sdispls, sendtype, out, recvcounts, rdispls, recvtype, comm,
                    ierr);
    if (tracer_leave(&s, *ierr))
        record_counts(&s, 0, in_place ? recvcounts : sendcounts,
                      tracer_size_of(COMM(comm)), in_place ? TYPE(recvtype) : TYPE(sendtype),
                      COMM(comm));
}

FORTRAN(reduce_scatter, (void *in, void *out, F *recvcounts, F *type, F *op, F *comm, F *ierr))
{
    COLLECTIVE(Reduce_scatter, pmpi_reduce_scatter_(in, out, recvcounts, type, op, comm, ierr), 0,
               sum_share(recvcounts, tracer_size_of(COMM(comm)), TYPE(type)), comm);
}

FORTRAN(reduce_scatter_block,
        (void *in, void *out, F *recvcount, F *type, F *op, F *comm, F *ierr))
{
    COLLECTIVE(Reduce_scatter_block,
               pmpi_reduce_scatter_block_(in, out, recvcount, type, op, comm, ierr), 0,
               tracer_bytes(*recvcount, TYPE(type)) * tracer_size_of(COMM(comm)), comm);
}

/* Runs the real CALL, which makes NEWCOMM out of COMM, and records it. */
#define CONSTRUCTOR(name, call, comm, newcomm)                                                \
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                    \
    call;                                                                                     \
    if (tracer_leave(&s, *ierr))                                                              \
        record_constructor(&s, COMM(comm), COMM(newcomm))

FORTRAN(comm_dup, (F *comm, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_dup, pmpi_comm_dup_(comm, newcomm, ierr), comm, newcomm);
}

FORTRAN(comm_dup_with_info, (F *comm, F *info, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_dup_with_info, pmpi_comm_dup_with_info_(comm, info, newcomm, ierr), comm,
                newcomm);
}

FORTRAN(comm_create, (F *comm, F *group, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_create, pmpi_comm_create_(comm, group, newcomm, ierr), comm, newcomm);
}

FORTRAN(comm_create_group, (F *comm, F *group, F *tag, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_create_group, pmpi_comm_create_group_(comm, group, tag, newcomm, ierr), comm,
                newcomm);
}

FORTRAN(comm_split, (F *comm, F *color, F *key, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_split, pmpi_comm_split_(comm, color, key, newcomm, ierr), comm, newcomm);
}

FORTRAN(comm_split_type, (F *comm, F *type, F *key, F *info, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Comm_split_type, pmpi_comm_split_type_(comm, type, key, info, newcomm, ierr), comm,
                newcomm);
}

FORTRAN(cart_create, (F *comm, F *ndims, F *dims, F *periods, F *reorder, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Cart_create,
                pmpi_cart_create_(comm, ndims, dims, periods, reorder, newcomm, ierr), comm,
                newcomm);
}

FORTRAN(cart_sub, (F *comm, F *remain, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Cart_sub, pmpi_cart_sub_(comm, remain, newcomm, ierr), comm, newcomm);
}

FORTRAN(graph_create, (F *comm, F *nnodes, F *index, F *edges, F *reorder, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Graph_create,
                pmpi_graph_create_(comm, nnodes, index, edges, reorder, newcomm, ierr), comm,
                newcomm);
}

FORTRAN(dist_graph_create, (F *comm, F *n, F *nodes, F *degrees, F *targets, F *weights, F *info,
                            F *reorder, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Dist_graph_create,
                pmpi_dist_graph_create_(comm, n, nodes, degrees, targets, weights, info, reorder,
                                        newcomm, ierr),
                comm, newcomm);
}

FORTRAN(dist_graph_create_adjacent,
        (F *comm, F *indegree, F *sources, F *sourceweights, F *outdegree, F *destinations,
         F *destweights, F *info, F *reorder, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Dist_graph_create_adjacent,
                pmpi_dist_graph_create_adjacent_(comm, indegree, sources, sourceweights, outdegree,
                                                 destinations, destweights, info, reorder, newcomm,
                                                 ierr),
                comm, newcomm);
}

FORTRAN(intercomm_create, (F *local, F *local_leader, F *peer, F *remote_leader, F *tag,
                           F *newcomm, F *ierr))
{
    CONSTRUCTOR(Intercomm_create,
                pmpi_intercomm_create_(local, local_leader, peer, remote_leader, tag, newcomm,
                                       ierr),
                local, newcomm);
}

FORTRAN(intercomm_merge, (F *comm, F *high, F *newcomm, F *ierr))
{
    CONSTRUCTOR(Intercomm_merge, pmpi_intercomm_merge_(comm, high, newcomm, ierr), comm, newcomm);
}

FORTRAN(comm_free, (F *comm, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Comm_free);
    MPI_Comm old = COMM(comm);
    int32_t number = tracer_records(&s) ? tracer_comm_known(old) : 0;
    pmpi_comm_free_(comm, ierr);
    if (tracer_leave(&s, *ierr))
        record_comm_free(&s, old, number);
}

FORTRAN(init, (F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init);
    pmpi_init_(ierr);
    tracer_leave(&s, *ierr);
    if (*ierr == MPI_SUCCESS)
        tracer_init(&s, MPI_THREAD_SINGLE);
}

FORTRAN(init_thread, (F *required, F *provided, F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init_thread);
    pmpi_init_thread_(required, provided, ierr);
    tracer_leave(&s, *ierr);
    if (*ierr == MPI_SUCCESS)
        tracer_init(&s, *provided);
}

FORTRAN(finalize, (F *ierr))
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Finalize);
    tracer_finalize(&s);
    pmpi_finalize_(ierr);
    if (tracer_leave(&s, *ierr))
        tracer_finalized(&s);
}

FORTRAN(abort, (F *comm, F *code, F *ierr))
{
    tracer_end_early("MPI_Abort");
    pmpi_abort_(comm, code, ierr);
}
