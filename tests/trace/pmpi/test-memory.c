/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's own allocator (trace/pmpi/memory.c): blocks keep their content while other threads allocate and free;
 * its overhead is small; freed memory is returned to the system. */
#include "trace/pmpi/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/tap.h"

enum { BLOCKS = 500, ROUNDS = 40000, THREADS = 4, SLAB = 1 << 16, KEPT = 4 << 20 };

struct block {
    uint8_t *p;
    size_t bytes;
    uint8_t with;
};

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Returns a random size up to 300000, mostly small. */
static size_t some_size(uint64_t *state)
{
    return next(state) % ((size_t)1 << (next(state) % 19)) + (next(state) % 50 == 0 ? 50000 : 0);
}

static bool holds(const struct block *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (b->p[i] != b->with)
            return false;
    return (uintptr_t)b->p % 16 == 0;
}

static void fill(struct block *b, uint64_t *state)
{
    b->with = (uint8_t)next(state);
    memset(b->p, b->with, b->bytes);
}

/* Allocates, changes and frees random blocks. Returns the number of blocks whose content was wrong. */
static void *churn(void *seed)
{
    static __thread struct block blocks[BLOCKS];
    uint64_t state = (uint64_t)(uintptr_t)seed;
    uintptr_t bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct block *b = &blocks[next(&state) % BLOCKS];
        const size_t bytes = some_size(&state);
        if (b->p && next(&state) % 3 > 0) {
            bad += !holds(b, b->bytes);
            tracer_free(b->p);
            b->p = NULL;
            continue;
        }
        const size_t before = b->p ? b->bytes : 0;
        if (!b->p && next(&state) % 2 > 0) {
            b->p = tracer_calloc(bytes, 1);
            for (size_t k = 0; k < bytes; k++)
                bad += b->p[k] != 0;
        } else {
            b->p = tracer_realloc(b->p, bytes);
        }
        if (before > 0)
            bad += !holds(b, before < bytes ? before : bytes);
        b->bytes = bytes;
        fill(b, &state);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (blocks[i].p)
            bad += !holds(&blocks[i], blocks[i].bytes);
        tracer_free(blocks[i].p);
        blocks[i].p = NULL;
    }
    return (void *)bad;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    uintptr_t bad = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        bad += (uintptr_t)result;
    }
    ok(bad == 0, "blocks of %d threads hold what is written to them", THREADS);
    /* each of 32 sizes keeps one slab, and 4 MiB of large blocks are kept */
    ok(tracer_memory_bytes() <= 32 * SLAB + KEPT, "what was given goes back: %zu bytes are left",
       tracer_memory_bytes());
}

/* Returns the allocator's overhead for N blocks of BYTES, as a fraction of their size. */
static double waste(size_t bytes, int n)
{
    const size_t before = tracer_memory_bytes();
    void **blocks = malloc((size_t)n * sizeof *blocks);
    for (int i = 0; i < n; i++)
        blocks[i] = tracer_malloc(bytes);
    const size_t after = tracer_memory_bytes();
    for (int i = 0; i < n; i++)
        tracer_free(blocks[i]);
    free(blocks);
    return (double)(after - before) / (double)((size_t)n * bytes) - 1;
}

static void test_waste(void)
{
    static const size_t sizes[] = {65, 127, 160, 200, 700, 1281, 4097, 5121, 8192, 50000, 1000001};
    double max = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double part = waste(sizes[i], sizes[i] < 10000 ? 20000 : 100);
        max = part > max ? part : max;
    }
    ok(max < 0.45, "at most %.0f %% are wasted", 100 * max);
}

/* After the preparation blocks cause no page faults: 400 KiB would cause 100. */
static void test_prepared(void)
{
    enum { BYTES = 4096, NUMBER = 100, MAX_FAULTS = 20 };
    struct rusage before, after;
    uint8_t *blocks[NUMBER];
    tracer_memory_prepare();
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < NUMBER; i++) {
        blocks[i] = tracer_malloc(BYTES);
        memset(blocks[i], 1, BYTES);
    }
    getrusage(RUSAGE_SELF, &after);
    for (int i = 0; i < NUMBER; i++)
        tracer_free(blocks[i]);
    const long faults = after.ru_minflt - before.ru_minflt;
#ifdef MADV_POPULATE_WRITE
    uint8_t *page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, BYTES, MADV_POPULATE_WRITE) == 0) {
        ok(faults < MAX_FAULTS, "prepared blocks cause no page faults: %ld", faults);
        return;
    }
#endif
    ok(faults >= 0, "prepared blocks # SKIP before Linux 5.14");
}

static void test_limits(void)
{
    ok(!tracer_malloc(SIZE_MAX) && !tracer_calloc(SIZE_MAX / 2, 4), "too much is NULL");
    void *p = tracer_malloc(0);
    ok(p, "nothing is a block");
    tracer_free(p);
    tracer_free(NULL);
    char *copy = tracer_strdup("2.385");
    ok(strcmp(copy, "2.385") == 0, "a string's copy is the string");
    uint8_t *grown = NULL;
    bool same = true;
    for (size_t n = 1; n <= 1 << 20; n *= 2) {
        grown = tracer_realloc(grown, n);
        same = same && (n == 1 || grown[n / 2 - 1] == (uint8_t)(n / 2));
        grown[n - 1] = (uint8_t)n;
    }
    ok(same, "what grows keeps what it had");
    tracer_free(grown);
    tracer_free(copy);
}

int main(void)
{
    test_prepared();
    test_limits();
    test_waste();
    test_threads();
    return done();
}
