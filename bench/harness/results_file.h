/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writer of results files (docs/results-format.md): header lines collected during a benchmark, then the samples. A
 * file is written completely or not at all. */
#ifndef MPG_RESULTS_FILE_H
#define MPG_RESULTS_FILE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum { MPG_RESULTS_VALUE = 1024, MPG_RESULTS_COLUMNS = 8 };

struct mpg_header_line;

/* Header lines "key: value". Zero-initialised is empty. */
struct mpg_header {
    size_t n;
    struct mpg_header_line *line;
};

/* Appends a line with KEY and the formatted value, truncated to MPG_RESULTS_VALUE bytes, control characters
 * replaced by blanks. Errors: out of memory. */
int mpg_header_add(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* As mpg_header_add(), but replaces an existing line KEY. */
int mpg_header_set(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void mpg_header_clear(struct mpg_header *header); /* frees the lines */

/* The samples of a file, row by row; the caller owns VALUE. */
struct mpg_bench_samples {
    const char *columns;             /* names of the columns: "size_bytes rtt_ns" */
    int n_columns;                   /* number of columns, 1..MPG_RESULTS_COLUMNS */
    int decimals[MPG_RESULTS_COLUMNS];
    size_t n;                        /* number of rows */
    const double *value;             /* n * n_columns values */
};

/* STEP, which may only call functions that signal handlers may call, runs before the process ends by SIGINT, SIGTERM or SIGHUP.
 * For main() only, once, before mpg_results_file_on_interrupt(). */
void mpg_results_file_before_interrupt(void (*step)(void));

/* Makes SIGINT, SIGTERM and SIGHUP report on standard error that PROGRAM was interrupted and the files in folder
 * DIR are complete, then end the process by default action. Silent once *SILENT (may be NULL) is true. The
 * arguments must stay valid; for main() only, once. */
void mpg_results_file_on_interrupt(const char *program, const char *dir, const atomic_bool *silent);
/* Blocks SIGINT, SIGTERM and SIGHUP in the calling thread, and stores in BEFORE the mask for sigprocmask(), which ends this. */
void mpg_results_file_block_interrupts(sigset_t *before);

/* Creates folder DIR if missing and checks that files can be created in DIR, before the measurement. Errors: the
 * system's. */
int mpg_results_file_prepare(const char *dir, struct mpg_error *err);

/* Writes DIR/NAME: header, columns, samples, closing count. SIGINT, SIGTERM and SIGHUP are blocked meanwhile.
 * Errors: the system's; then no file remains. */
int mpg_results_file_write(const char *dir, const char *name, const struct mpg_header *header,
                     const struct mpg_bench_samples *samples, struct mpg_error *err);

#endif
