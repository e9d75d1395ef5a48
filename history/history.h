/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs of mpgsim with their answers, in an SQLite database (mpghistory(1)). Not thread-safe. Without SQLite
 * all functions that open a history fail. */
#ifndef MPG_HISTORY_H
#define MPG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/option.h"

/* A file that an answer depends on. */
struct mpg_history_input {
    char *role; /* such as "trace" or "signature" */
    char *path;
    char *sum;  /* checksum; "": standard input, or not readable again */
};

struct mpg_history_run {
    int64_t id;
    char *time;       /* UTC time of storing: "2026-11-23 03:25:01" */
    char *version;    /* mpgkit's version */
    char *directory;  /* working directory of the run */
    int64_t seed;
    size_t arguments, inputs;
    char **argument;  /* options that affect the answer ("--latency=exp:2us", ...), then the trace */
    struct mpg_history_input *input;
    char *answer;     /* ANSWER_BYTES bytes and a NUL */
    size_t answer_bytes;
};

void mpg_history_run_clear(struct mpg_history_run *run);
/* Returns true if mpgsim's OPTION ("latency" or "latency=exp:2us", name in full) can be part of a stored run. No
 * such option makes mpgsim write a file. */
bool mpg_history_stores_option(const char *option);
/* Option names of earlier versions that mpgsim still accepts, with the current ones; ended by NULL. */
extern const struct mpg_option_renamed mpg_history_renamed_options[];
/* Append a copy of TEXT, or of ROLE, PATH and SUM, to RUN. Return 0, or -1 with ERR if memory runs out. */
int mpg_history_add_argument(struct mpg_history_run *run, const char *text, struct mpg_error *err);
int mpg_history_add_input(struct mpg_history_run *run, const char *role, const char *path, const char *sum,
                          struct mpg_error *err);
/* Stores the size and 64-bit FNV-1a checksum of the file at PATH in SUM ("1234-0123456789abcdef"), or "" if PATH
 * is not a readable regular file. */
void mpg_history_checksum(const char *path, char sum[40]);

/* Stores RUN in FILE with the current time; its number goes to *ID. Creates FILE if necessary; waits a few seconds
 * for other writers. Returns 0, or -1 with ERR, with FILE unchanged: not a history, damaged, locked, not writable,
 * disk full. */
int mpg_history_store(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err);

/* A function called for each run; returns 0 to go on, or -1 with ERR. */
typedef int mpg_history_visitor(void *context, const struct mpg_history_run *run, struct mpg_error *err);
/* Calls VISITOR for all runs in FILE, without answers, oldest first. Returns 0, or -1 with ERR. */
int mpg_history_each(const char *file, mpg_history_visitor *visitor, void *context, struct mpg_error *err);
/* Reads run ID into RUN, which the caller must clear, also after an error. Returns 0, or -1 with ERR, also if
   there is no such run. */
int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err);

#endif
