/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system tells in short files, as those in /proc and /sys, without stdio, which
 * allocates: the tracer calls this in programs of others. */
#ifndef MPG_PEEK_H
#define MPG_PEEK_H

#include <stddef.h>
#include <sys/types.h>

/* The first bytes of PATH, at most SIZE - 1, into TEXT of SIZE bytes, and a NUL; how many,
 * 0 where it cannot be read. */
size_t mpg_peek(const char *path, char *text, size_t size);

#endif
