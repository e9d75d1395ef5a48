/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the frames of callsites, and computes the keys that identify a frame in two runs. Private to scale/read/. */
#ifndef MPG_SCALE_FRAME_NAMES_H
#define MPG_SCALE_FRAME_NAMES_H

#include "common/error.h"
#include "scale/read/read.h"
#include "trace/stat/names.h"

/* A frame. An inlined function is a frame, too. */
struct scale_frame {
    char *text;         /* "x_solve.f:71"; without line "solve+0x1a" or "libx.so+0x11d6" */
    char *address;      /* key for comparison by address */
    const char *function, *file; /* may be NULL; valid as long as the scale_frame_names */
    int line;
};

struct scale_frames {
    int n;
    struct scale_frame frame[SCALE_MAX_FRAMES];
    bool failed; /* out of memory */
};

struct scale_frame_names;

struct scale_frame_names *mpg_scale_frame_names_new(const char *debug_path, struct mpg_error *err);
/* Begins a file with the sites and modules of SOURCE. */
void mpg_scale_frame_names_begin(struct scale_frame_names *names, const struct stat_callsites *source);
/* Finds at most FRAMES (>= 0) frames of SITE. The caller clears FOUND, even after a failure. */
int mpg_scale_frame_names_find(struct scale_frame_names *names, int32_t site, int frames, struct scale_frames *found,
                               struct mpg_error *err);
void mpg_scale_frames_clear(struct scale_frames *frames);
/* Returns true if the frames so far belong to several builds of one module. */
bool mpg_scale_frame_names_differ(const struct scale_frame_names *names);
/* Returns the name of a module with several builds whose frames partly have no line: callsites cannot be matched between
 * these builds. Returns NULL if there is none. Valid as long as NAMES. */
const char *mpg_scale_frame_names_without_lines(const struct scale_frame_names *names);
void mpg_scale_frame_names_free(struct scale_frame_names *names); /* NAMES may be NULL */

#endif
