/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs are to be done, in which order, and which have been: the folder with its manifest.
 * The manifest, manifest.tsv, has a line for each run that was done, its folder and what is known of it, as
 * `mpgscale FOLDER` reads it; lines that begin with # say how it came about: "#command", a tab before each of its
 * words, "#mode", "#input", "#record" and "#label" likewise, "#failed". It grows by whole lines only, so
 * that whatever ends us loses the run at hand at most. */
#ifndef MPG_SCALE_RUN_PLAN_H
#define MPG_SCALE_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/option.h"

enum { SCALE_RUN_MAX_COUNTS = 64, SCALE_RUN_MAX_REPETITIONS = 1000 };

struct scale_todo {
    int32_t ranks;
    int repetition; /* from 1 */
    bool done;
    char name[32];  /* "8-2": of its folder */
};

struct scale_plan {
    const char *folder;
    size_t n, done;
    struct scale_todo *todo; /* in the order in which they are to be done */
    int manifest;            /* descriptor, locked; -1: none */
    char *path;              /* of the manifest */
    char *labels;            /* "", or a tab before each */
};

/* "2,4,8-10" as counts, ascending, each once: how many, or -1 (ERR: no numbers of 1..1000000, too many). */
int mpg_scale_run_counts(const char *text, int32_t counts[SCALE_RUN_MAX_COUNTS], struct mpg_error *err);

/* The runs: REPETITIONS times all COUNTS, each time in an order of its own that SEED decides, so that neither
 * a drift of the machine nor an interruption meets some counts only. */
int mpg_scale_run_plan(const int32_t *counts, size_t count_number, int repetitions, int64_t seed,
                       struct scale_plan *plan, struct mpg_error *err);

/* How all runs are done, beside the command. */
struct scale_ways {
    const char *input;             /* file of standard input */
    struct mpg_option_list record; /* options of the recording */
    struct mpg_option_list labels; /* KEY=VALUE */
};

/* Makes FOLDER with a manifest for COMMAND in MODE, or finds the runs that one that is there has. Errors: the folder
 * cannot be made or is another command's or mode's, or its manifest says other WAYS (older ones say labels, of each
 * run), or another process is at work there. */
int mpg_scale_run_open(struct scale_plan *plan, const char *folder, char *const *command, const char *mode,
                       const struct scale_ways *ways, struct mpg_error *err);

/* That run is done, in SECONDS; adds its line. */
int mpg_scale_run_done(struct scale_plan *plan, struct scale_todo *todo, double seconds, struct mpg_error *err);
/* It has failed, for WHY. */
int mpg_scale_run_failed(struct scale_plan *plan, const struct scale_todo *todo, const char *why,
                         struct mpg_error *err);
void mpg_scale_run_close(struct scale_plan *plan);

#endif
