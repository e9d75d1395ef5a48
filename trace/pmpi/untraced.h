/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MPI functions that trace/calls.def does not have, as trace/pmpi/wrap.awk found them in
 * mpi.h. */
#ifndef MPG_UNTRACED_H
#define MPG_UNTRACED_H

#include <stdbool.h>

/* Room for all of them; unused places have no name and are never counted. */
enum { MPG_UNTRACED_COUNT = 640 };

struct mpg_untraced {
    const char *name; /* with its prefix */
    bool local;       /* names nothing that it could communicate by: it is only counted */
};

extern const struct mpg_untraced mpg_untraced[];

#endif
