/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of mpgsim that were kept, with their answers, in a file: an SQLite database of mpgkit's (mpghistory(1)). Not
 * thread-safe. Without SQLite every function that opens one says so. */
#ifndef MPG_HISTORY_H
#define MPG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/option.h"

/* A file that an answer depends on. */
struct mpg_history_input {
    char *role; /* "trace", "signature" */
    char *path;
    char *sum;  /* its checksum; "": none, it was standard input or cannot be read again */
};

struct mpg_history_run {
    int64_t id;
    char *time;       /* when it was kept, UTC: "2026-11-23 03:25:01" */
    char *version;    /* of mpgkit */
    char *directory;  /* that it ran in */
    int64_t seed;
    size_t arguments, inputs;
    char **argument;  /* "--latency=exp:2us" ..., what the answer depends on; the trace is the last one */
    struct mpg_history_input *input;
    char *answer;     /* ANSWER_BYTES of them, and a NUL */
    size_t answer_bytes;
};

void mpg_history_run_clear(struct mpg_history_run *run);
/* Whether a kept run can hold OPTION of mpgsim, "latency" or "latency=exp:2us", by its whole name. No such option makes
 * mpgsim write a file. */
bool mpg_history_keeps(const char *option);
/* Words of mpgsim's options in earlier versions, which mpgsim understands, and those that take their place; ended by NULL. */
extern const struct mpg_option_renamed mpg_history_old_words[];
/* Takes copies of TEXT, or of the three, into RUN. Error: out of memory. */
int mpg_history_add_argument(struct mpg_history_run *run, const char *text, struct mpg_error *err);
int mpg_history_add_input(struct mpg_history_run *run, const char *role, const char *path, const char *sum,
                          struct mpg_error *err);
/* Of the file at PATH, its bytes' size and 64-bit FNV-1a sum, "1234-0123456789abcdef", in SUM of 40 bytes; "" if it is no
 * regular file or cannot be read. */
void mpg_history_sum(const char *path, char sum[40]);

/* Keeps RUN in FILE, which is made if it is not there, at the present time; its number goes to *ID. Waits some seconds
 * for who else writes. Errors, in a line: it is no history, damaged, locked, may not be written, the disk is full. FILE
 * is then as it was. */
int mpg_history_keep(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err);

/* What is done with a RUN; 0, or -1 with ERR. */
typedef int mpg_history_see(void *who, const struct mpg_history_run *run, struct mpg_error *err);
/* All of FILE's runs, the oldest first, without their answers. */
int mpg_history_each(const char *file, mpg_history_see *see, void *who, struct mpg_error *err);
/* Run ID, into RUN, which is to be cleared even on failure. Errors: there is none, too. */
int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err);

#endif
