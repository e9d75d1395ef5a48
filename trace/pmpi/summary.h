/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The final one-line report of a run: folder and size of the trace, or the reason why no trace exists. */
#ifndef MPG_TRACER_SUMMARY_H
#define MPG_TRACER_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

/* Sums the recorded and aggregated CALLS over all ranks (0 on a rank that has stopped recording) and checks that all ranks have
 * equal FOLDERs. Collective over MPI_COMM_WORLD, before MPI_Finalize. */
void summary_gather(int64_t calls, const char *folder);

/* Stores that this process has spawned another job, whose trace is expected in the folder. */
void summary_spawned(void);

/* Prints the report on rank 0, after the trace in FOLDER is closed, and a second line if spawned jobs have no trace in FOLDER. */
void summary_report(const char *folder);

/* To be called in MPI_Init: ends the watch process that would report that MPI_Init was never called (trace/record/watch.h). */
void summary_end_watch(void);
/* To be called if MPI_Init was called but will probably fail, because srun was started without PMIx support: the watch
 * process reports this if the program ends before summary_end_watch(). */
void summary_warn_watch(void);

/* At the end of a process that never called MPI_Init (SESSION: but called MPI_Session_init), reports this once for
 * the job, unless another program of the same mpgtrace record left a trace. */
void summary_report_nothing(bool session);

#endif
