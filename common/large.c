/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/large.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void *mpg_large_alloc(size_t bytes)
{
    void *memory = aligned_alloc(MPG_LARGE_PAGE, bytes);
    if (!memory)
        return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a failure costs only speed */
#endif
#ifdef MADV_POPULATE_WRITE
    (void)madvise(memory, bytes, MADV_POPULATE_WRITE); /* maps all pages at once instead of in a page fault each */
#endif
    return memory;
}

#if defined __GLIBC__ && defined MADV_HUGEPAGE
static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY;
}

void mpg_large_heap(size_t bytes)
{
    enum { BLOCK = 1 << 20, MAX = 1 << 30, DEFAULT_PAD = 128 << 10 };
    if (bytes < MPG_LARGE_PAGE || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
        return;
    mallopt(M_MMAP_THRESHOLD, 2 * BLOCK); /* larger blocks are mapped by themselves */
    mallopt(M_TRIM_THRESHOLD, INT_MAX); /* the end of the heap is not given back */
    mallopt(M_TOP_PAD, bytes < MAX ? (int)bytes : MAX); /* the next block enlarges the heap by as much more */
    const uintptr_t before = (uintptr_t)sbrk(0), begin = (before + MPG_LARGE_PAGE - 1) / MPG_LARGE_PAGE * MPG_LARGE_PAGE;
    void *volatile block = malloc(BLOCK); /* volatile: a compiler may leave out an unused block */
    const uintptr_t end = (uintptr_t)sbrk(0);
    mallopt(M_TOP_PAD, DEFAULT_PAD);
    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    free(block);
}
#else
void mpg_large_heap(size_t bytes)
{
    (void)bytes;
}
#endif
