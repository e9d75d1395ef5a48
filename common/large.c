/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/large.h"

#include <stdlib.h>
#include <sys/mman.h>

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
