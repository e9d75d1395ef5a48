/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files that vanish with the process. */
#ifndef MPG_SPOOL_H
#define MPG_SPOOL_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

enum { MPG_SPOOL_NAME_BYTES = 4096 };

/* Writes "a temporary file in FOLDER", for errors, to NAME. Returns NAME. */
const char *mpg_spool_name(char name[MPG_SPOOL_NAME_BYTES]);

/* Returns an unlinked read-write file in $TMPDIR (or /tmp), which the caller closes; -1 with ERR. */
int mpg_spool_file(struct mpg_error *err);
/* mpg_spool_write() writes SIZE bytes at offset AT of FD, named NAME in errors. mpg_spool_read() reads SIZE bytes at AT, or
 * fewer at the end of the file; *GOT: the bytes read. Both continue interrupted calls and return 0, or -1 with ERR. */
int mpg_spool_write(int fd, const void *bytes, size_t size, int64_t at, const char *name, struct mpg_error *err);
int mpg_spool_read(int fd, void *bytes, size_t size, int64_t at, const char *name, size_t *got, struct mpg_error *err);

/* Copies chunks of the native form from IN, up to its end, to a new spool file. Returns the file, at position 0, for the
 * caller to close. START has the first N <= MPG_CHUNK_HEADER_BYTES bytes, already read. Of a truncated last chunk, the
 * existing bytes are copied. Returns -1 with ERR: a damaged header (bytes behind it are not read), a read or write error. */
int mpg_spool_chunks(FILE *in, const char *start, size_t n, struct mpg_error *err);

#endif
