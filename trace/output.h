/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder that is to become a trace: written aside, and renamed once it is whole. If a signal ends
 * the program first it is removed (common/aside.h). */
#ifndef MPG_TRACE_OUTPUT_H
#define MPG_TRACE_OUTPUT_H

#include <stdbool.h>

#include "common/error.h"

/* What mpgsim keeps there, beside ranks' files, of what it has found in them. */
#define MPG_NAME_OF_FLOORS "mpgsim.floors"

struct mpg_trace_output {
    char path[4000];
    char aside[4096]; /* the folder that files go to meanwhile */
    bool force;
    const char *advice;
};

/* PATH may be there as an empty folder, or with FORCE as one of nothing but a trace's files, of this
 * user's, which will be replaced; without, ADVICE ends what is said of such a folder. Errors: it is
 * anything else, cannot be made, has too long a name, or none. */
int mpg_trace_output_open(struct mpg_trace_output *output, const char *path, bool force,
                          const char *advice, struct mpg_error *err);
/* Puts it in its place, or removes it on failure. */
int mpg_trace_output_commit(struct mpg_trace_output *output, struct mpg_error *err);
void mpg_trace_output_discard(struct mpg_trace_output *output);

#endif
