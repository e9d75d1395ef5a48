/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured stacks as frames: modules and offsets, or lines of Python. Private to trace/pmpi/; knows no MPI. */
#ifndef TRACER_FRAMES_H
#define TRACER_FRAMES_H

#include "trace/event.h"

/* The frames of SITE, innermost first, into FRAMES (CALLSITES_MAX_DEPTH places); how many. Between
 * lock and unlock. */
unsigned callsite_frames(int32_t site, struct mpg_frame *frames);

#endif
