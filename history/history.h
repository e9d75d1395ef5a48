/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs of mpgsim, with answers, in an SQLite database (mpghistory(1)). Not thread-safe. Without SQLite all functions
 * that open a history fail. */
#ifndef MPG_HISTORY_H
#define MPG_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/option.h"

/* A file on which an answer depends. */
struct mpg_history_input {
    char *role; /* use of the file: "trace", "signature" */
    char *path;
    char *sum;  /* checksum by mpg_history_checksum(); "": standard input, or a file that cannot be read again */
};

struct mpg_history_run {
    int64_t id;
    char *time;       /* time of the store, UTC: "2026-11-23 03:25:01" */
    char *version;    /* version of mpgkit that made the answer */
    char *directory;  /* folder in which mpgsim ran */
    int64_t seed;
    size_t arguments, inputs;
    char **argument;  /* options that affect the answer ("--latency=exp:2us", ...), then the trace's name */
    struct mpg_history_input *input;
    char *answer;     /* `answer_bytes` bytes and a NUL */
    size_t answer_bytes;
};

void mpg_history_run_clear(struct mpg_history_run *run);
/* Returns whether a stored run may contain mpgsim's OPTION ("latency" or "latency=exp:2us", name in full). None of
 * these options makes mpgsim write a file. */
bool mpg_history_stores_option(const char *option);
/* Names of mpgsim's options in earlier versions, each with the present name; ended by NULL. */
extern const struct mpg_option_renamed mpg_history_renamed_options[];
/* mpg_history_add_argument() appends a copy of TEXT to RUN's arguments, mpg_history_add_input() an input to RUN's inputs.
 * Return 0, or -1 with ERR if memory runs out. */
int mpg_history_add_argument(struct mpg_history_run *run, const char *text, struct mpg_error *err);
int mpg_history_add_input(struct mpg_history_run *run, const char *role, const char *path, const char *sum,
                          struct mpg_error *err);
/* Stores the size and 64-bit FNV-1a checksum of the file at PATH in SUM ("1234-0123456789abcdef"), or "" if PATH
 * is not a readable regular file. */
void mpg_history_checksum(const char *path, char sum[40]);

/* Stores RUN in FILE with the current time; *ID: the run's number. Creates FILE if necessary; waits a few seconds for other
 * writers. Returns 0, or -1 with ERR, with FILE unchanged: not a history, damaged, locked, not writable, disk full. */
int mpg_history_store(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err);

/* Called for each run. Returns 0 to go on, or -1 with ERR. */
typedef int mpg_history_visitor(void *context, const struct mpg_history_run *run, struct mpg_error *err);
/* Calls VISITOR for all runs in FILE, without answers, oldest first. Returns 0, or -1 with ERR. */
int mpg_history_each(const char *file, mpg_history_visitor *visitor, void *context, struct mpg_error *err);
/* Reads run ID from FILE into RUN, which the caller must clear, also after an error. Returns 0, or -1 with ERR, also if FILE
 * has no run ID. */
int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err);

/* A signature kept in a history, for the health of its machine. */
struct mpg_history_signature {
    int64_t id;
    char *time;     /* time of the store, UTC: "2026-11-23 03:25:01" */
    char *version;  /* version of mpgkit that kept the signature */
    char *host;     /* the signature's header line host */
    char *measured; /* begin of the measurement, UTC: "2026-11-22T09:43:10Z" */
    char *path;     /* file name when kept */
    char *sum;      /* checksum by mpg_history_checksum() */
    char *text;     /* the whole file, `bytes` bytes and a NUL */
    size_t bytes;
};
void mpg_history_signature_clear(struct mpg_history_signature *s);

/* Stores S (id and time do not count) in FILE; *ID: the signature's number. Creates FILE if necessary. A history without
 * signatures is of version 1, which earlier mpgkits read, too; the first signature makes it version 2. Returns 0, or -1 with ERR,
 * with FILE unchanged: as mpg_history_store(), or S is in FILE already. */
int mpg_history_keep(const char *file, const struct mpg_history_signature *s, int64_t *id, struct mpg_error *err);
/* Called for each signature, which the visitor may take over by clearing S. Returns 0 to go on, or -1 with ERR. */
typedef int mpg_history_signature_visitor(void *context, struct mpg_history_signature *s, struct mpg_error *err);
/* Calls VISITOR for all signatures in FILE, the first measured first. Returns 0, or -1 with ERR. */
int mpg_history_each_signature(const char *file, mpg_history_signature_visitor *visitor, void *context, struct mpg_error *err);

#endif
