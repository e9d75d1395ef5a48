/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kept runs of mpgsim with their answers, in a file: an SQLite database (mpghistory(1)). Not thread-safe. Without SQLite all
 * functions that open a file fail with an error. */
#ifndef MPG_HISTORY_H
#define MPG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/option.h"

/* An input file of an answer. */
struct mpg_history_input {
    char *role; /* for example "trace" or "signature" */
    char *path;
    char *sum;  /* checksum; "": standard input, or not readable twice */
};

struct mpg_history_run {
    int64_t id;
    char *time;       /* of keeping, UTC: "2026-11-23 03:25:01" */
    char *version;    /* version of mpgkit */
    char *directory;  /* working directory of the run */
    int64_t seed;
    size_t arguments, inputs;
    char **argument;  /* for example "--latency=exp:2us"; only arguments that affect the answer; the trace is last */
    struct mpg_history_input *input;
    char *answer;     /* ANSWER_BYTES bytes and a NUL */
    size_t answer_bytes;
};

void mpg_history_run_clear(struct mpg_history_run *run);
/* Returns whether a kept run can hold OPTION of mpgsim, given as "latency" or "latency=exp:2us" with the whole name. No such
 * option makes mpgsim write a file. */
bool mpg_history_keeps(const char *option);
/* Former words of mpgsim's options and their replacements (NULL: none); the last entry has no word. */
extern const struct mpg_option_renamed mpg_history_old_words[];
/* Append copies of the strings to RUN. Error: out of memory. */
int mpg_history_add_argument(struct mpg_history_run *run, const char *text, struct mpg_error *err);
int mpg_history_add_input(struct mpg_history_run *run, const char *role, const char *path, const char *sum,
                          struct mpg_error *err);
/* Writes size and 64-bit FNV-1a checksum of the file at PATH to SUM, for example "1234-0123456789abcdef"; "" if PATH is not a
 * regular file or cannot be read. */
void mpg_history_sum(const char *path, char sum[40]);

/* Adds RUN to FILE with the current time and stores the run's number in *ID. Creates FILE if absent. Waits up to 3 s for other
 * writers. Errors, in one line: not a history, damaged, locked, not writable, disk full. After an error FILE is unchanged. */
int mpg_history_keep(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err);

/* Visits a run; returns 0, or -1 with ERR to stop. */
typedef int mpg_history_see(void *who, const struct mpg_history_run *run, struct mpg_error *err);
/* Visits all runs of FILE, oldest first, without answers. */
int mpg_history_each(const char *file, mpg_history_see *see, void *who, struct mpg_error *err);
/* Reads run ID of FILE into RUN. Clear RUN even after an error. A missing run is an error. */
int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err);

#endif
