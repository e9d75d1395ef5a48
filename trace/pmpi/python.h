/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a Python program in execution, read from the interpreter's own structures.
 *
 * The structures are read, never changed: a thread's frames and their code stay unchanged while it is inside a call,
 * whether or not it holds the interpreter's lock (mpi4py releases the lock). Counting references or making frame objects
 * would need the lock. The tracer cannot take the lock: the thread holding it may wait for this thread's next message.
 * Structures differ between versions, so only known versions are read, and each code object is checked. Not thread-safe:
 * one caller at a time. */
#ifndef MPG_PYTHON_H
#define MPG_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Returns true if this process is a Python interpreter or is linked to one. Writes the version to TEXT of SIZE bytes;
 * IS_KNOWN: the version's structures are known, so lines can be reported. */
bool python_is_there(char *text, size_t size, bool *is_known);

/* Returns an address in the interpreter's code; NULL: there is no interpreter of a known version. */
const void *python_code(void);

/* Writes the calling thread's lines, innermost first and at most MAX, to FRAMES. Returns their number. A line always has
 * the same number, CALLSITES_FOREIGN or higher. */
unsigned python_frames(uintptr_t *frames, unsigned max);

/* Returns the line with the number FRAME, a result of python_frames(), as a frame (trace/python_place.h). */
struct mpg_frame python_frame(uintptr_t frame);

#endif
