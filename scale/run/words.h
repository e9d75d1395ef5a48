/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the command for a run: with the number of ranks, and with the recorder before the program. */
#ifndef MPG_SCALE_RUN_WORDS_H
#define MPG_SCALE_RUN_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define SCALE_RUN_RANKS "{ranks}"
#define SCALE_RUN_RECORD "{record}"

/* Returns whether some word of COMMAND (ended by NULL) contains {ranks}. */
bool mpg_scale_run_has_ranks(char *const *command);

/* Returns the index in COMMAND of the word before which the recorder is inserted: the program, or the first {record}. Without
 * {record} the program is the first word after the launcher's name that is no option and can be executed by execvp(3). Errors
 * (-1): the launcher cannot be executed; no program found, or no word after {record}; several programs ("a : b") without
 * {record}. */
int mpg_scale_run_program(char *const *command, struct mpg_error *err);

/* Returns COMMAND with RANKS in place of {ranks}. The words of RECORD (ended by NULL) are inserted before word PROGRAM,
 * or replace each {record}. The caller frees the result with mpg_scale_run_free_words(). NULL: out of memory. */
char **mpg_scale_run_words(char *const *command, int program, int32_t ranks, char *const *record);
void mpg_scale_run_free_words(char **words);

/* Writes to PATH of SIZE bytes the name of this package's mpgtrace: mpgtrace in the folder of this program, else "mpgtrace",
 * to be found by the environment variable PATH. */
void mpg_scale_run_find_mpgtrace(char *path, unsigned long size);

#endif
