/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs as JSON; mpghistory(1) is the schema. */
#ifndef MPG_HISTORY_JSON_H
#define MPG_HISTORY_JSON_H

#include <stdio.h>

#include "history/history.h"

/* Writes RUN as a JSON object to TO, with the answer if ANSWER. A write error sets TO's error flag. */
void mpg_history_write_json(FILE *to, const struct mpg_history_run *run, bool answer);

/* Writes the differences of two runs as `mpghistory diff --json` does. ANSWERS: BYTES bytes of diff(1)'s output for the
 * answers; 0 bytes: the answers are identical. */
void mpg_history_write_json_difference(FILE *to, const struct mpg_history_run run[2], const char *answers, size_t bytes);

/* Returns whether RUN has ARGUMENT. */
bool mpg_history_has_argument(const struct mpg_history_run *run, const char *argument);
/* Returns RUN's input with the role and path of LIKE if the checksum differs from LIKE's; NULL: none. */
const struct mpg_history_input *mpg_history_changed_input(const struct mpg_history_run *run,
                                                          const struct mpg_history_input *like);

#endif
