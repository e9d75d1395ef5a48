/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions: phases of the program, named with mpg_region.h or MPI_Pcontrol. */
#ifndef MPG_REGIONS_H
#define MPG_REGIONS_H

#include <stddef.h>

#include "trace/pmpi/tracer.h"

/* Records the begin or end of region NAME (LENGTH bytes), depending on the scope's call, at the scope's enter time.
 * To be called after tracer_leave(), which returned RECORDS. Regions that begin before MPI_Init are kept for
 * regions_start(). */
void regions_record(struct tracer_scope *s, bool records, const char *name, size_t length);

/* Begins the regions that the program opened before MPI_Init. To be called after MPI_Init has been recorded. */
void regions_start(const struct tracer_scope *init);

/* Defines the name of number STRING in this thread's stream, if needed. Returns 0, or -1 with ERR. */
int regions_define(int32_t string, struct mpg_error *err);

#endif
