/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files that vanish with the process. */
#ifndef MPG_SPOOL_H
#define MPG_SPOOL_H

#include "common/error.h"

enum { MPG_SPOOL_NAME_BYTES = 4096 };

/* "a temporary file in FOLDER", for errors. */
const char *mpg_spool_name(char name[MPG_SPOOL_NAME_BYTES]);

/* An unlinked read-write file in $TMPDIR (or /tmp); the caller closes it. */
int mpg_spool_file(struct mpg_error *err);
/* Copies FD to its end into a new spool file, positioned at its start. */
int mpg_spool_copy(int fd, struct mpg_error *err);

#endif
