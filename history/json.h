/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kept runs as JSON; mpghistory(1) has the schema. */
#ifndef MPG_HISTORY_JSON_H
#define MPG_HISTORY_JSON_H

#include <stdio.h>

#include "history/history.h"

/* Writes RUN as an object, ANSWER: with the answer. Check TO's error flag for write errors. */
void mpg_history_put_run(FILE *to, const struct mpg_history_run *run, bool answer);

/* Writes the difference of two runs, as `mpghistory diff` does. ANSWERS: BYTES bytes of diff(1)'s output for the answers; 0
 * bytes: equal answers. */
void mpg_history_put_difference(FILE *to, const struct mpg_history_run run[2], const char *answers, size_t bytes);

/* Returns whether RUN has ARGUMENT. */
bool mpg_history_has(const struct mpg_history_run *run, const char *argument);
/* Returns RUN's input with LIKE's role and path but another checksum; NULL: none. */
const struct mpg_history_input *mpg_history_other_input(const struct mpg_history_run *run, const struct mpg_history_input *like);

#endif
