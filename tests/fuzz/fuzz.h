/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions shared by the fuzzing harnesses. A harness is one LLVMFuzzerTestOneInput(), which gives its input in memory
 * to a parser; libFuzzer, AFL++ or replay.c calls it. A harness aborts if a parser breaks a promise, for example
 * refuses an input without a message. */
#ifndef MPG_FUZZ_H
#define MPG_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the name of a file in memory that holds the SIZE bytes of DATA, valid until the next call. */
const char *fuzz_file(const void *data, size_t size);

/* Returns a stream that discards its output. */
FILE *fuzz_nowhere(void);

/* Aborts unless ERR has a message that mpg_error_print() prints as one line. The caller empties the message before the
 * parser runs. */
void fuzz_check_error(const struct mpg_error *err);

#endif
