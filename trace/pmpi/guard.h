/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are mapped into the program's memory may be truncated by others, and their
 * file system may fail: a store into them then is a SIGBUS, which would end the program.
 * The guard takes the program's SIGBUS: one that such a store has caused puts memory in
 * the place of the file, ends recording, and the program goes on; every other one goes to
 * whom it would have gone to without the guard, the program's handler or the system's.
 *
 * A handler that the program sets later is put behind the guard again at the next
 * guard_check(), and one that it then sets back is the program's only one again. A thread
 * that has SIGBUS blocked is killed by one all the same, as the kernel has it. */
#ifndef MPG_TRACER_GUARD_H
#define MPG_TRACER_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on files that are mapped (trace/store/window.h) are watched. LOST is called, in a
 * signal's handler that a store of the tracer's has caused, when one can be written no more;
 * PATH is the file's name. */
void guard_start(void (*lost)(const char *path));

/* Whether one has been lost: what is in its memory is not what was written there. */
bool guard_has_lost(void);

/* Puts the guard before a handler that the program has set meanwhile. A system call. */
void guard_check(void);

/* Gives SIGBUS back, if nobody has taken it since. */
void guard_end(void);

#endif
