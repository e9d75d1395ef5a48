/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads files into a struct scale_set. Only one file is in memory at a time; sums by site and run are kept. */
#ifndef MPG_SCALE_READ_H
#define MPG_SCALE_READ_H

#include "common/error.h"
#include "scale/read/labels.h"
#include "scale/scale.h"

enum scale_unit { SCALE_UNIT_CALLSITE, SCALE_UNIT_CALL, SCALE_UNIT_REGION };

/* How callsites of two runs are matched. */
enum scale_by {
    SCALE_BY_ANY,     /* by address; by line if a module has several builds */
    SCALE_BY_ADDRESS, /* by build-id and offset */
    SCALE_BY_LINE     /* by name */
};

enum { SCALE_FRAMES_AUTO = 0, SCALE_MAX_FRAMES = 64, SCALE_AUTO_DEPTH = 12 };

struct scale_reading {
    enum scale_unit unit;
    enum scale_by by;
    int frames;              /* number of frames; SCALE_FRAMES_AUTO: sites of all depths up to SCALE_AUTO_DEPTH, each with its
                                parent */
    const char *debug_path;  /* see mpg_symbols_new(); may be NULL */
    bool computation;        /* sites are parts of computation instead of calls: all computation and, with SCALE_UNIT_REGION,
                                the computation of each region */
    bool waits;              /* find the wait times of traces */
    bool efficiency;         /* find the times of efficiencies, and of traces the counters */
    bool unique;             /* count only one of several runs with the same content */
    bool ranks;              /* also store each rank's values (the set's details) */
    size_t label_number;
    const struct scale_label *only; /* only runs with one of these labels count */
};

/* Notes about files, one line each. */
struct scale_notes {
    size_t n, capacity;
    struct scale_note {
        char *path;  /* NULL: not about a file */
        char *text;
        bool left_out; /* the file is excluded */
    } *note;
};

/* Reads the runs named by FILES into SET, and adds notes about excluded and doubtful files to NOTES. The caller clears both,
 * even after a failure. Error: out of memory; nothing is left allocated. */
int mpg_scale_read(const struct scale_files *files, const struct scale_reading *how, struct scale_set *set,
                   struct scale_notes *notes, struct mpg_error *err);
void mpg_scale_notes_clear(struct scale_notes *notes);
/* Adds a note about PATH (may be NULL). Error: out of memory. */
int mpg_scale_note(struct scale_notes *notes, const char *path, bool left_out, struct mpg_error *err,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
