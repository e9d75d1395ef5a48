/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a Python program in execution, read from the interpreter's structures.
 *
 * The structures are read, never changed: frames and code of a thread inside a call stay unchanged, whether or not the thread
 * holds the interpreter's lock (mpi4py releases the lock). Counting references or making frame objects would need the lock. The
 * tracer cannot take the lock: the thread holding it may wait for this thread's next message. Structures differ between versions,
 * therefore only known versions are read, and each code object is checked. Not thread-safe: one caller at a time. */
#ifndef MPG_PYTHON_H
#define MPG_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Returns true if this process is, or is linked to, a Python interpreter. Writes the version to TEXT of SIZE bytes; IS_KNOWN: the
 * version's structures are known, and lines can be reported. */
bool python_is_there(char *text, size_t size, bool *is_known);

/* Returns an address in the interpreter's code; NULL: no interpreter of a known version. */
const void *python_code(void);

/* Writes the calling thread's lines, innermost first and at most MAX, to FRAMES. Returns the number of lines. The number of a
 * line, CALLSITES_FOREIGN or higher, never changes. */
unsigned python_frames(uintptr_t *frames, unsigned max);

/* Returns the line with the number FRAME, a result of python_frames(), as a frame (trace/python_place.h). */
struct mpg_frame python_frame(uintptr_t frame);

#endif
