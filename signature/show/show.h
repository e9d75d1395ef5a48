/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of sigshow share. They print to standard output; the main
 * function checks that it was written. */
#ifndef MPG_SHOW_H
#define MPG_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "signature/signature.h"

/* Of longer tables the overview shows this many rows, evenly chosen. */
enum { SHOW_ROWS = 10, SHOW_CORES = 8, SHOW_TEXT = 64 };

/* Makes all texts of SIG fit for people's eyes (common/printable.h): as they stand in the file,
 * they may command the terminal. What was read for being shown is then shown from SIG; it is
 * no longer what is to be compared or written. Errors: out of memory, SIG is whole still. */
int show_make_printable(struct mpg_signature *sig, struct mpg_error *err);

/* What is shown, and what the sections found to be missing. */
struct show {
    bool all; /* every row */
    size_t missing;
    const char *what[9];
};

/* Notes that WHAT, a plural of static storage, was not measured. */
void show_missing(struct show *show, const char *what);
void show_all_missing(const struct show *show);

/* Whether row I of N is shown: all of at most MOST, else MOST evenly chosen ones
 * with the first and the last (MOST >= 2). */
bool show_picked(size_t i, size_t n, size_t most);
/* The line below such a table: "and 12 more sizes (--all shows them)"; nothing
 * when N <= MOST. WHAT is a plural. */
void show_rest(size_t n, size_t most, const char *what);

/* Readable texts in BUF of SHOW_TEXT bytes, which they return. */
char *show_core_name(char *buf, const char *host, int core);          /* "3", "node7:3" */
char *show_rate(char *buf, double rate, const char *unit);            /* "12.3 Gflop/s" */

/* The end of a row: D's best fitted family and its distance, when it has one. */
void show_best_fit(const struct mpg_distribution *d);
/* Columns of 11 characters: a time; quantiles 0.01, 0.5, 0.99 and 1 of D, or
 * dashes when it is NULL. The median and the 99th percentile are each followed by 7 characters:
 * how far its 95 % interval goes ("2.3%"; "open": too few samples; "-": not stated). */
void show_time(double time_ns);
void show_quantiles(const struct mpg_distribution *d);

/* Rows of C's spectral lines: each fundamental with its harmonics, of many the first. */
void show_lines(const struct mpg_noise_core *c, bool all);

/* The sections of the text. */
void show_noise(const struct mpg_signature *sig, struct show *show);
void show_network(const struct mpg_signature *sig, struct show *show);
void show_collectives(const struct mpg_signature *sig, struct show *show);
void show_compute(const struct mpg_signature *sig, struct show *show);
void show_fits(const struct mpg_signature *sig);

/* All of that for all rows as JSON (sigshow(1)); SIG was read from a file and need not be fit. */
void show_json(const struct mpg_signature *sig);

#endif
