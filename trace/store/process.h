/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out without locks whether the writer of a file is still running: cluster file systems can lack locks, and forked
 * children would share locks. */
#ifndef MPG_PROCESS_H
#define MPG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns a number of process PID, never 0, unique among all processes (but for one in 2^42): the lower 22 bits are the
 * process id, the upper bits a hash of the process's start and the machine's boot. Returns 0: not running, or /proc
 * unavailable. */
uint64_t mpg_process_mark(pid_t pid);

/* Returns whether MARK's process is running, as seen from the caller: false for processes of another host or container, and
 * for 0. */
bool mpg_process_runs(uint64_t mark);

#endif
