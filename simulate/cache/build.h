/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies the build of mpgkit by the version, and by the program's build id if written by the linker. Cached findings of
 * another build are ignored, because computations can differ between builds. */
#ifndef MPG_BUILD_H
#define MPG_BUILD_H

#include <stddef.h>

enum { MPG_BUILD_BYTES = 160 };

/* Writes the version and build id, without a line end, to TEXT of MPG_BUILD_BYTES bytes; returns the length. */
size_t mpg_build_text(char *text);

#endif
