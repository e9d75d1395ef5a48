/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the mpgkit libraries to be loaded or preloaded by mpgkit programs. */
#ifndef MPG_INSTALLED_H
#define MPG_INSTALLED_H

#include <stddef.h>

#include "common/error.h"

/* Finds the mpgkit library NAME and writes its path into PATH of SIZE bytes. Searches $MPGKIT_LIBDIR if set; otherwise the
 * build folder BUILT beside this program (build tree), then the installation folder. Returns 0 or -1 with ERR. */
int mpg_installed_library(const char *name, const char *built, char *path, size_t size,
                          struct mpg_error *err);

#endif
