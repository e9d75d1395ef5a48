/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of different hosts: which ranks share one, and offsets between them by
 * ping-pong around MPI_Init and before MPI_Finalize. */
#ifndef MPG_CLOCK_OFFSETS_H
#define MPG_CLOCK_OFFSETS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct clock_offset {
    int64_t time_ns, offset_ns; /* at TIME add OFFSET for rank 0's time */
};

/* The ranks that read one clock. Communicators of the tracer's own, so that nothing
 * meets the program's messages; none where all ranks are on one host. */
struct clock_group {
    bool all;    /* every rank of MPI_COMM_WORLD */
    bool leads;  /* this rank is the lowest of them */
    MPI_Comm members, leaders; /* MPI_COMM_NULL: not one of them, or all */
};

/* Finds out and gives all of a group the clock of its lowest rank. After
 * clock_calibrate(). Collective over MPI_COMM_WORLD, as the other two. */
void clock_group_find(struct clock_group *group);

/* Measures this group's offset to that of rank 0 from the quickest of several exchanges
 * of their lowest ranks (Cristian 1989: rank 0 read its clock half a round trip ago).
 * False where there is none: one group is all, or this is rank 0. */
bool clock_measure(const struct clock_group *group, struct clock_offset *offset);

void clock_group_free(struct clock_group *group);

#endif
