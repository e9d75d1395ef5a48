/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that may be compressed by gzip, as .prv.gz. */
#ifndef MPG_FOREIGN_UNPACK_H
#define MPG_FOREIGN_UNPACK_H

#include <stdio.h>

#include "common/kind.h"

/* Opens PATH for reading from the begin on; decompresses a gzip file. The caller closes the stream, which cannot be
 * positioned if compressed. Damage is a read error, EIO. Returns NULL with errno. */
FILE *mpg_unpack_open(const char *path);

/* Returns the kind of PATH, a file or folder: MPG_FILE_PARAVER also for a Paraver trace compressed by gzip. */
enum mpg_file_kind mpg_unpack_kind(const char *path);

#endif
