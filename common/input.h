/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening files that are read. A pipe that no process writes to is an error, where fopen(3) would wait for ever. */
#ifndef MPG_INPUT_H
#define MPG_INPUT_H

#include <stdio.h>

enum { MPG_INPUT_PATIENCE_MS = 2000 };

/* Opens PATH for reading; the caller closes the stream. Of a pipe (a FIFO, or /dev/fd/N, which shells make of <(...)) this
 * waits MPG_INPUT_PATIENCE_MS for a process that writes to it. Of all else nothing is waited
 * for: a device that has nothing to read fails with EAGAIN. NULL with errno: as open(2), or ENODATA: no process writes to
 * the pipe. */
FILE *mpg_input_open(const char *path);

#endif
