/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests memory before use, so the processor goes on while the data come. */
#ifndef MPG_PREFETCH_H
#define MPG_PREFETCH_H

#include <stddef.h>

/* Bytes of a cache line. */
enum { MPG_LINE = 64 };

/* Requests the cache line of AT, any address. The empty asm statement keeps the calls of functions with no effect but prefetches:
 * the compiler otherwise takes these functions for functions without effect, and removes the calls. */
static inline void mpg_prefetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/* Requests BYTES bytes from FROM on. */
static inline void mpg_prefetch_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += MPG_LINE)
        mpg_prefetch((const char *)from + i);
}

#endif
