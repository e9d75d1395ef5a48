/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work of the programs in validate/: the same number of operations on every machine. With MPG_UNIT_NS, which ports.sh --unit
 * sets, the work is instead a wait of so many ns for each unit, in which other ranks can use the core. */
#ifndef MPG_VALIDATE_WORK_H
#define MPG_VALIDATE_WORK_H

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Does UNITS units of work, each about a microsecond on a core of 3 GHz: integer operations in registers, starting from
 * X. Returns their result, so that the compiler cannot remove the work. */
#ifdef MPG_UNIT_NS
static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t work(int units, uint64_t x)
{
    const int64_t end_ns = now_ns() + (int64_t)units * MPG_UNIT_NS;
    while (now_ns() < end_ns)
        sched_yield();
    return x;
}
#else
static inline uint64_t work(int units, uint64_t x)
{
    for (long i = 0; i < units * 750L; i++)
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return x;
}
#endif

/* Returns argument I of the ARGC arguments, a whole number of at least MIN, or OTHERWISE if it is missing. Ends the
 * program if it is invalid. */
static inline int argument(int argc, char **argv, int i, int min, int otherwise)
{
    char *end;
    if (i >= argc)
        return otherwise;
    long value = strtol(argv[i], &end, 10);
    if (*end || end == argv[i] || value < min || value > 1 << 28) {
        fprintf(stderr, "%s: '%s' is not a whole number of at least %d\n", argv[0], argv[i],
                min);
        exit(2);
    }
    return (int)value;
}

/* Returns SIZE + 1 bytes of memory, all written. Ends the job if memory is exhausted. */
static inline char *buffer(int size)
{
    char *bytes = calloc((size_t)size + 1, 1);
    if (!bytes) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < size; i++)
        bytes[i] = (char)i;
    return bytes;
}

#endif
