/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that is run at each process count: what stands in it for that, and where the program is
 * that is to be recorded. */
#ifndef MPG_SCALE_RUN_WORDS_H
#define MPG_SCALE_RUN_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define SCALE_RUN_RANKS "{ranks}"
#define SCALE_RUN_RECORD "{record}"

/* Whether a word of COMMAND, which NULL ends, has {ranks} in it. */
bool mpg_scale_run_has_ranks(char *const *command);

/* Which word of COMMAND is the program to be recorded, or the first {record}. Without {record}: the first
 * word behind the launcher's name that is no option and that can be run, as execvp(3) finds it.
 * Errors (-1): the launcher cannot be run; there is no such program, or none behind {record}; it is not clear as there
 * are several ("a : b"). */
int mpg_scale_run_program(char *const *command, struct mpg_error *err);

/* COMMAND for RANKS: {ranks} everywhere, and the words of RECORD, which NULL ends, in front of word PROGRAM or
 * instead of each {record}. For mpg_scale_run_free_words(); NULL without memory. */
char **mpg_scale_run_words(char *const *command, int program, int32_t ranks, char *const *record);
void mpg_scale_run_free_words(char **words);

/* This package's mpgtrace, beside this program or in the folders of PATH; PATH of SIZE bytes. */
void mpg_scale_run_find_mpgtrace(char *path, unsigned long size);

#endif
