/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planned runs, in order of execution, and the state of the runs: the folder with the manifest.
 *
 * The manifest, manifest.tsv, has a line for each finished run, with the run's folder and labels, as read by `mpgscale
 * FOLDER`. Lines that begin with # describe the origin: "#command" with the words of the command, "#mode", "#input",
 * "#record", "#label" and "#failed", all separated by tabs. Only whole lines are appended: an interruption loses at most the
 * current run. */
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
    int repetition; /* number of the repetition, from 1 */
    bool done;
    char name[32];  /* name of the run's folder: "8-2" for 8 ranks, repetition 2 */
};

struct scale_plan {
    const char *folder;
    size_t n, done;
    struct scale_todo *todo; /* runs in the order of execution */
    int manifest;            /* descriptor of the manifest, which is locked; -1: not open */
    char *path;              /* name of the manifest */
    char *labels;            /* all labels, with a tab before each; "": none */
};

/* Parses "2,4,8-10" into process counts, ascending, each once. Returns the number of counts, or -1 with ERR: not numbers from
 * 1 to 1000000, too many numbers. */
int mpg_scale_run_counts(const char *text, int32_t counts[SCALE_RUN_MAX_COUNTS], struct mpg_error *err);

/* Plans REPETITIONS runs at each of the COUNTS. The order within each repetition is random, by SEED, which makes drift of the
 * machine or an interruption affect all counts alike. Error: out of memory. */
int mpg_scale_run_plan(const int32_t *counts, size_t count_number, int repetitions, int64_t seed,
                       struct scale_plan *plan, struct mpg_error *err);

/* Settings that must be equal for all runs of a folder, besides the command. */
struct scale_run_settings {
    const char *input;             /* name of the file for standard input */
    struct mpg_option_list record; /* options for mpgtrace record */
    struct mpg_option_list labels; /* KEY=VALUE */
};

/* Creates FOLDER with a manifest for COMMAND in MODE; if FOLDER has a manifest, marks the runs in this manifest as done.
 * Errors: FOLDER cannot be created; the manifest has a different command, mode or SETTINGS (older manifests: a run with
 * different labels); another process uses FOLDER. */
int mpg_scale_run_open(struct scale_plan *plan, const char *folder, char *const *command, const char *mode,
                       const struct scale_run_settings *settings, struct mpg_error *err);

/* Notes in the manifest that the run is done and took SECONDS. */
int mpg_scale_run_done(struct scale_plan *plan, struct scale_todo *todo, double seconds, struct mpg_error *err);
/* Notes in the manifest that the run failed, with the reason WHY. */
int mpg_scale_run_failed(struct scale_plan *plan, const struct scale_todo *todo, const char *why,
                         struct mpg_error *err);
void mpg_scale_run_close(struct scale_plan *plan);

#endif
