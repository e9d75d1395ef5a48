/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of option parsing: included by common/option.c and common/option_help.c alone. */
#ifndef MPG_OPTION_PRIVATE_H
#define MPG_OPTION_PRIVATE_H

#include "common/option.h"

/* Writes WORDS, ended by NULL, into BUF of SIZE bytes, separated by BETWEEN, the last two by LAST; truncated. Returns BUF. */
const char *mpg_option_list_words(const char *const *words, const char *between, const char *last, char *buf, size_t size);
/* Prints --help of PROGRAM on standard output: ALL options, or only options with a brief text if any exist. */
void mpg_option_print_help(const struct mpg_program *program, bool all);
/* Prints the options of PROGRAM for shells on standard output. */
void mpg_option_print_completion(const struct mpg_program *program);

#endif
