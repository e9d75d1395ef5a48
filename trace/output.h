/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder that becomes a trace: written under a temporary name, and renamed when complete. A signal that ends the program
 * removes the folder (common/temporary.h). */
#ifndef MPG_TRACE_OUTPUT_H
#define MPG_TRACE_OUTPUT_H

#include <stdbool.h>

#include "common/error.h"

/* File name of mpgsim's pre-pass cache, stored beside the rank files. */
#define MPG_NAME_OF_FLOORS "mpgsim.floors"

struct mpg_trace_output {
    char path[4000];
    char temporary[4096]; /* folder for files until the rename */
    bool force;
    const char *advice;
};

/* Prepares OUTPUT for PATH, which may exist as an empty folder or, with FORCE, as a folder of this user that holds only trace
 * files, which will be replaced. Without FORCE, ADVICE ends the error about a folder with trace files. Errors: PATH is anything
 * else, cannot be created, or is empty or too long. Returns 0, or -1 with ERR. */
int mpg_trace_output_open(struct mpg_trace_output *output, const char *path, bool force,
                          const char *advice, struct mpg_error *err);
/* Renames the folder to PATH, or removes it on failure. Returns 0, or -1 with ERR. */
int mpg_trace_output_commit(struct mpg_trace_output *output, struct mpg_error *err);
void mpg_trace_output_discard(struct mpg_trace_output *output);
/* After a failed write: names PATH in ERR instead of the temporary folder. Always returns -1. */
int mpg_trace_output_failed(const struct mpg_trace_output *output, struct mpg_error *err);

#endif
