/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI groups of a rank, as lists of ranks of the communicator from which each group was made. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_GROUPS_H
#define MPG_DUMPI_GROUPS_H

#include "common/map.h"
#include "trace/dumpi/record.h"

struct dumpi_group {
    int64_t comm;   /* handle of the communicator; -1: unknown */
    int32_t *ranks; /* ranks of `comm`; NULL: all, in order */
    size_t n;
};

/* The groups made by a rank so far. Initialise with world_size set, and all further members 0. */
struct dumpi_groups {
    int32_t world_size;
    struct mpg_map numbers; /* number of a group in the trace -> 1 + index in `items` */
    struct mpg_map sizes;   /* handle of a communicator -> size, if the rank has called MPI_Comm_size */
    struct dumpi_group *items;
    size_t n, capacity, members;
};

/* Adds the group made by R, or the communicator size returned by R. Returns 0, or -1 with ERR: out of memory, a group of more
 * than world_size members, groups of more than 2^24 members in all. */
int mpg_dumpi_groups_learn(struct dumpi_groups *g, const struct dumpi_record *r, struct mpg_error *err);
/* Returns group NUMBER, or NULL. */
const struct dumpi_group *mpg_dumpi_groups_find(const struct dumpi_groups *g, int64_t number);
void mpg_dumpi_groups_clear(struct dumpi_groups *g);

#endif
