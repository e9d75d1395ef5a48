/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions: phases that the program names, by mpg_region.h or MPI_Pcontrol. */
#ifndef MPG_REGIONS_H
#define MPG_REGIONS_H

#include <stddef.h>

#include "trace/pmpi/tracer.h"

/* Records that the region NAME of LENGTH bytes begins or ends, as the scope's call says,
 * at its enter time; after tracer_leave(), which said RECORDS. Those before MPI_Init are
 * kept for regions_start(). */
void regions_record(struct tracer_scope *s, bool records, const char *name, size_t length);

/* After MPI_Init has been recorded: begins the regions that the program is in already. */
void regions_start(const struct tracer_scope *init);

#endif
