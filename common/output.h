/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files that are whole or not there: written aside, then renamed. */
#ifndef MPG_OUTPUT_H
#define MPG_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

struct mpg_output;

/* Opens PATH for writing ("-" is standard output, used directly). The data go
 * to a temporary file beside PATH until commit; to PATH itself if that is a device
 * or a pipe. A signal that ends the program removes it
 * (common/aside.h). The caller ends it with mpg_output_commit() or mpg_output_discard(),
 * both of which free it. */
struct mpg_output *mpg_output_open(const char *path, struct mpg_error *err);
FILE *mpg_output_stream(struct mpg_output *out);

/* Flushes, checks every write (a full disk is an error), renames. On failure
 * nothing is left behind. */
int mpg_output_commit(struct mpg_output *out, struct mpg_error *err);
void mpg_output_discard(struct mpg_output *out); /* NULL is allowed */

/* Flushes and closes standard output, reporting any write error before it. */
int mpg_stdout_close(struct mpg_error *err);

/* An error, if OUTPUT, a path or "-", is a file that is read as INPUT (NULL: nothing; "-": standard input; a
 * folder of a trace or of results: the file is a part of it, by its name would be), and would be replaced; OPTION, without its
 * dashes, says it. */
int mpg_output_spares(const char *option, const char *output, const char *input, struct mpg_error *err);
/* Whether paths A and B, which need not be there yet, name the same file; "-" is none. */
bool mpg_output_same(const char *a, const char *b);

/* Creates directory PATH unless it is there (parents must exist). */
int mpg_directory_make(const char *path, struct mpg_error *err);

#endif
