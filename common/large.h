/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates memory in large pages where the system supports them. The first touch of a small page costs 0.1 us, and up to 20
 * us in some virtual machines. For memory that is used in full. */
#ifndef MPG_LARGE_H
#define MPG_LARGE_H

#include <stddef.h>

enum { MPG_LARGE_PAGE = 2 << 20 };

/* Returns BYTES bytes (a multiple of MPG_LARGE_PAGE), aligned to MPG_LARGE_PAGE, to be freed by free(); NULL if out of
 * memory. */
void *mpg_large_alloc(size_t bytes);

#endif
