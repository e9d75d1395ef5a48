/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates memory in large pages where the system supports large pages. The first touch of a small page costs 0.1 us, and up to
 * 20 us in some virtual machines. For memory used in full. */
#ifndef MPG_LARGE_H
#define MPG_LARGE_H

#include <stddef.h>

enum { MPG_LARGE_PAGE = 2 << 20 };

/* Returns BYTES bytes (a multiple of MPG_LARGE_PAGE), aligned to MPG_LARGE_PAGE, to be freed by free(); NULL if out of
 * memory. */
void *mpg_large_alloc(size_t bytes);

/* Lets the next BYTES (up to 1 GiB) for which malloc() finds no room come from large pages. For many blocks of less than a large
 * page. Only address space is taken until the blocks are used. Without glibc, or under limits of memory, nothing happens. To be
 * called before other threads allocate. */
void mpg_large_heap(size_t bytes);

#endif
