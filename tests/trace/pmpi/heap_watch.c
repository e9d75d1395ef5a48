/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: finds the libraries that allocate. A call of malloc or a related function belongs to the
 * library whose code called it, directly or through the C library, its dynamic linker, zstd or zlib. Prints to
 * standard error the first few allocations of the library whose file name begins with HEAP_WATCH, and at the end
 * their number and the number of all allocations. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { TOLD = 5 };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_ulong all, hits;
static __thread bool inside __attribute__((tls_model("initial-exec")));

/* Returns the path of the library at ADDRESS; "" for the program itself. dladdr() would also search a library's
 * symbols, which took most of the test's time. */
static const char *path_of(void *address)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object object;
    return _dl_find_object(address, &object) == 0 ? object.dlfo_link_map->l_name : NULL;
#else
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fname : NULL;
#endif
}

static const char *file_of(void *address)
{
    const char *path = path_of(address), *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Unwinds to the first frame outside of the C library, its dynamic linker, zstd and zlib. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found)
{
    static const char *const servants[] = {"heap_watch", "libc.so", "libc-", "ld-linux", "libzstd",
                                           "libz.", "libgcc_s", "libpthread", "libdl"};
    const char *name = file_of((char *)_Unwind_GetIP(context) - 1);
    for (size_t i = 0; i < sizeof servants / sizeof *servants; i++)
        if (begins(name, servants[i]))
            return _URC_NO_REASON;
    *(const char **)found = name;
    return _URC_END_OF_STACK;
}

static void watch(const char *what)
{
    const char *caller = "", *watched = getenv("HEAP_WATCH");
    if (inside || !watched)
        return;
    inside = true;
    all++;
    _Unwind_Backtrace(look, &caller);
    if (begins(caller, watched) && hits++ < TOLD) {
        char line[256];
        const int n = snprintf(line, sizeof line, "heap_watch: %s by %s\n", what, caller);
        if (write(STDERR_FILENO, line, (size_t)n) < 0)
            _exit(9);
    }
    inside = false;
}

void *malloc(size_t n)
{
    watch("malloc");
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    watch("calloc");
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    watch("realloc");
    return __libc_realloc(p, n);
}

void *memalign(size_t alignment, size_t n)
{
    watch("memalign");
    return __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    watch("aligned_alloc");
    return __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
    watch("posix_memalign");
    *p = __libc_memalign(alignment, n);
    return *p ? 0 : 12;
}

/* The C library also frees blocks that it allocated for an earlier caller (the text of an unread dlerror(3), freed
 * in the next dlsym(3)). */
void free(void *p)
{
    if (p && !begins(file_of((char *)__builtin_return_address(0) - 1), "libc.so"))
        watch("free");
    __libc_free(p);
}

__attribute__((destructor)) static void end(void)
{
    char line[128];
    const int n = snprintf(line, sizeof line, "heap_watch: %lu of %s\n", (unsigned long)hits,
                           all > 1000 ? "more than 1000" : "few");
    if (getenv("HEAP_WATCH") && write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(9);
}
