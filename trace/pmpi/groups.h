/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of communicators as lists of world ranks; equal lists are stored once (groups.c). Callers hold the lock. */
#ifndef MPG_GROUPS_H
#define MPG_GROUPS_H

#include "trace/pmpi/comms.h"

/* Returns COMM's groups; NULL without memory. */
const struct tracer_groups *tracer_groups_of(MPI_Comm comm);
/* Returns a number that distinguishes the communicators with GROUPS made from PARENT: the count of earlier communicators. All
 * members agree on the count, because members make communicators together (MPI-3.1 section 6.4). Calls of MPI_Comm_create_group
 * are ordered only among calls with an equal tag, GROUP_TAG; NULL for all other constructors. Returns -1 without memory. */
int32_t tracer_groups_instance(const struct tracer_groups *groups, int32_t parent,
                               const int *group_tag);
void tracer_groups_end(void);

#endif
