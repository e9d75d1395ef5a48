/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build of mpgkit: its version, and the build id of the program if the linker wrote one. Findings of another build are not
 * used, since it may compute otherwise. */
#ifndef MPG_BUILD_H
#define MPG_BUILD_H

#include <stddef.h>

enum { MPG_BUILD_BYTES = 160 };

/* Writes the build in words, without a line end, to TEXT of MPG_BUILD_BYTES bytes; returns the length. */
size_t mpg_build_text(char *text);

#endif
