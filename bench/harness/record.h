/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writer of the results files (docs/results-format.md): header lines collected
 * while a benchmark runs, then the samples, whole or not at all. */
#ifndef MPG_RECORD_H
#define MPG_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum { MPG_RECORD_VALUE = 1024, MPG_RECORD_COLUMNS = 8 };

struct mpg_record_line;

/* Header lines "key: value". Zero-initialised is empty. */
struct mpg_header {
    size_t n;
    struct mpg_record_line *line;
};

/* Appends a line; the value comes from a printf format, is cut at
 * MPG_RECORD_VALUE bytes, and its control characters become blanks.
 * Fails only when out of memory. */
int mpg_header_add(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* As mpg_header_add(), in the place of the line KEY where there is one. */
int mpg_header_set(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void mpg_header_clear(struct mpg_header *header); /* frees the lines */

/* The samples of one file, row by row; VALUE is the caller's. */
struct mpg_bench_samples {
    const char *columns;             /* "size_bytes rtt_ns" */
    int n_columns;                   /* 1..MPG_RECORD_COLUMNS */
    int decimals[MPG_RECORD_COLUMNS];
    size_t n;                        /* rows */
    const double *value;             /* n * n_columns */
};

/* From now on SIGINT, SIGTERM and SIGHUP say on standard error that PROGRAM (its
 * name) was interrupted, and that what is in folder DIR is whole, and then end
 * the process as they would have. They say nothing once *SILENT (may be NULL) is
 * true. The three must stay; for main() only, once. */
void mpg_record_announce(const char *program, const char *dir, const atomic_bool *silent);

/* Makes folder DIR unless it is there, and checks that a file can be made in
 * it, before anything is measured. Errors: what the system said. */
int mpg_record_prepare(const char *dir, struct mpg_error *err);

/* Writes DIR/NAME: the header, the columns, the samples, the closing count.
 * SIGINT, SIGTERM and SIGHUP wait until the file is whole, so that none leaves
 * a part behind. Errors: what the system said; then nothing is left. */
int mpg_record_write(const char *dir, const char *name, const struct mpg_header *header,
                     const struct mpg_bench_samples *samples, struct mpg_error *err);

#endif
