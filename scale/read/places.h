/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the frames of callsites are called, and what makes them the same in two runs. Private to scale/read/. */
#ifndef MPG_SCALE_PLACES_H
#define MPG_SCALE_PLACES_H

#include "common/error.h"
#include "scale/read/read.h"
#include "trace/stat/names.h"

/* A frame: an inlined function is one, too. */
struct scale_frame {
    char *text;         /* "x_solve.f:71"; "solve+0x1a", "libx.so+0x11d6" where no line is known */
    char *address;      /* key by address */
    const char *function, *file; /* or NULL; as long as the places */
    int line;
};

struct scale_frames {
    int n;
    struct scale_frame frame[SCALE_MOST_FRAMES];
    bool failed; /* out of memory */
};

struct scale_places;

struct scale_places *mpg_scale_places_new(const char *debug_path, struct mpg_error *err);
/* The file that is read next has these sites and modules. */
void mpg_scale_places_begin(struct scale_places *places, const struct stat_places *source);
/* FRAMES frames of SITE (0 or more), at most, into FOUND, which is to be cleared, even on failure. */
int mpg_scale_places_find(struct scale_places *places, int32_t site, int frames, struct scale_frames *found,
                          struct mpg_error *err);
void mpg_scale_frames_clear(struct scale_frames *frames);
/* Whether frames so far were in several builds of one module. */
bool mpg_scale_places_differ(const struct scale_places *places);
/* The name of a module of which frames were in several builds, some where no line is known: they cannot be told to be
 * those of another build. NULL: there is none. As long as the places. */
const char *mpg_scale_places_unlined(const struct scale_places *places);
void mpg_scale_places_free(struct scale_places *places); /* NULL is allowed */

#endif
