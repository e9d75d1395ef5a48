/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI functions of mpi.h missing in trace/calls.def, found by trace/pmpi/wrap.awk. */
#ifndef MPG_UNTRACED_H
#define MPG_UNTRACED_H

#include <stdbool.h>

/* Capacity; unused entries have no name and are never counted. */
enum { MPG_UNTRACED_COUNT = 640 };

struct mpg_untraced {
    const char *name; /* with the prefix MPI_ or MPIX_ */
    bool local;       /* has no argument for communication: the function is only counted */
};

extern const struct mpg_untraced mpg_untraced[];

#endif
