/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory the memory kernels go through on each core. */
#ifndef MPG_WORKSPACE_H
#define MPG_WORKSPACE_H

#include <stdint.h>

/* Size of the last-level cache of CORE in bytes (the kernel's list of caches,
 * else sysconf(3)), or 0 when the system does not say. */
int64_t mpg_cache_bytes(int core);

/* Memory that can be had without swapping, bytes: what the system says is
 * available (proc(5), MemAvailable), or less where the control group allows
 * less; 0 when nothing says. */
int64_t mpg_memory_available(void);

/* The working set of each of CORES cores (>= 1), in bytes: four times CACHE_BYTES
 * (STREAM's rule; McCalpin, 1995), or 256 MiB when that is 0, but at least 4 MiB
 * and at most LIMIT_BYTES, and so small that two on every core take no more than half of
 * AVAILABLE_BYTES (0: unknown). A multiple of 4096, at least 4096. */
int64_t mpg_workspace_bytes(int64_t cache_bytes, int64_t available_bytes, int64_t limit_bytes,
                            int cores);

#endif
