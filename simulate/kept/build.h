/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which build of mpgkit this is: its version, and the build id that the linker gave the program, if any.
 * What one build has kept is not another's, as long as either may reckon otherwise. */
#ifndef MPG_BUILD_H
#define MPG_BUILD_H

#include <stddef.h>

enum { MPG_BUILD_BYTES = 160 };

/* Writes it to TEXT of MPG_BUILD_BYTES, in words without a line end: its length. */
size_t mpg_build_text(char *text);

#endif
