/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured addresses as frames: modules and offsets, or lines of Python. Private to trace/pmpi/; does not depend on MPI. */
#ifndef TRACER_FRAMES_H
#define TRACER_FRAMES_H

#include <stdbool.h>

#include "trace/event.h"

/* A callsites_look: skips addresses in MPI libraries and in the tracer. */
bool frames_look(const void *address, struct mpg_frame *frame);

#endif
