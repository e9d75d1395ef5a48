/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that were kept, for programs; mpghistory(1) is the schema. */
#ifndef MPG_HISTORY_JSON_H
#define MPG_HISTORY_JSON_H

#include <stdio.h>

#include "history/history.h"

/* RUN as an object, with its answer if asked. TO's error flag tells whether writing failed. */
void mpg_history_put_run(FILE *to, const struct mpg_history_run *run, bool answer);

/* What differs between two runs: as `mpghistory diff` has it. ANSWERS, BYTES of them, is what diff(1) says of their answers; no
 * bytes: they are the same. */
void mpg_history_put_difference(FILE *to, const struct mpg_history_run run[2], const char *answers, size_t bytes);

/* Whether RUN has ARGUMENT. */
bool mpg_history_has(const struct mpg_history_run *run, const char *argument);
/* RUN's input of LIKE's role and path that is not the same file; NULL if there is none. */
const struct mpg_history_input *mpg_history_other_input(const struct mpg_history_run *run, const struct mpg_history_input *like);

#endif
