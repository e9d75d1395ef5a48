/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an error says already which file it is about. */
#ifndef MPG_ABOUT_H
#define MPG_ABOUT_H

#include <stdbool.h>

/* TEXT begins with PATH, or a file in it, as "PATH: ..." and "PATH/FILE: ..." do. */
bool mpg_error_is_about(const char *text, const char *path);

#endif
