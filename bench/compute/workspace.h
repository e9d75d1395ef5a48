/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Working set of the memory kernels on each core. */
#ifndef MPG_WORKSPACE_H
#define MPG_WORKSPACE_H

#include <stdint.h>

/* Returns the size of CORE's last-level cache, bytes (from sysfs, else sysconf(3)); 0: unknown. */
int64_t mpg_cache_bytes(int core);

/* Returns the memory available without swapping, bytes: MemAvailable (proc(5)), or less if the control group
 * limits it; 0: unknown. */
int64_t mpg_memory_available(void);

/* Returns the working set of each of CORES cores (>= 1), bytes: four times CACHE_BYTES (STREAM's rule; McCalpin,
 * 1995), or 256 MiB if CACHE_BYTES is 0; within 4 MiB..LIMIT_BYTES; two on every core use at most half of
 * AVAILABLE_BYTES (0: unknown). A multiple of 4096, >= 4096. */
int64_t mpg_workspace_bytes(int64_t cache_bytes, int64_t available_bytes, int64_t limit_bytes,
                            int cores);

#endif
