/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topology of this process: cores, caches, sharing (hwloc; Broquedis et al., PDP 2010). */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct mpg_topology;

/* Reads the machine's topology, or the topology named by hwloc's environment variables. The caller closes the topology. NULL: out
 * of memory, hwloc fails. */
struct mpg_topology *mpg_topology_open(struct mpg_error *err);
void mpg_topology_close(struct mpg_topology *topology); /* Closes the topology; NULL is allowed. */

/* Stores the first available hardware thread of each available physical core, ascending by the system's numbers,
 * into *CORE, which the caller frees. A thread unknown to hwloc counts as a core. Returns the number of cores, >=
 * 1. Errors (-1): out of memory, sched_getaffinity(2) fails. */
int mpg_topology_cores(const struct mpg_topology *topology, int **core, struct mpg_error *err);

/* Formats the hardware threads that share the last-level cache of all cores of this thread, like "0-3", into TEXT
 * of SIZE bytes (>= 1); empty without a common cache. */
void mpg_topology_complex(const struct mpg_topology *topology, char *text, size_t size);

/* Returns the size in bytes of the data cache of LEVEL (2 or 3) above the first available core; 0: none or
 * unknown. */
int64_t mpg_topology_cache_bytes(const struct mpg_topology *topology, int level);

#endif
