/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common functions of the programs in this folder: options, memory that other ranks read, barriers, sums, and the
 * result line. The programs follow pC++ (Shanmugam, Malony, Mohr 1995, section 3.1). Each rank owns elements. A
 * rank reads remote elements singly, and waits for each (MPI_Get, MPI_Win_flush, without action of the owner).
 * Phases end with a barrier. No rank writes into another rank's elements. */
#ifndef EXTRAP_H
#define EXTRAP_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* --NAME VALUE; MIN = MAX = 0: a flag, which sets *VALUE to 1. */
struct extrap_option {
    const char *name;
    long *value; /* initially the default */
    long min, max;
    const char *help;
};

struct extrap {
    const char *name; /* program name */
    int rank, ranks;
    bool alone;    /* one rank without MPI that repeats the computation as a check */
    MPI_Win win;   /* in a lock_all epoch */
    char *memory;  /* memory of this rank that other ranks read; 8-byte aligned, zeroed */
    double *sums;  /* in front of MEMORY: this rank's values; on rank 0 the totals */
};

enum { EXTRAP_SUMS = 16 }; /* maximum number of values of one sum */

/* Reads the command line into the N OPTIONS; call before extrap_start(). Ends the program after --help (exit 0) or
 * a wrong option (one line, exit 2). */
void extrap_options(int argc, char **argv, const char *what, const struct extrap_option *options, int n);

/* Calls MPI_Init. A program prepares its data before this call, so that the trace does not contain the preparation. */
void extrap_start(struct extrap *team, const char *name);
/* Ends the program with one line (exit 2) if MAY is false. Collective. */
void extrap_require(const struct extrap *team, bool may, const char *what);
/* Allocates BYTES of memory for other ranks to read. Ends the program if memory runs out. Collective, once. */
void extrap_open(struct extrap *team, size_t bytes);
/* Sets up a single rank without MPI for a repetition. extrap_free() frees its memory. */
void extrap_alone(struct extrap *team, size_t bytes);
void extrap_free(struct extrap *team);

/* Waits until all ranks have called this function; after it a rank can read what any rank wrote before it. Collective. */
void extrap_barrier(struct extrap *team);
/* Reads BYTES at OFFSET of OWNER's memory into TO, and waits for completion. */
void extrap_read(struct extrap *team, int owner, size_t offset, size_t bytes, void *to);
/* Replaces N VALUES by their sums over all ranks, added in rank order; N <= EXTRAP_SUMS. Rank 0 reads the values
 * of all ranks, then each rank reads the totals: 2 barriers, 2 (ranks - 1) reads. Collective. */
void extrap_sum(struct extrap *team, double *values, int n);

/* Replaces N VALUES on rank 0 by their sums, with MPI_Reduce. Each program calls this function at its end, for the number of
 * wrong results and the values to print. Collective. */
void extrap_total(const struct extrap *team, double *values, int n);
/* Returns the factor of element I in a checksum. */
static inline double extrap_weight(long i)
{
    return (double)(i % 101 + 1);
}
/* Frees the memory that other ranks read, and calls MPI_Finalize. A check of the results after this call is not in the trace.
 * Collective. */
void extrap_close(struct extrap *team);
/* On rank 0 prints "NAME: N ranks, ...: result correct" (or WRONG) and returns 0 (or 1), the exit status of main(). */
int extrap_print_result(const struct extrap *team, bool right, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the first item of block PART when ITEMS are distributed in PARTS blocks, as in pC++ and HPF: blocks have
 * ceil(ITEMS / PARTS) items, the last non-empty one may be smaller, and blocks may be empty. PART = PARTS gives
 * ITEMS. */
static inline long extrap_first(long items, long parts, long part)
{
    const long size = (items + parts - 1) / parts;
    return part * size < items ? part * size : items;
}

/* Returns the block that holds ITEM. */
static inline long extrap_owner(long items, long parts, long item)
{
    return item / ((items + parts - 1) / parts);
}

static inline bool extrap_power_of_two(long n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

#endif
