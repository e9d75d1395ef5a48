/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a Python program that are being executed, from the interpreter's own structures.
 *
 * They are read, never changed: a thread's frames and their code stay as they are while it is
 * inside a call, whether it holds the interpreter's lock or not (mpi4py gives it up). What
 * counts references or makes frame objects needs the lock, which a guest cannot take: the
 * thread that has it may be waiting for this one's next message. Structures differ between
 * versions, so that only known ones are read, and each code object is checked to be one.
 * Not thread-safe: one caller at a time. */
#ifndef MPG_PYTHON_H
#define MPG_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Whether this process is an interpreter, or has one linked to it; its version then in TEXT of
 * SIZE bytes, and whether that one's lines can be told. */
bool python_is_there(char *text, size_t size, bool *is_known);

/* Where the interpreter's code is; NULL: there is none that is known. */
const void *python_code(void);

/* The calling thread's lines, innermost first, into FRAMES, MOST at most; how many. Each is a
 * number from CALLSITES_FOREIGN on, the same whenever the line is met. */
unsigned python_frames(uintptr_t *frames, unsigned most);

/* What such a number stands for (trace/python_place.h). */
struct mpg_frame python_frame(uintptr_t frame);

#endif
