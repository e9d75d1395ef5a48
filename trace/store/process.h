/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the process that wrote a file still runs, told without a lock: file systems of
 * clusters may have none, and a forked child would share it. */
#ifndef MPG_PROCESS_H
#define MPG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A number for process PID, never 0, of no other that runs, ran or will run (but for one in
 * 2^42): its id in the lower 22 bits, above it a hash of its start and the machine's boot.
 * 0: it does not run, or /proc does not tell. */
uint64_t mpg_process_mark(pid_t pid);

/* Whether MARK's process runs, as far as can be told here: false on another host, in another
 * container, and for a mark of 0. */
bool mpg_process_runs(uint64_t mark);

#endif
