/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads OTF2 archives of Score-P and further tools with libotf2: mpgotf2(5). */
#ifndef MPG_OTF2_H
#define MPG_OTF2_H

#include "trace/format.h"

/* Imports the archive at PATH, which is the anchor file or the folder of the anchor file: see `import_path` in trace/format.h.
 * Reads in a child process: if libotf2 aborts because of a damaged archive, the result is an ordinary error. */
int mpg_otf2_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err);

#endif
