/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions that have begun and not ended, of all threads. Callers hold the lock (trace/pmpi/stream.h). */
#ifndef MPG_PMPI_OPEN_REGIONS_H
#define MPG_PMPI_OPEN_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct open_region {
    uint32_t thread;
    int32_t string; /* number of the name */
};

/* Zero-initialised: none. In the order of the begins. */
struct open_regions {
    struct open_region *items;
    size_t count, capacity;
};

/* Adds the region STRING of THREAD. Without memory the tracer stops. */
void open_regions_begin(struct open_regions *regions, uint32_t thread, int32_t string);
enum { OPEN_REGION_ANY = -1 };
/* Removes the region STRING (OPEN_REGION_ANY: any) that THREAD has begun last. Returns whether there was one. */
bool open_regions_end(struct open_regions *regions, uint32_t thread, int32_t string);
/* Returns the begin of REGION as an event without times. */
struct mpg_event open_region_event(const struct open_region *region);

#endif
