/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads short files in /proc and /sys without stdio, which allocates: the tracer calls this function inside the application. */
#ifndef MPG_PEEK_H
#define MPG_PEEK_H

#include <stddef.h>
#include <sys/types.h>

/* Reads at most SIZE - 1 bytes of PATH into TEXT of SIZE bytes and terminates TEXT. Returns the number of bytes; 0 if PATH
 * cannot be read. */
size_t mpg_peek(const char *path, char *text, size_t size);

#endif
