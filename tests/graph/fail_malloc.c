/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: simulates exhausted memory. FAIL_AT=N: the N-th allocation of the process fails, and with
 * FAIL_ALL all later allocations; FAIL_AT=0: none. FAIL_COUNT=FILE: at the end of the process, writes the number of
 * allocations to FILE. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *data, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long number, fail_at;
static bool fail_all, ready;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    fail_all = getenv("FAIL_ALL") != NULL;
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    unsigned long n = number;
    ready = false;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%lu\n", n);
        fclose(f);
    }
}

static bool fails(void)
{
    if (!ready)
        return false;
    number++;
    if (fail_at == 0 || number < fail_at || (number > fail_at && !fail_all))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *data, size_t size)
{
    return fails() ? NULL : __libc_realloc(data, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}
