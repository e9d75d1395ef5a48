/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where this process runs: its cores, their caches, and what they share
 * (hwloc; Broquedis et al., PDP 2010). */
#ifndef MPG_TOPOLOGY_H
#define MPG_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct mpg_topology;

/* Finds the machine's topology, or reads the one that hwloc's environment
 * variables name. The caller closes it. NULL: out of memory, hwloc fails. */
struct mpg_topology *mpg_topology_open(struct mpg_error *err);
void mpg_topology_close(struct mpg_topology *topology); /* NULL is allowed */

/* The allowed cores: the first allowed hardware thread of each physical core that
 * this thread may use (the system's numbers, ascending), into *CORE, which the
 * caller frees. A thread that hwloc does not know is a core of its own. Returns
 * how many, at least 1, or -1 (out of memory, the system call fails). */
int mpg_topology_cores(const struct mpg_topology *topology, int **core, struct mpg_error *err);

/* The hardware threads that share the last-level cache of all that this thread
 * may run on, as a list like "0-3", into TEXT of SIZE bytes (>= 1); empty when
 * they have none in common or hwloc knows of no caches. */
void mpg_topology_complex(const struct mpg_topology *topology, char *text, size_t size);

/* The size in bytes of the cache of LEVEL (2 or 3) for data that belongs to the
 * first core this thread may run on; 0 when there is none or it is not known. */
int64_t mpg_topology_cache_bytes(const struct mpg_topology *topology, int level);

#endif
