/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the names of the frames of callsites, and makes keys by which a frame is recognised in two runs. Private to
 * scale/read/. */
#ifndef MPG_SCALE_FRAME_NAMES_H
#define MPG_SCALE_FRAME_NAMES_H

#include "common/error.h"
#include "scale/read/read.h"
#include "trace/stat/names.h"

/* A frame of a callsite; an inlined function counts as a frame. */
struct scale_frame {
    char *text;         /* "x_solve.f:71"; if the line is unknown "solve+0x1a" or "libx.so+0x11d6" */
    char *address;      /* build-id and offset as text: equal for equal frames of equal builds */
    const char *function, *file; /* NULL: unknown; valid as long as the struct scale_frame_names */
    int line;
};

struct scale_frames {
    int n;
    struct scale_frame frame[SCALE_MAX_FRAMES];
    bool failed; /* memory is out */
};

struct scale_frame_names;

struct scale_frame_names *mpg_scale_frame_names_new(const char *debug_path, struct mpg_error *err);
/* Begins a file: later calls refer to the callsites and modules of SOURCE. */
void mpg_scale_frame_names_begin(struct scale_frame_names *names, const struct stat_callsites *source);
/* Finds the innermost frames of callsite SITE, at most FRAMES (>= 0). The caller clears FOUND, even after a failure. */
int mpg_scale_frame_names_find(struct scale_frame_names *names, int32_t site, int frames, struct scale_frames *found,
                               struct mpg_error *err);
void mpg_scale_frames_clear(struct scale_frames *frames);
/* Returns whether the frames found so far belong to several builds of one module. */
bool mpg_scale_frame_names_differ(const struct scale_frame_names *names);
/* Returns the name of a module with several builds, in which the line of some frame is unknown: callsites cannot be matched
 * between the builds. NULL: none. Valid as long as NAMES. */
const char *mpg_scale_frame_names_without_lines(const struct scale_frame_names *names);
void mpg_scale_frame_names_free(struct scale_frame_names *names); /* NAMES may be NULL */

#endif
