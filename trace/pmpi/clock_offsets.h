/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of different hosts: groups of ranks with a common clock, and offsets between the groups by ping-pong around
 * MPI_Init and before MPI_Finalize. */
#ifndef MPG_CLOCK_OFFSETS_H
#define MPG_CLOCK_OFFSETS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct clock_offset {
    int64_t time_ns, offset_ns; /* at local time TIME add OFFSET to get rank 0's time */
};

/* The ranks that read a common clock. The communicators are made by the tracer, to separate the tracer's messages from the
 * program's; not made if all ranks are on one host. */
struct clock_group {
    bool all;    /* the group is MPI_COMM_WORLD */
    bool leads;  /* this rank is the lowest of the group */
    MPI_Comm members, leaders; /* MPI_COMM_NULL: this rank is not a member, or the group is MPI_COMM_WORLD */
};

/* Finds this rank's group and gives all members the clock of the lowest rank. Called after clock_calibrate(). Collective over
 * MPI_COMM_WORLD, as the two functions below. */
void clock_group_find(struct clock_group *group);

/* Measures the offset of this group's clock to rank 0's clock from the quickest of several exchanges between the groups' lowest
 * ranks (Cristian 1989: rank 0 read its clock half a round trip ago). Returns false if no offset is needed: there is a single
 * group, or this is rank 0. */
bool clock_measure(const struct clock_group *group, struct clock_offset *offset);

void clock_group_free(struct clock_group *group);

#endif
