/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of communicators as world ranks, each kept once (groups.c). Locked callers
 * only. */
#ifndef MPG_GROUPS_H
#define MPG_GROUPS_H

#include "trace/pmpi/comms.h"

/* COMM's; NULL without memory. */
const struct tracer_groups *tracer_groups_of(MPI_Comm comm);
/* Tells the communicators with GROUPS that were made from PARENT apart, by how many came
 * before: a number that all members agree on, because they make communicators together
 * (MPI-3.1 section 6.4). MPI_Comm_create_group has no order with the rest, only with its
 * like of the same tag, GROUP_TAG: NULL for all others. -1 without memory. */
int32_t tracer_groups_instance(const struct tracer_groups *groups, int32_t parent,
                               const int *group_tag);
void tracer_groups_end(void);

#endif
