/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports an untraced program where the tracer cannot: a script or the program replaced LD_PRELOAD, emptied the environment, or
 * ended by _exit(2). */
#ifndef MPG_RECORD_WATCH_H
#define MPG_RECORD_WATCH_H

/* Starts a watch process, not a child of this process. It waits for the end of this process, which will have become the
 * program, and warns in one line if FOLDER then holds no trace. Its process id is in MPGTRACE_WATCH: a tracer ends the process
 * on seeing MPI_Init, or on reporting itself that there was none. A tracer signals MPG_WATCH_IN_INIT when MPI_Init begins and
 * srun offers no PMIx; the warning then says so. PROGRAM: name for the warning. Does nothing on kernels without pidfd_open()
 * (before Linux 5.3). */
void mpg_watch(const char *folder, const char *program);

#endif
