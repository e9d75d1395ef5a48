/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the harnesses share. A harness is one LLVMFuzzerTestOneInput() that gives a parser
 * its input in memory; libFuzzer, AFL++ or replay.c calls it. It aborts where a parser
 * broke a promise, as not to say why it refuses something. */
#ifndef MPG_FUZZ_H
#define MPG_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file, in memory, that holds SIZE bytes of DATA until the next call. */
const char *fuzz_file(const void *data, size_t size);

/* Where what is printed goes: nowhere. */
FILE *fuzz_nowhere(void);

/* ERR must say something (mpg_error_print() makes one line of it); aborts if it does not.
 * Set its text to "" before. */
void fuzz_check_error(const struct mpg_error *err);

#endif
