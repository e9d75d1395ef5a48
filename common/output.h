/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes output files atomically: into a temporary file, which replaces the output file on success. */
#ifndef MPG_OUTPUT_H
#define MPG_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

struct mpg_output;

/* Opens PATH for writing; "-" is standard output. Data go to a temporary file beside PATH until the commit, or directly to PATH
 * if PATH is a device or a pipe. A signal ending the program removes the temporary file (common/temporary.h). The caller ends
 * with mpg_output_commit() or mpg_output_discard(); both free the result. */
struct mpg_output *mpg_output_open(const char *path, struct mpg_error *err);
FILE *mpg_output_stream(struct mpg_output *out);

/* Writes the rest of STREAM's buffer. Returns 0, or the errno of a failed write, now or before. */
int mpg_output_flush(FILE *stream);

/* Flushes, checks for write errors (a full disk is an error) and renames. Removes the temporary file on failure. */
int mpg_output_commit(struct mpg_output *out, struct mpg_error *err);
void mpg_output_discard(struct mpg_output *out); /* OUT may be NULL */

/* Flushes and closes standard output. Reports any earlier write error. */
int mpg_stdout_close(struct mpg_error *err);

/* Returns an error if writing OUTPUT (a path or "-") would replace a file read as INPUT. INPUT: NULL for no input, "-" for
 * standard input, or a path; if INPUT is a folder of a trace or of results, the folder's files, and new files with the suffixes
 * of these files, count as input. OPTION is the option's name without dashes, for the message. */
int mpg_output_differs_from_input(const char *option, const char *output, const char *input, struct mpg_error *err);
/* Returns true if the paths A and B name the same file. The files need not exist. "-" equals no path. */
bool mpg_output_same(const char *a, const char *b);

/* Creates the directory PATH if missing. The parent must exist. */
int mpg_directory_make(const char *path, struct mpg_error *err);

#endif
