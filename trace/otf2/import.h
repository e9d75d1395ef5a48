/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The import of an archive within the calling process. Private to trace/otf2/. */
#ifndef MPG_OTF2_IMPORT_H
#define MPG_OTF2_IMPORT_H

#include <stdio.h>

#include "trace/format.h"

/* Imports the archive with the anchor file ANCHOR like mpg_otf2_import(), and writes lines about the import to REPORT. Damage
 * can make libotf2 abort. Returns 0, or -1 with ERR. */
int mpg_otf2_import_here(const char *anchor, const char *target, int fd, const struct mpg_import_config *config, FILE *report,
                     struct mpg_error *err);

#endif
