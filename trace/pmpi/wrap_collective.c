/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C wrappers of collectives, communicators, start and end (MPI-3.1, chapters 5,
 * 6, 7, 8). */
#include "trace/pmpi/shares.h"

#define WRAPPER __attribute__((visibility("default"))) int

/* Runs the real CALL (an expression) and records it with ROOT and BYTES. */
#define COLLECTIVE(name, call, root, bytes, comm)                                             \
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                    \
    int rc = call;                                                                            \
    if (tracer_leave(&s, rc))                                                                 \
        record_collective(&s, root, bytes, comm);                                             \
    return rc

WRAPPER MPI_Barrier(MPI_Comm comm)
{
    COLLECTIVE(Barrier, PMPI_Barrier(comm), 0, 0, comm);
}

WRAPPER MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(Bcast, PMPI_Bcast(buf, count, type, root, comm), root,
               root == MPI_PROC_NULL ? 0 : tracer_bytes(count, type), comm);
}

WRAPPER MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm)
{
    COLLECTIVE(Reduce, PMPI_Reduce(in, out, count, type, op, root, comm), root,
               root == MPI_PROC_NULL ? 0 : tracer_bytes(count, type), comm);
}

#define WRAP_REDUCTION(name)                                                                  \
    WRAPPER MPI_##name(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,    \
                       MPI_Comm comm)                                                         \
    {                                                                                         \
        COLLECTIVE(name, PMPI_##name(in, out, count, type, op, comm), 0,                      \
                   tracer_bytes(count, type), comm);                                          \
    }
WRAP_REDUCTION(Allreduce)
WRAP_REDUCTION(Scan)
WRAP_REDUCTION(Exscan)

WRAPPER MPI_Gather(const void *in, int sendcount, MPI_Datatype sendtype, void *out, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    COLLECTIVE(Gather,
               PMPI_Gather(in, sendcount, sendtype, out, recvcount, recvtype, root, comm), root,
               only_receives(root) ? 0
                                   : gather_share(in == MPI_IN_PLACE, sendcount, sendtype,
                                                  recvcount, recvtype),
               comm);
}

WRAPPER MPI_Gatherv(const void *in, int sendcount, MPI_Datatype sendtype, void *out,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm)
{
    COLLECTIVE(Gatherv,
               PMPI_Gatherv(in, sendcount, sendtype, out, recvcounts, displs, recvtype, root,
                            comm),
               root,
               only_receives(root) ? 0
                                   : gather_share(in == MPI_IN_PLACE, sendcount, sendtype,
                                               in == MPI_IN_PLACE ? recvcounts[root] : 0,
                                               recvtype),
               comm);
}

WRAPPER MPI_Allgather(const void *in, int sendcount, MPI_Datatype sendtype, void *out,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    COLLECTIVE(Allgather,
               PMPI_Allgather(in, sendcount, sendtype, out, recvcount, recvtype, comm), 0,
               gather_share(in == MPI_IN_PLACE, sendcount, sendtype, recvcount, recvtype), comm);
}

WRAPPER MPI_Allgatherv(const void *in, int sendcount, MPI_Datatype sendtype, void *out,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                       MPI_Comm comm)
{
    COLLECTIVE(Allgatherv,
               PMPI_Allgatherv(in, sendcount, sendtype, out, recvcounts, displs, recvtype, comm),
               0,
               gather_share(in == MPI_IN_PLACE, sendcount, sendtype,
                            in == MPI_IN_PLACE ? recvcounts[tracer_rank_in(comm)] : 0, recvtype),
               comm);
}

WRAPPER MPI_Scatter(const void *in, int sendcount, MPI_Datatype sendtype, void *out,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    COLLECTIVE(Scatter,
               PMPI_Scatter(in, sendcount, sendtype, out, recvcount, recvtype, root, comm), root,
               root == MPI_PROC_NULL ? 0
                                     : scatter_share(is_root(root, comm), sendcount, sendtype,
                                                     recvcount, recvtype),
               comm);
}

WRAPPER MPI_Scatterv(const void *in, const int sendcounts[], const int displs[],
                     MPI_Datatype sendtype, void *out, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Scatterv);
    int rc = PMPI_Scatterv(in, sendcounts, displs, sendtype, out, recvcount, recvtype, root, comm);
    if (!tracer_leave(&s, rc))
        return rc;
    if (is_root(root, comm))
        record_counts(&s, root, sendcounts, tracer_size_of(comm), sendtype,
                      comm);
    else
        record_collective(&s, root,
                          root == MPI_PROC_NULL ? 0 : tracer_bytes(recvcount, recvtype), comm);
    return rc;
}

WRAPPER MPI_Alltoall(const void *in, int sendcount, MPI_Datatype sendtype, void *out,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    COLLECTIVE(Alltoall,
               PMPI_Alltoall(in, sendcount, sendtype, out, recvcount, recvtype, comm), 0,
               gather_share(in == MPI_IN_PLACE, sendcount, sendtype, recvcount, recvtype), comm);
}

WRAPPER MPI_Alltoallv(const void *in, const int sendcounts[], const int sdispls[],
                      MPI_Datatype sendtype, void *out, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Alltoallv);
    bool in_place = in == MPI_IN_PLACE;
    int rc = PMPI_Alltoallv(in, sendcounts, sdispls, sendtype, out, recvcounts, rdispls, recvtype,
                            comm);
    if (tracer_leave(&s, rc))
        record_counts(&s, 0, in_place ? recvcounts : sendcounts,
                      tracer_size_of(comm), in_place ? recvtype : sendtype, comm);
    return rc;
}

WRAPPER MPI_Reduce_scatter(const void *in, void *out, const int recvcounts[], MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm)
{
    COLLECTIVE(Reduce_scatter, PMPI_Reduce_scatter(in, out, recvcounts, type, op, comm), 0,
               sum_share(recvcounts, tracer_size_of(comm), type), comm);
}

WRAPPER MPI_Reduce_scatter_block(const void *in, void *out, int recvcount, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm)
{
    COLLECTIVE(Reduce_scatter_block,
               PMPI_Reduce_scatter_block(in, out, recvcount, type, op, comm), 0,
               tracer_bytes(recvcount, type) * tracer_size_of(comm), comm);
}

/* Runs the real CALL, which makes *NEWCOMM out of COMM, and records it. */
#define CONSTRUCTOR(name, call, comm, newcomm)                                                \
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_##name);                                    \
    int rc = call;                                                                            \
    if (tracer_leave(&s, rc))                                                                 \
        record_constructor(&s, comm, *(newcomm));                                             \
    return rc

WRAPPER MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_dup, PMPI_Comm_dup(comm, newcomm), comm, newcomm);
}

WRAPPER MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_dup_with_info, PMPI_Comm_dup_with_info(comm, info, newcomm), comm, newcomm);
}

WRAPPER MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_create, PMPI_Comm_create(comm, group, newcomm), comm, newcomm);
}

WRAPPER MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_create_group, PMPI_Comm_create_group(comm, group, tag, newcomm), comm,
                newcomm);
}

WRAPPER MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_split, PMPI_Comm_split(comm, color, key, newcomm), comm, newcomm);
}

WRAPPER MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Comm_split_type, PMPI_Comm_split_type(comm, type, key, info, newcomm), comm,
                newcomm);
}

WRAPPER MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                        int reorder, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Cart_create, PMPI_Cart_create(comm, ndims, dims, periods, reorder, newcomm), comm,
                newcomm);
}

WRAPPER MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *newcomm)
{
    CONSTRUCTOR(Cart_sub, PMPI_Cart_sub(comm, remain, newcomm), comm, newcomm);
}

WRAPPER MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                         int reorder, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Graph_create, PMPI_Graph_create(comm, nnodes, index, edges, reorder, newcomm),
                comm, newcomm);
}

WRAPPER MPI_Dist_graph_create(MPI_Comm comm, int n, const int nodes[], const int degrees[],
                              const int targets[], const int weights[], MPI_Info info, int reorder,
                              MPI_Comm *newcomm)
{
    CONSTRUCTOR(Dist_graph_create,
                PMPI_Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder,
                                       newcomm),
                comm, newcomm);
}

WRAPPER MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                       const int sourceweights[], int outdegree,
                                       const int destinations[], const int destweights[],
                                       MPI_Info info, int reorder, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Dist_graph_create_adjacent,
                PMPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                                destinations, destweights, info, reorder, newcomm),
                comm, newcomm);
}

WRAPPER MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader,
                             int tag, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Intercomm_create,
                PMPI_Intercomm_create(local, local_leader, peer, remote_leader, tag, newcomm),
                local, newcomm);
}

WRAPPER MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *newcomm)
{
    CONSTRUCTOR(Intercomm_merge, PMPI_Intercomm_merge(comm, high, newcomm), comm, newcomm);
}

WRAPPER MPI_Comm_free(MPI_Comm *comm)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Comm_free);
    MPI_Comm old = *comm;
    int32_t number = tracer_records(&s) ? tracer_comm_known(old) : 0;
    int rc = PMPI_Comm_free(comm);
    if (tracer_leave(&s, rc))
        record_comm_free(&s, old, number);
    return rc;
}

WRAPPER MPI_Init(int *argc, char ***argv)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init);
    int rc = PMPI_Init(argc, argv);
    tracer_leave(&s, rc);
    if (rc == MPI_SUCCESS)
        tracer_init(&s, MPI_THREAD_SINGLE);
    return rc;
}

WRAPPER MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Init_thread);
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    tracer_leave(&s, rc);
    if (rc == MPI_SUCCESS)
        tracer_init(&s, *provided);
    return rc;
}

WRAPPER MPI_Finalize(void)
{
    struct tracer_scope s = TRACER_ENTER(MPG_CALL_Finalize);
    tracer_finalize(&s);
    int rc = PMPI_Finalize();
    if (tracer_leave(&s, rc))
        tracer_finalized(&s);
    return rc;
}

WRAPPER MPI_Abort(MPI_Comm comm, int code)
{
    tracer_end_early("MPI_Abort");
    return PMPI_Abort(comm, code);
}
