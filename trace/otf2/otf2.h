/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OTF2 archives, as Score-P and other tools record them, read with libotf2: mpgotf2(5). */
#ifndef MPG_OTF2_H
#define MPG_OTF2_H

#include "trace/format.h"

/* Imports the archive at PATH, its anchor file or the folder that holds the anchor file: see `import_path` in trace/format.h. The
 * reading runs in a child process, so damage that makes libotf2 abort is an error like any other. */
int mpg_otf2_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err);

#endif
