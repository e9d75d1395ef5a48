/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of each run: replaces the number of ranks, and finds the program to be recorded. */
#ifndef MPG_SCALE_RUN_WORDS_H
#define MPG_SCALE_RUN_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define SCALE_RUN_RANKS "{ranks}"
#define SCALE_RUN_RECORD "{record}"

/* Returns true if a word of COMMAND (ended by NULL) contains {ranks}. */
bool mpg_scale_run_has_ranks(char *const *command);

/* Returns the index in COMMAND of the program to be recorded, or of the first {record}. Without {record}, the program is the
 * first word after the launcher's name that is not an option and that execvp(3) can run. Errors (-1): the launcher cannot be
 * executed; no program found, or none after {record}; several programs ("a : b") without {record}. */
int mpg_scale_run_program(char *const *command, struct mpg_error *err);

/* Returns COMMAND with {ranks} replaced by RANKS, and with the words of RECORD (ended by NULL) inserted before word PROGRAM
 * or in place of each {record}. The caller frees the result with mpg_scale_run_free_words(). NULL if out of memory. */
char **mpg_scale_run_words(char *const *command, int program, int32_t ranks, char *const *record);
void mpg_scale_run_free_words(char **words);

/* Writes the path of this package's mpgtrace, beside this program or else from PATH, into PATH of SIZE bytes. */
void mpg_scale_run_find_mpgtrace(char *path, unsigned long size);

#endif
