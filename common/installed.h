/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where libraries of ours are that programs of ours load or preload. */
#ifndef MPG_INSTALLED_H
#define MPG_INSTALLED_H

#include <stddef.h>

#include "common/error.h"

/* The library NAME of ours: in $MPGKIT_LIBDIR; in a build tree, where the room BUILT beside this program
 * has it; or where it was installed with this program. Its path goes to PATH of SIZE bytes. */
int mpg_installed_library(const char *name, const char *built, char *path, size_t size,
                          struct mpg_error *err);

#endif
