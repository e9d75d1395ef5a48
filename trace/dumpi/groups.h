/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI groups of a rank, as lists of ranks of the communicator that each comes from. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_GROUPS_H
#define MPG_DUMPI_GROUPS_H

#include "common/map.h"
#include "trace/dumpi/record.h"

struct dumpi_group {
    int64_t comm;   /* handle of this communicator; -1: unknown */
    int32_t *ranks; /* ranks of this communicator; NULL: all, in order */
    size_t n;
};

/* The groups that a rank has made so far. Initialise with the first two members set, the others 0. */
struct dumpi_groups {
    int32_t world_size;
    struct mpg_map numbers; /* number of a group in the trace -> 1 + index in `items` */
    struct mpg_map sizes;   /* handle of a communicator -> its size, if the rank has asked MPI for the size */
    struct dumpi_group *items;
    size_t n, capacity, members;
};

/* Adds the group that R makes, or the communicator size that R returns. Returns 0, or -1 with ERR: out of memory, a group of
 * more than world_size members, groups of more than 2^24 members in all. */
int mpg_dumpi_groups_learn(struct dumpi_groups *g, const struct dumpi_record *r, struct mpg_error *err);
/* Returns group NUMBER, or NULL. */
const struct dumpi_group *mpg_dumpi_groups_find(const struct dumpi_groups *g, int64_t number);
void mpg_dumpi_groups_clear(struct dumpi_groups *g);

#endif
