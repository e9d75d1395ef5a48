/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of sigshow. All functions print to standard output; main() checks for write errors at the end. */
#ifndef MPG_SHOW_H
#define MPG_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "signature/signature.h"

/* Maximum number of rows of a longer table in the overview; maximum number of cores in the overview; size of text buffers. */
enum { SHOW_ROWS = 10, SHOW_CORES = 8, SHOW_TEXT = 64 };

/* Makes all texts of SIG printable (common/printable.h), because texts from a file may contain terminal commands. SIG may
 * then be shown, but no longer compared or written. Errors: out of memory; SIG stays valid. */
int show_make_printable(struct mpg_signature *sig, struct mpg_error *err);

/* Amount of output, and a list of the data that the signature lacks. */
struct show {
    bool all; /* --all: every row of every table */
    size_t missing;
    const char *what[9];
};

/* Notes that WHAT, a plural and constant string ("detours"), was not measured. */
void show_missing(struct show *show, const char *what);
void show_all_missing(const struct show *show);

/* Returns whether row I of N is shown: all rows up to MAX, else MAX evenly chosen rows including first and last
 * (MAX >= 2). */
bool show_picked(size_t i, size_t n, size_t max);
/* Prints the line below a shortened table: "and 12 more sizes (--all shows them)"; nothing if N <= MAX. WHAT: a
 * plural. */
void show_rest(size_t n, size_t max, const char *what);

/* show_core_name() and show_rate() format into BUF of SHOW_TEXT bytes, and return BUF. */
char *show_core_name(char *buf, const char *host, int core);          /* "3", "node7:3" */
char *show_rate(char *buf, double rate, const char *unit);            /* "12.3 Gflop/s" */

/* Ends a row of a table: prints D's best fitted family and its Kolmogorov-Smirnov distance, if any, and a newline. */
void show_best_fit(const struct mpg_distribution *d);
/* show_time() prints a time in a column of 11 characters; show_quantiles() prints the quantiles 0.01, 0.5, 0.99 and 1 of D in
 * columns of 11 characters, or dashes if D is NULL. Median and 99th percentile are followed by 7 characters: the half width of
 * the 95 % interval ("2.3%"; "open": too few samples; "-": no interval). */
void show_time(double time_ns);
/* Prints a size in a column of 10 characters. */
void show_size(int64_t size_bytes);
void show_quantiles(const struct mpg_distribution *d);

/* Prints C's spectral lines: each fundamental with its harmonics. Without ALL only the first 4 fundamentals and the
 * first 6 harmonics of each. */
void show_lines(const struct mpg_noise_core *c, bool all);

/* Print the sections of the text. */
void show_noise(const struct mpg_signature *sig, struct show *show);
void show_network(const struct mpg_signature *sig, struct show *show);
/* Shows PATH's one-sided operations; nothing without them. */
void show_one_sided(const struct mpg_network_path *path, bool all);
/* Shows PATH's overlaps of transfers with computation; nothing without them. */
void show_overlap(const struct mpg_network_path *path, bool all);
void show_collectives(const struct mpg_signature *sig, struct show *show);
/* Shows the curves of the smallest and largest size of each class and direction, or all; nothing without curves. */
void show_sharing(const struct mpg_signature *sig, const struct show *show);
void show_compute(const struct mpg_signature *sig, struct show *show);
void show_fits(const struct mpg_signature *sig);

/* Prints SIG in at most nine lines: machine, noise, rates, messages, overheads, collectives, number of failed checks and the
 * first two failed checks. */
void show_short(const struct mpg_signature *sig);

/* Prints all rows of all sections as JSON (sigshow(1)); SIG comes from a file and need not be printable. */
void show_json(const struct mpg_signature *sig);

#endif
