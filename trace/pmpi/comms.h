/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators as this rank knows them, told to the trace at first use (comms.c).
 * Locked callers only. */
#ifndef MPG_COMMS_H
#define MPG_COMMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* World ranks of both groups of an inter-communicator, or of the only one; shared by
 * all communicators that have them. */
struct tracer_groups {
    int32_t number;    /* the same for both sides of an inter-communicator */
    int32_t size, remote_size;
    int32_t ranks[];   /* size, then remote_size; or MPG_FOREIGN */
};

struct tracer_comm {
    int32_t number, parent, instance, label;
    int rank;
    const struct tracer_groups *groups;
    bool topology;
    int32_t source_number, destination_number;
    int32_t *sources, *destinations; /* one allocation */
};

/* COMM, which is not MPI_COMM_NULL, defined in the trace by now. Never NULL: without
 * memory recording ends and this is some other communicator. */
const struct tracer_comm *tracer_comm_get(MPI_Comm comm);
int32_t tracer_comm(MPI_Comm comm); /* its number */
/* COMM was just made from PARENT, or without one if that is MPI_COMM_NULL: never a
 * communicator that had the same handle before. GROUP_TAG: what tag it was made by a
 * group with (tracer_groups_instance), or NULL. */
const struct tracer_comm *tracer_comm_made(MPI_Comm parent, MPI_Comm comm, bool same_groups,
                                           const int *group_tag);
/* A copy of PARENT is being made, whose handle will be at ADDRESS, C's or Fortran's,
 * when request REQUEST is complete. */
const struct tracer_comm *tracer_comm_promised(MPI_Comm parent, const void *address, bool fortran,
                                               int64_t request);
void tracer_comm_completed(int64_t request);
/* Makes sure that the calling thread's stream knows communicator NUMBER. */
void tracer_comm_define(int32_t number);
/* The program gave COMM's handle up, which was communicator NUMBER; another thread may
 * have got the handle for a new one since. */
void tracer_comm_forget(MPI_Comm comm, int32_t number);
void tracer_comms_end(void);

/* Processes that a rank's counts are for: of the remote group, or of the only one. */
static inline int tracer_comm_peers(const struct tracer_comm *comm)
{
    return comm->groups->remote_size ? comm->groups->remote_size : comm->groups->size;
}

/* The ranks in OF of the N members of GROUP into RANKS; false without memory. */
bool tracer_group_ranks(MPI_Group group, int n, MPI_Group of, int *ranks);

#endif
