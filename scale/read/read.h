/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads files into a struct scale_set. Only one file is in memory at a time; the sums by site and run are kept. */
#ifndef MPG_SCALE_READ_H
#define MPG_SCALE_READ_H

#include "common/error.h"
#include "scale/read/labels.h"
#include "scale/scale.h"

enum scale_unit { SCALE_UNIT_CALLSITE, SCALE_UNIT_CALL, SCALE_UNIT_REGION };

/* Properties by which a callsite is recognised in two runs. */
enum scale_by {
    SCALE_BY_ANY,     /* by address, or by line if a module has several builds */
    SCALE_BY_ADDRESS, /* by build-id and offset of the callsite's frames */
    SCALE_BY_LINE     /* by file and line of the callsite's frames */
};

enum { SCALE_FRAMES_AUTO = 0, SCALE_MAX_FRAMES = 64, SCALE_AUTO_DEPTH = 12 };

struct scale_reading {
    enum scale_unit unit;
    enum scale_by by;
    int frames;              /* number of frames of a callsite; SCALE_FRAMES_AUTO: callsites of all depths up to
                                SCALE_AUTO_DEPTH, each with its parent */
    const char *debug_path;  /* folder with debugging information: see mpg_symbols_new(); NULL: not given */
    bool computation;        /* sites are parts of the computation instead of calls: all computation and, with
                                SCALE_UNIT_REGION, the computation of each region */
    bool waits;              /* finds the wait times in traces */
    bool efficiency;         /* finds the times for efficiencies, and in traces the counters */
    bool unique;             /* of several runs with equal content, only one counts */
    bool ranks;              /* also stores the values of each rank (scale_set.details) */
    size_t label_number;
    const struct scale_label *only; /* `label_number` labels: only runs with at least one of these labels count; without labels
                                     * all runs count */
};

/* Notes for the user about files, a line each. */
struct scale_notes {
    size_t n, capacity;
    struct scale_note {
        char *path;  /* the file of the note; NULL: none */
        char *text;
        bool left_out; /* the file is left out */
    } *note;
};

/* Reads the runs in FILES into SET. NOTES gets a note for each file that is left out or doubtful. The caller clears SET and
 * NOTES, even after a failure. Error: out of memory. */
int mpg_scale_read(const struct scale_files *files, const struct scale_reading *how, struct scale_set *set,
                   struct scale_notes *notes, struct mpg_error *err);
void mpg_scale_notes_clear(struct scale_notes *notes);
/* Adds a note about PATH (NULL: about no file). LEFT_OUT: the file is left out. Error: out of memory. */
int mpg_scale_note(struct scale_notes *notes, const char *path, bool left_out, struct mpg_error *err,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
