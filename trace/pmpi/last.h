/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace record --last: keeps only the last part of a run. Each stream is recorded in parts, a file each; the oldest part is
 * removed as soon as the later parts cover the time to be kept. Each part begins with a snapshot of what readers need of the time
 * before: numbers of operations, persistent requests, receives from any source without a message yet, open regions. Readers cut
 * all ranks at a common time. Callers hold the lock. */
#ifndef MPG_PMPI_LAST_H
#define MPG_PMPI_LAST_H

#include <stdbool.h>
#include <stdint.h>

/* Reads MPGTRACE_LAST, a number of ns, and, if it is set, begins the first part at INIT_NS, the end of MPI_Init. */
void last_start(int rank, int64_t init_ns);
bool last_is_on(void);
/* Begins a new part at NOW_NS, and removes parts that are not needed any more. */
void last_turn(int64_t now_ns);
/* Returns the number of recorded calls that are in no part any more. */
int64_t last_dropped_calls(void);

#endif
