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
/* Write SIZE bytes at offset AT of FD, which errors call NAME; read up to SIZE bytes there, *GOT at the end of the
 * file. Interrupted calls are continued. Both return 0, or -1 with ERR. */
int mpg_spool_write(int fd, const void *bytes, size_t size, int64_t at, const char *name, struct mpg_error *err);
int mpg_spool_read(int fd, void *bytes, size_t size, int64_t at, const char *name, size_t *got, struct mpg_error *err);

/* Copies chunks of the native form from IN, up to its end, to a new spool file, which is returned at its start and
 * which the caller closes. The first N <= MPG_CHUNK_HEADER_BYTES bytes, already read, are in START. A truncated last
 * chunk is copied as far as it goes. Returns -1 with ERR: a damaged header (bytes behind it are not read), a read or
 * write error. */
int mpg_spool_chunks(FILE *in, const char *start, size_t n, struct mpg_error *err);

#endif
