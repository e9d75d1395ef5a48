/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run is told in the end, in one line: where its trace is and how much it holds, or
 * that there is none. */
#ifndef MPG_TRACER_SUMMARY_H
#define MPG_TRACER_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

/* Adds up over all ranks what this one has recorded or summed up: CALLS, 0 if it does not
 * record any more; looks whether all have one FOLDER. Collective over MPI_COMM_WORLD, before MPI_Finalize. */
void summary_gather(int64_t calls, const char *folder);

/* This process has started another world, whose own trace is to be in the folder. */
void summary_spawned(void);

/* For rank 0, after its trace in FOLDER is closed: the line, and another if worlds that were spawned have no trace there. */
void summary_say(const char *folder);

/* MPI_Init was seen: ends the process that would say that it was not (trace/record/watch.h). */
void summary_end_watch(void);
/* MPI_Init was seen, and will probably fail, as srun was told nothing of PMIx: that process will say so if this one ends
 * before summary_end_watch(). */
void summary_warn_watch(void);

/* At the end of a process that has never called MPI_Init, but of SESSION MPI_Session_init: says so, once for the
 * job, unless something else that mpgtrace record has run left a trace. */
void summary_say_nothing(bool session);

#endif
