/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protection against SIGBUS from mapped trace files. Other processes may truncate a mapped file, and the file system may fail:
 * then a store into the file raises SIGBUS, which would end the program. The guard installs a SIGBUS handler. After a SIGBUS from
 * a store into a trace file, the guard maps memory in place of the file and ends recording; the program continues. Every other
 * SIGBUS is forwarded to the program's handler, or to the system's default.
 *
 * If the program installs a handler later, the next guard_check() puts the guard in front of this handler. If the program then
 * restores the earlier handler, only the earlier handler is active. As in any program, SIGBUS kills a thread that has blocked
 * SIGBUS. */
#ifndef MPG_TRACER_GUARD_H
#define MPG_TRACER_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts watching mapped files (trace/store/segment.h). LOST is called in a signal handler, caused by a store of the tracer, when
 * the file PATH can no longer be written. */
void guard_start(void (*lost)(const char *path));

/* Returns true if a file was lost: the mapped memory no longer holds the written data. */
bool guard_has_lost(void);

/* Puts the guard in front of a handler installed by the program meanwhile. Takes a system call. */
void guard_check(void);

/* Restores the SIGBUS handler in front of which the guard stands, if the guard is still installed. */
void guard_end(void);

#endif
