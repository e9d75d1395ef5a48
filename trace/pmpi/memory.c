/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slabs of blocks of one size, and mappings of single large blocks. Both begin with a head at a multiple of SLAB_BYTES, and every
 * block begins in the first SLAB_BYTES of the mapping: the head is found from the block's address. */
#include "trace/pmpi/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SLAB_BYTES = 1 << 16,
    PAGE_BYTES = 1 << 12,
    ALIGNMENT = 16,
    STEPS = 4,            /* number of block sizes between two powers of two */
    LARGEST_SMALL = 8192,
    SIZES = 32,           /* number of block sizes: 16, 32, 48, 64, 80, 96, 112, 128, 160 ... 8192 bytes */
    LARGE = SIZES,        /* value of slab.size for a mapping of one large block */
    AT_ONCE = 8,          /* number of slabs mapped in one call */
    MAX_POPULATED = AT_ONCE * SLAB_BYTES,
    KEPT_BYTES = 4 << 20  /* limit on the bytes of freed large blocks kept for reuse */
};

struct slab {
    struct slab *next, *previous; /* neighbours in the list of slabs with room, or of kept large blocks */
    size_t bytes;                 /* bytes of the mapping */
    uint32_t size;                /* index of the slab's block size, below SIZES; or LARGE */
    uint32_t used;                /* number of blocks in use */
    uint32_t fresh;               /* offset of the first never used block */
    void *unused;                 /* list of freed blocks; each block begins with a pointer to the next */
};
enum { HEAD_BYTES = (sizeof(struct slab) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

static struct {
    pthread_mutex_t lock;
    struct slab *with_room[SIZES];
    bool has_empty[SIZES]; /* by size: whether a slab has no block in use */
    struct slab *kept;
    size_t kept_bytes, mapped_bytes;
    struct slab *spare; /* list of SPARE_NUMBER mapped, unused slabs */
    unsigned spare_number;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Set while this thread holds the lock, so that a signal handler that interrupts the thread does not wait for the lock. */
static __thread volatile bool inside __attribute__((tls_model("initial-exec")));

static bool enter(void)
{
    if (inside)
        return false;
    inside = true;
    pthread_mutex_lock(&memory.lock);
    return true;
}

static void leave(void)
{
    pthread_mutex_unlock(&memory.lock);
    inside = false;
}

/* --- sizes --- */

/* Returns the index of the smallest size with at least N bytes, N > 0. From 64 bytes on there are STEPS sizes between
 * powers of two. */
static uint32_t size_of(size_t n)
{
    if (n <= 64)
        return (uint32_t)((n - 1) / ALIGNMENT);
    const unsigned power = 63 - (unsigned)__builtin_clzll(n - 1); /* exponent of the power of two below N */
    return (power - 5) * STEPS + (uint32_t)((n - 1) >> (power - 2)) - STEPS;
}

static size_t bytes_of(uint32_t size)
{
    if (size < STEPS)
        return (size + 1) * (size_t)ALIGNMENT;
    return (size_t)(STEPS + 1 + size % STEPS) << (size / STEPS + 3);
}

/* --- mappings --- */

/* Makes the pages of BYTES at P present at once, which is faster than a page fault for each. Before Linux 5.14 the system call is
 * missing, and pages become present one by one. */
static void populate(void *p, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    (void)madvise(p, bytes, MADV_POPULATE_WRITE);
#else
    (void)p, (void)bytes;
#endif
}

/* Maps BYTES, a multiple of a page, at a multiple of SLAB_BYTES; NULL without memory. */
static char *map(size_t bytes)
{
    const size_t more = bytes + SLAB_BYTES;
    char *p = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    const size_t before = (size_t)(-(uintptr_t)p % SLAB_BYTES);
    if (before > 0)
        (void)munmap(p, before);
    if (before < SLAB_BYTES)
        (void)munmap(p + before + bytes, SLAB_BYTES - before);
    if (bytes <= MAX_POPULATED)
        populate(p + before, bytes);
    return p + before;
}

/* Maps a large block of BYTES, a multiple of a page; NULL without memory. */
static struct slab *map_large(size_t bytes)
{
    struct slab *slab = (struct slab *)(void *)map(bytes);
    if (slab) {
        slab->bytes = bytes;
        memory.mapped_bytes += bytes;
    }
    return slab;
}

/* Maps AT_ONCE slabs and adds them to the list of spare slabs. Returns false without memory. */
static bool map_spare(void)
{
    char *p = map(AT_ONCE * SLAB_BYTES);
    for (unsigned i = AT_ONCE; p && i-- > 0;) { /* backwards, to order the list by address */
        struct slab *slab = (struct slab *)(void *)(p + (size_t)i * SLAB_BYTES);
        slab->next = memory.spare;
        memory.spare = slab;
        memory.spare_number++;
    }
    return p;
}

/* Returns an unused slab, or NULL without memory. */
static struct slab *map_slab(void)
{
    if (memory.spare_number == 0 && !map_spare())
        return NULL;
    struct slab *slab = memory.spare;
    memory.spare = slab->next;
    memory.spare_number--;
    slab->next = NULL;
    slab->bytes = SLAB_BYTES;
    memory.mapped_bytes += SLAB_BYTES;
    return slab;
}

static void unmap(struct slab *slab)
{
    memory.mapped_bytes -= slab->bytes;
    (void)munmap(slab, slab->bytes);
}

static struct slab *slab_of(void *block)
{
    return (struct slab *)((uintptr_t)block & ~(uintptr_t)(SLAB_BYTES - 1));
}

static void put_first(struct slab **list, struct slab *slab)
{
    slab->previous = NULL;
    slab->next = *list;
    if (*list)
        (*list)->previous = slab;
    *list = slab;
}

static void take_out(struct slab **list, struct slab *slab)
{
    *(slab->previous ? &slab->previous->next : list) = slab->next;
    if (slab->next)
        slab->next->previous = slab->previous;
}

/* --- small blocks --- */

static bool has_room(const struct slab *slab)
{
    return slab->unused || slab->fresh + bytes_of(slab->size) <= SLAB_BYTES;
}

/* Returns a block of SIZE. Sets *ZERO if all bytes are zero, as in a new slab. */
static void *take_small(uint32_t size, bool *zero)
{
    struct slab *slab = memory.with_room[size];
    if (!slab) {
        if (!(slab = map_slab()))
            return NULL;
        slab->size = size;
        slab->fresh = HEAD_BYTES;
        put_first(&memory.with_room[size], slab);
    }
    void *block = slab->unused;
    *zero = !block;
    if (block) {
        slab->unused = *(void **)block;
    } else {
        block = (char *)slab + slab->fresh;
        slab->fresh += (uint32_t)bytes_of(size);
    }
    if (slab->used++ == 0)
        memory.has_empty[size] = false; /* at most one slab of a size is empty, and this slab was empty */
    if (!has_room(slab))
        take_out(&memory.with_room[size], slab);
    return block;
}

static void give_small(struct slab *slab, void *block)
{
    struct slab **list = &memory.with_room[slab->size];
    const bool was_full = !has_room(slab);
    *(void **)block = slab->unused;
    slab->unused = block;
    if (was_full)
        put_first(list, slab);
    if (--slab->used > 0)
        return;
    take_out(list, slab);
    if (memory.has_empty[slab->size]) {
        unmap(slab);
        return;
    }
    memory.has_empty[slab->size] = true;
    put_first(list, slab);
}

/* --- large ones --- */

/* Returns the size of the mapping for a large block of BYTES. Rounded up in steps: a kept block then fits a later request of
 * similar size. */
static size_t mapping_bytes(size_t bytes)
{
    const size_t need = bytes + HEAD_BYTES;
    const size_t step = ((size_t)1 << (63 - (unsigned)__builtin_clzll(need - 1))) / STEPS;
    const size_t unit = step > PAGE_BYTES ? step : PAGE_BYTES;
    return (need + unit - 1) / unit * unit;
}

/* Returns a block of BYTES. Sets *FRESH if all bytes are zero. */
static void *take_large(size_t bytes, bool *fresh)
{
    const size_t need = mapping_bytes(bytes);
    struct slab *slab = memory.kept, *best = NULL;
    for (; slab; slab = slab->next)
        if (slab->bytes >= need && slab->bytes <= 2 * need && (!best || slab->bytes < best->bytes))
            best = slab;
    *fresh = !best;
    if (best) {
        take_out(&memory.kept, best);
        memory.kept_bytes -= best->bytes;
    } else if ((best = map_large(need)) != NULL) {
        best->size = LARGE;
    }
    return best ? (char *)best + HEAD_BYTES : NULL;
}

static void give_large(struct slab *slab)
{
    if (memory.kept_bytes + slab->bytes > KEPT_BYTES) {
        unmap(slab);
        return;
    }
    memory.kept_bytes += slab->bytes;
    put_first(&memory.kept, slab);
}

/* --- malloc and related functions --- */

static void *take(size_t bytes, bool *zero)
{
    void *block = NULL;
    *zero = false;
    if (bytes == 0)
        bytes = 1;
    if (bytes > PTRDIFF_MAX / 2 || !enter())
        return NULL;
    if (bytes <= LARGEST_SMALL)
        block = take_small(size_of(bytes), zero);
    else
        block = take_large(bytes, zero);
    leave();
    return block;
}

void tracer_memory_prepare(void)
{
    if (!enter())
        return;
    if (memory.spare_number < AT_ONCE)
        (void)map_spare();
    leave();
}

void *tracer_malloc(size_t bytes)
{
    bool zero;
    return take(bytes, &zero);
}

void *tracer_calloc(size_t number, size_t bytes)
{
    size_t all;
    bool zero;
    if (__builtin_mul_overflow(number, bytes, &all))
        return NULL;
    void *block = take(all, &zero);
    return block && !zero ? memset(block, 0, all) : block;
}

void tracer_free(void *block)
{
    if (!block || !enter())
        return;
    struct slab *slab = slab_of(block);
    if (slab->size == LARGE)
        give_large(slab);
    else
        give_small(slab, block);
    leave();
}

void *tracer_realloc(void *block, size_t bytes)
{
    if (!block)
        return tracer_malloc(bytes);
    const struct slab *slab = slab_of(block);
    const size_t room =
        slab->size == LARGE ? slab->bytes - HEAD_BYTES : bytes_of(slab->size);
    if (bytes <= room && bytes > room / 2)
        return block;
    void *other = tracer_malloc(bytes);
    if (!other)
        return NULL;
    memcpy(other, block, bytes < room ? bytes : room);
    tracer_free(block);
    return other;
}

char *tracer_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = tracer_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

size_t tracer_memory_bytes(void)
{
    pthread_mutex_lock(&memory.lock);
    const size_t bytes = memory.mapped_bytes;
    pthread_mutex_unlock(&memory.lock);
    return bytes;
}
