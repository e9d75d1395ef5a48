/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files that vanish with the process. */
#ifndef MPG_SPOOL_H
#define MPG_SPOOL_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

enum { MPG_SPOOL_NAME_BYTES = 4096 };

/* "a temporary file in FOLDER", for errors. */
const char *mpg_spool_name(char name[MPG_SPOOL_NAME_BYTES]);

/* An unlinked read-write file in $TMPDIR (or /tmp); the caller closes it. */
int mpg_spool_file(struct mpg_error *err);
/* Write SIZE bytes at AT of the file FD, which errors call NAME; and read as many, or fewer where the file ends, into *GOT. Both
 * go on after a signal. Return 0, or -1 with ERR. */
int mpg_spool_write(int fd, const void *bytes, size_t size, int64_t at, const char *name, struct mpg_error *err);
int mpg_spool_read(int fd, void *bytes, size_t size, int64_t at, const char *name, size_t *got, struct mpg_error *err);

/* Copies chunks of the native form from IN to its end into a new spool file, positioned at its start, which the caller
 * closes. The first N <= MPG_CHUNK_HEADER_BYTES bytes are in START, read from IN before. A last chunk that is cut off is
 * copied as far as it goes. Errors: a header is damaged, and nothing behind it has been read; reading or writing fails. */
int mpg_spool_chunks(FILE *in, const char *start, size_t n, struct mpg_error *err);

#endif
