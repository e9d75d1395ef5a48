/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What says that nothing was traced where the tracer cannot: a script, or the program, has set LD_PRELOAD anew, emptied the
 * environment, or ended by _exit(2). */
#ifndef MPG_RECORD_WATCH_H
#define MPG_RECORD_WATCH_H

/* Starts a process, no child of this one, that waits until this process, the program by then, has ended, and says so in one line
 * if FOLDER then holds no trace of it; a tracer that sees MPI_Init, or says itself that there was none, ends it (its number is
 * MPGTRACE_WATCH), or tells it that MPI_Init began where srun offers no PMIx, which the line then says. PROGRAM: its name, for
 * the line. Without a kernel that can (Linux 5.3) nothing is done. */
void mpg_watch(const char *folder, const char *program);

#endif
