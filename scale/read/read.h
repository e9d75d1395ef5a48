/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From files to a struct scale_set. One file is in memory at a time; what stays are sums by site and run. */
#ifndef MPG_SCALE_READ_H
#define MPG_SCALE_READ_H

#include "common/error.h"
#include "scale/read/labels.h"
#include "scale/scale.h"

enum scale_unit { SCALE_UNIT_CALLSITE, SCALE_UNIT_CALL, SCALE_UNIT_REGION };

/* What makes callsites of two runs the same. */
enum scale_by {
    SCALE_BY_ANY,     /* ADDRESS; LINE where a module has several builds */
    SCALE_BY_ADDRESS, /* build-ids and offsets */
    SCALE_BY_LINE     /* what they are called */
};

enum { SCALE_FRAMES_AUTO = 0, SCALE_MOST_FRAMES = 64, SCALE_AUTO_DEPTH = 12 };

struct scale_reading {
    enum scale_unit unit;
    enum scale_by by;
    int frames;              /* SCALE_FRAMES_AUTO: sites of all depths up to SCALE_AUTO_DEPTH, each with its parent */
    const char *debug_path;  /* as mpg_symbols_new(); or NULL */
    bool computation;        /* sites are parts of computation, not of calls: all of it and, with SCALE_UNIT_REGION, each
                                region's */
    bool waits;              /* those of traces, too */
    bool unique;             /* of runs with the same content one counts */
    bool ranks;              /* what each rank did, too: the set's details */
    size_t label_number;
    const struct scale_label *only; /* runs without one of these labels do not count */
};

/* What is worth saying: lines. */
struct scale_notes {
    size_t n, capacity;
    struct scale_note {
        char *path;  /* NULL: of no file */
        char *text;
        bool left_out; /* the file is */
    } *note;
};

/* Reads the runs that FILES names into SET, and what was left out or is doubtful into NOTES; both are to be cleared,
 * even on failure. Errors: out of memory; nothing is left. */
int mpg_scale_read(const struct scale_files *files, const struct scale_reading *how, struct scale_set *set,
                   struct scale_notes *notes, struct mpg_error *err);
void mpg_scale_notes_clear(struct scale_notes *notes);
/* A line about PATH (or NULL). Error: out of memory. */
int mpg_scale_note(struct scale_notes *notes, const char *path, bool left_out, struct mpg_error *err,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
