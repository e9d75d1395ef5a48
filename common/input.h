/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening files that are read. A pipe that no process writes to is an error, where fopen(3) would wait for ever. */
#ifndef MPG_INPUT_H
#define MPG_INPUT_H

#include <stdio.h>

#include "common/error.h"

enum { MPG_INPUT_PATIENCE_MS = 2000 };

/* Opens PATH for reading; the caller closes the stream. Of a pipe (a FIFO, or /dev/fd/N, which shells make of <(...)) this
 * waits MPG_INPUT_PATIENCE_MS for a process that writes to it. Of all else nothing is waited
 * for: a device that has nothing to read fails with EAGAIN. NULL with errno: as open(2), or ENODATA: no process writes to
 * the pipe. */
FILE *mpg_input_open(const char *path);

/* Reads FILE, which mpg_input_open(PATH) returned or which is stdin, to its end, and closes it if it is not stdin. FILE NULL:
 * errno says why it cannot be opened. Returns the content, *SIZE bytes and a 0, for the caller to free; or NULL with ERR: PATH
 * cannot be opened or read; it has more than MOST_MIB MiB; no memory. */
char *mpg_input_read(FILE *file, const char *path, unsigned most_mib, size_t *size, struct mpg_error *err);

#endif
