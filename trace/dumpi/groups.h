/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's groups, as ranks of the communicator that they come from. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_GROUPS_H
#define MPG_DUMPI_GROUPS_H

#include "common/map.h"
#include "trace/dumpi/record.h"

struct dumpi_group {
    int64_t comm;   /* handle; -1: unknown */
    int32_t *ranks; /* NULL: all, in order */
    size_t n;
};

/* Groups of a rank so far; empty when zero-initialised, but for the first two members. */
struct dumpi_groups {
    int32_t world_size;
    struct mpg_map numbers; /* number -> 1 + index in items */
    struct mpg_map sizes;   /* handle of a communicator -> its size, as far as the rank asked */
    struct dumpi_group *items;
    size_t n, capacity, members;
};

/* Takes over the group that R makes, or the communicator size that R returns. Returns 0, or -1 with ERR: out of memory, a
 * group of more than world_size members, groups of more than 2^24 members in all. */
int mpg_dumpi_groups_learn(struct dumpi_groups *g, const struct dumpi_record *r, struct mpg_error *err);
/* Returns group NUMBER, or NULL. */
const struct dumpi_group *mpg_dumpi_groups_find(const struct dumpi_groups *g, int64_t number);
void mpg_dumpi_groups_clear(struct dumpi_groups *g);

#endif
