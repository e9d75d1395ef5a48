/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This rank's communicators, defined in the trace at first use (comms.c). Callers hold the lock. */
#ifndef MPG_COMMS_H
#define MPG_COMMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* World ranks of the group of an intra-communicator, or of both groups of an inter-communicator; shared by all
 * communicators with equal groups. */
struct tracer_groups {
    int32_t number;    /* equal on both sides of an inter-communicator */
    int32_t size, remote_size;
    int32_t ranks[];   /* size, then remote_size entries; MPG_FOREIGN: not in this job */
};

/* NUMBER, PARENT (or MPG_NO_COMM), INSTANCE (tracer_groups_instance()) and LABEL (0: MPI_COMM_WORLD; -1: another) as in the
 * definition in the trace. SOURCES and DESTINATIONS: neighbours in the communicator's TOPOLOGY, if any. */
struct tracer_comm {
    int32_t number, parent, instance, label;
    int rank;
    const struct tracer_groups *groups;
    bool topology;
    bool is_freed;
    int32_t source_number, destination_number;
    int32_t *sources, *destinations; /* one allocation */
};

/* Returns the tracer's entry of COMM (not MPI_COMM_NULL), which is defined in the trace on return. Never NULL: without memory
 * recording ends, and an empty communicator is returned. */
const struct tracer_comm *tracer_comm_get(MPI_Comm comm);
int32_t tracer_comm(MPI_Comm comm); /* returns the number of the communicator */
/* Registers COMM, just made from PARENT (MPI_COMM_NULL: none), as a new communicator, even if an earlier communicator had COMM's
 * handle. SAME_GROUPS: COMM has PARENT's groups. GROUP_TAG: the tag of a group constructor (tracer_groups_instance()); else
 * NULL. */
const struct tracer_comm *tracer_comm_made(MPI_Comm parent, MPI_Comm comm, bool same_groups,
                                           const int *group_tag);
/* Registers a copy of PARENT. The copy's handle, in C or Fortran form, will be at ADDRESS when request REQUEST completes. */
const struct tracer_comm *tracer_comm_duplicate(MPI_Comm parent, const void *address, bool fortran,
                                                int64_t request);
/* To be called when REQUEST has completed: registers the handle of the copy that tracer_comm_duplicate() announced for
 * REQUEST, if any. */
void tracer_comm_completed(int64_t request);
/* Defines communicator NUMBER in the calling thread's stream, unless already defined in this stream. */
void tracer_comm_define(int32_t number);
/* Forgets COMM, the handle of communicator NUMBER, which the program freed. Another thread may already have the handle for a new
 * communicator. */
void tracer_comm_forget(MPI_Comm comm, int32_t number);
/* Returns whether the program has freed communicator NUMBER; only with streams.redefines, which keeps communicators. */
bool tracer_comm_is_freed(int32_t number);
void tracer_comms_end(void);

/* Returns the number of peers of a rank: the size of the remote group, if any, else of the group. */
static inline int tracer_comm_peers(const struct tracer_comm *comm)
{
    return comm->groups->remote_size ? comm->groups->remote_size : comm->groups->size;
}

/* Writes to RANKS the ranks that the N members of GROUP have in the group OF. Returns false on failure. */
bool tracer_group_ranks(MPI_Group group, int n, MPI_Group of, int *ranks);

#endif
