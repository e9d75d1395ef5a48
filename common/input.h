/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens and reads input files. A pipe without a writer is an error; fopen(3) would block forever. */
#ifndef MPG_INPUT_H
#define MPG_INPUT_H

#include <stdio.h>

#include "common/error.h"

enum { MPG_INPUT_TIMEOUT_MS = 2000 };

/* Opens PATH for reading; the caller closes the stream. For a pipe (a FIFO, or /dev/fd/N, which shells create for <(...))
 * waits up to MPG_INPUT_TIMEOUT_MS for a writer. Never waits for other files: reading a device without data fails with
 * EAGAIN. Returns NULL with errno of open(2), or ENODATA if no process writes to the pipe. */
FILE *mpg_input_open(const char *path);

/* Reads FILE to the end and closes FILE unless FILE is stdin. FILE is stdin or the result of mpg_input_open(PATH); if NULL, errno
 * says why the open failed. Returns *SIZE bytes and a terminating 0, to be freed by the caller; or NULL with ERR: PATH cannot be
 * opened or read, PATH is larger than MAX_MIB MiB, out of memory. */
char *mpg_input_read(FILE *file, const char *path, unsigned max_mib, size_t *size, struct mpg_error *err);

#endif
