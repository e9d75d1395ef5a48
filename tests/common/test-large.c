/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large pages for malloc(): page faults are counted, with and without a limit of memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/large.h"
#include "tests/tap.h"

enum { BLOCKS = 4096, BLOCK_BYTES = 16 << 10, BYTES = BLOCKS * BLOCK_BYTES };

/* Returns whether the system gives large pages to those who ask, and to nobody else. */
static bool gives_on_request(void)
{
    char modes[64] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (f) {
        modes[fread(modes, 1, sizeof modes - 1, f)] = '\0';
        fclose(f);
    }
    return strstr(modes, "[madvise]");
}

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Allocates and fills BLOCKS blocks. Returns the number of page faults of this, or -1: out of memory. */
static long fill(void)
{
    static char *block[BLOCKS];
    const long before = faults();
    for (int i = 0; i < BLOCKS; i++) {
        if (!(block[i] = malloc(BLOCK_BYTES)))
            return -1;
        memset(block[i], i, BLOCK_BYTES);
    }
    const long after = faults();
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
    return after - before;
}

/* Calls mpg_large_heap() and fill() in a process of its own, whose address space has LIMIT bytes (0: no limit). Returns fill()'s
 * result. */
static long fill_in_child(rlim_t limit)
{
    int ends[2];
    long n = -2;
    if (pipe(ends) < 0)
        return n;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit both = {limit, limit};
        if (limit > 0)
            setrlimit(RLIMIT_AS, &both);
        mpg_large_heap(2 * (size_t)BYTES);
        n = fill();
        _exit(write(ends[1], &n, sizeof n) != sizeof n);
    }
    close(ends[1]);
    if (read(ends[0], &n, sizeof n) != sizeof n)
        n = -2;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return n;
}

int main(void)
{
    const long large = fill_in_child(0), limited = fill_in_child((rlim_t)4 << 30);
    printf("# page faults for %d MiB: %ld, under a limit of memory %ld\n", BYTES >> 20, large, limited);
#if !defined __GLIBC__ || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    printf("ok 1 - large pages # SKIP another allocator\n1..1\n");
    return 0;
#endif
    if (!gives_on_request()) {
        printf("ok 1 - large pages # SKIP the system does not give large pages on request\n1..1\n");
        return 0;
    }
    ok(limited >= BYTES / 65536, "under a limit of memory, pages as the system gives");
    ok(large >= 0 && large < limited / 2, "without, large pages, and less than half of the page faults");
    return done();
}
