/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of collectives (MPI-3.1, chapters 5 and 7.6): this rank's contribution in bytes. Only significant
 * arguments are read. */
#include <stdlib.h>

#include "trace/pmpi/event.h"
#include "trace/shape.h"

static bool is_root(int root, const struct tracer_comm *comm)
{
    return comm->groups->remote_size ? root == MPI_ROOT : root == comm->rank;
}

/* Fills in E, the event of a collective with the arguments of write_collective(). */
static void fill_collective(struct mpg_event *e, int root, int64_t bytes, const int64_t *counts, int n,
                            const struct tracer_comm *comm)
{
    e->comm = comm->number;
    e->root = tracer_peer(root);
    e->bytes = bytes;
    e->counts = counts;
    e->count_number = counts ? (uint32_t)n : 0;
    e->peer_number = tracer_comm_peers(comm);
    e->is_root = is_root(root, comm);
    e->destination_number = (uint32_t)comm->destination_number;
    e->destinations = comm->destinations;
}

/* Writes the record of a collective, with BYTES, or, unless COUNTS is NULL, with the N COUNTS in bytes. Releases the
 * tracer's lock. */
static void write_collective(struct tracer_scope *s, int root, int64_t bytes,
                             const int64_t *counts, int n, const struct tracer_comm *comm,
                             struct tracer_made made)
{
    struct mpg_event e;
    if (made.address || counts) {
        e = event_of(s);
        if (!event_request(&e, made, 0)) {
            tracer_unlock();
            return;
        }
        fill_collective(&e, root, bytes, counts, n, comm);
        tracer_write(s, &e);
        return;
    }
    struct mpg_shape shape = {.flags = s->device << MPG_SHAPE_DEVICE_SHIFT, .comm = comm->number, .root = tracer_peer(root),
                              .bytes = bytes};
    if (tracer_write_repeated(s, &shape))
        return;
    e = event_of(s);
    fill_collective(&e, root, bytes, NULL, 0, comm);
    tracer_write_at(s, &e, shape.site);
}

/* As write_collective(), with N counts of elements. TYPE: datatype of all counts; if TYPES is not NULL, a datatype for each
 * count. */
static void write_counts(struct tracer_scope *s, int root, struct tracer_counts counts, int n,
                         MPI_Datatype type, const struct tracer_types *types,
                         const struct tracer_comm *comm, struct tracer_made made)
{
    enum { FEW = 64 };
    int64_t few[FEW] = {0}, *bytes = n > FEW ? malloc((size_t)n * sizeof *bytes) : few;
    if (!bytes) {
        tracer_out_of_memory();
        tracer_unlock();
        return;
    }
    for (int i = 0; i < n; i++) { /* the datatype of a count of 0 may be invalid */
        int64_t count = tracer_count_at(counts, i);
        bytes[i] = count > 0 ? tracer_bytes(count, types ? tracer_type_at(*types, i) : type) : 0;
    }
    write_collective(s, root, 0, bytes, n, comm, made);
    if (bytes != few)
        free(bytes);
}

/* ROOT: argument of a gather call on an inter-communicator. Returns whether this rank sends nothing. */
static bool only_receives(int root)
{
    return root == MPI_ROOT || root == MPI_PROC_NULL;
}

void record_collective(struct tracer_scope *s, int root, int64_t count, MPI_Datatype type,
                       MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    int64_t bytes = root == MPI_PROC_NULL ? 0 : tracer_bytes(count, type);
    write_collective(s, root, bytes, NULL, 0, tracer_comm_get(comm), made);
}

void record_gather(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                   int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   struct tracer_made made)
{
    if (!tracer_lock())
        return;
    int64_t bytes = only_receives(root) ? 0
                    : in_place          ? tracer_bytes(recvcount, recvtype)
                                        : tracer_bytes(sendcount, sendtype);
    write_collective(s, root, bytes, NULL, 0, tracer_comm_get(comm), made);
}

void record_gatherv(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                    struct tracer_counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    struct tracer_made made)
{
    if (!tracer_lock())
        return;
    int64_t bytes = only_receives(root) ? 0
                    : in_place          ? tracer_bytes(tracer_count_at(recvcounts, root), recvtype)
                                        : tracer_bytes(sendcount, sendtype);
    write_collective(s, root, bytes, NULL, 0, tracer_comm_get(comm), made);
}

void record_scatter(struct tracer_scope *s, int64_t sendcount, MPI_Datatype sendtype, int64_t recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    int64_t bytes = root == MPI_PROC_NULL ? 0
                    : is_root(root, c)    ? tracer_bytes(sendcount, sendtype)
                                          : tracer_bytes(recvcount, recvtype);
    write_collective(s, root, bytes, NULL, 0, c, made);
}

void record_scatterv(struct tracer_scope *s, struct tracer_counts sendcounts, MPI_Datatype sendtype,
                     int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    if (is_root(root, c))
        write_counts(s, root, sendcounts, tracer_comm_peers(c), sendtype, NULL, c, made);
    else
        write_collective(s, root, root == MPI_PROC_NULL ? 0 : tracer_bytes(recvcount, recvtype),
                         NULL, 0, c, made);
}

void record_allgather(struct tracer_scope *s, bool in_place, int64_t sendcount, MPI_Datatype sendtype,
                      int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      struct tracer_made made)
{
    if (!tracer_lock())
        return;
    int64_t bytes = in_place ? tracer_bytes(recvcount, recvtype) : tracer_bytes(sendcount, sendtype);
    write_collective(s, 0, bytes, NULL, 0, tracer_comm_get(comm), made);
}

void record_allgatherv(struct tracer_scope *s, bool in_place, int64_t sendcount,
                       MPI_Datatype sendtype, struct tracer_counts recvcounts, MPI_Datatype recvtype,
                       MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    int64_t bytes = in_place ? tracer_bytes(tracer_count_at(recvcounts, c->rank), recvtype)
                             : tracer_bytes(sendcount, sendtype);
    write_collective(s, 0, bytes, NULL, 0, c, made);
}

void record_alltoallv(struct tracer_scope *s, bool in_place, struct tracer_counts sendcounts,
                      MPI_Datatype sendtype, struct tracer_counts recvcounts, MPI_Datatype recvtype,
                      MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    write_counts(s, 0, in_place ? recvcounts : sendcounts, tracer_comm_peers(c),
                 in_place ? recvtype : sendtype, NULL, c, made);
}

void record_alltoallw(struct tracer_scope *s, bool in_place, struct tracer_counts sendcounts,
                      struct tracer_types sendtypes, struct tracer_counts recvcounts,
                      struct tracer_types recvtypes, MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    write_counts(s, 0, in_place ? recvcounts : sendcounts, tracer_comm_peers(c), MPI_DATATYPE_NULL,
                 in_place ? &recvtypes : &sendtypes, c, made);
}

/* The whole vector: one element for each member of the local group, also on inter-communicators (MPI-3.1 section 5.10.1). */
void record_reduce_scatter(struct tracer_scope *s, struct tracer_counts recvcounts, MPI_Datatype type,
                           MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    int64_t bytes = 0;
    for (int i = 0; i < c->groups->size; i++)
        bytes += tracer_bytes(tracer_count_at(recvcounts, i), type);
    write_collective(s, 0, bytes, NULL, 0, c, made);
}

void record_reduce_scatter_block(struct tracer_scope *s, int64_t recvcount, MPI_Datatype type,
                                 MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    write_collective(s, 0, tracer_bytes(recvcount, type) * c->groups->size, NULL, 0, c, made);
}

void record_neighbor(struct tracer_scope *s, int64_t sendcount, MPI_Datatype sendtype, MPI_Comm comm,
                     struct tracer_made made)
{
    if (!tracer_lock())
        return;
    write_collective(s, 0, tracer_bytes(sendcount, sendtype), NULL, 0, tracer_comm_get(comm), made);
}

void record_neighbor_alltoallv(struct tracer_scope *s, struct tracer_counts sendcounts,
                               MPI_Datatype sendtype, MPI_Comm comm, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    write_counts(s, 0, sendcounts, c->destination_number, sendtype, NULL, c, made);
}

void record_neighbor_alltoallw(struct tracer_scope *s, struct tracer_counts sendcounts,
                               struct tracer_types sendtypes, MPI_Comm comm,
                               struct tracer_made made)
{
    if (!tracer_lock())
        return;
    const struct tracer_comm *c = tracer_comm_get(comm);
    write_counts(s, 0, sendcounts, c->destination_number, MPI_DATATYPE_NULL, &sendtypes, c, made);
}
