/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports an untraced program if the tracer cannot: a script or the program replaced LD_PRELOAD, emptied the environment, or
 * ended by _exit(2). */
#ifndef MPG_RECORD_WATCH_H
#define MPG_RECORD_WATCH_H

/* Starts a watch process, which is no child of the caller. The watch process waits for the end of the caller, which later
 * executes the program, and warns in one line if FOLDER then holds no trace. MPGTRACE_WATCH has the id of the watch process: a
 * tracer ends the watch process on seeing MPI_Init, or on reporting itself that MPI_Init was not called. A tracer sends
 * MPG_WATCH_IN_INIT when MPI_Init begins and srun offers no PMIx; the warning then names this cause. PROGRAM: name for the
 * warning. No effect on kernels without pidfd_open() (before Linux 5.3). */
void mpg_watch(const char *folder, const char *program);

#endif
