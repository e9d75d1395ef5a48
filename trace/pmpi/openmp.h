/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMP: the tracer is a tool of the program's OpenMP runtime, if the runtime has the tool interface OMPT (LLVM's libomp,
 * Intel's runtime), and looks for the function ompt_start_tool among the loaded libraries. The outermost parallel regions of
 * threads that make MPI calls become regions of the trace; work and waits of the regions' threads are summed. */
#ifndef MPG_TRACER_OPENMP_H
#define MPG_TRACER_OPENMP_H

#include "trace/store/writer.h"

/* To be called before the real MPI_Init; by the same thread after MPI_Init, before recording begins; before the real
 * MPI_Finalize. */
void openmp_before_init(void);
void openmp_start(void);
void openmp_end(void);
/* Writes the facts of the end, if the process has loaded an OpenMP runtime. Callers hold the lock. Returns 0, or -1 with ERR. */
int openmp_write(struct mpg_trace_writer *w, struct mpg_error *err);
/* On rank 0 at the end: reports in a line if threads invisible to the tracer were at work. */
void openmp_report(void);

#endif
