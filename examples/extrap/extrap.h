/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs of this folder share: their options, memory that other ranks read, barriers,
 * sums, and the line that says whether the result is right.
 *
 * They are in the manner of pC++ (Shanmugam, Malony, Mohr 1995, section 3.1): a rank owns elements;
 * it reads those of others one at a time and waits for each (MPI_Get, MPI_Win_flush, the owner does
 * nothing for it); phases end with a barrier of all. Nobody writes what another rank owns. */
#ifndef EXTRAP_H
#define EXTRAP_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* --NAME VALUE; with LEAST = MOST = 0 a flag, which sets *VALUE to 1. */
struct extrap_option {
    const char *name;
    long *value; /* holds the default */
    long least, most;
    const char *help;
};

struct extrap {
    const char *name; /* of the program */
    int rank, ranks;
    bool alone;    /* one rank without MPI, which checks what all have done */
    MPI_Win win;   /* locked for all while it is there */
    char *memory;  /* this rank's, for others to read; 8 byte aligned, zeroed */
    double *sums;  /* before it: what this rank has, and the total on rank 0 */
};

enum { EXTRAP_SUMS = 16 }; /* values that are summed up at once, at most */

/* Reads the command line into the N OPTIONS; to be called before extrap_start(). Ends the program
 * after --help (exit 0) and after what is wrong, with one line (exit 2). */
void extrap_options(int argc, char **argv, const char *what, const struct extrap_option *options, int n);

/* MPI_Init. What a program needs of its data it can compute before: that is in no trace. */
void extrap_start(struct extrap *team, const char *name);
/* Collective. Ends the program unless it may run on so many ranks, with one line (exit 2). */
void extrap_need(const struct extrap *team, bool may, const char *what);
/* Collective; once. BYTES of memory for others to read. Ends the program if there are none. */
void extrap_open(struct extrap *team, size_t bytes);
/* The same for one rank that does without MPI, to do all again. extrap_free() frees its memory. */
void extrap_alone(struct extrap *team, size_t bytes);
void extrap_free(struct extrap *team);

/* Collective: what anybody wrote to its memory before can be read by all after it. */
void extrap_barrier(struct extrap *team);
/* BYTES at OFFSET of OWNER's memory into TO; waits for them. */
void extrap_read(struct extrap *team, int owner, size_t offset, size_t bytes, void *to);
/* Collective: the sums over all ranks of N VALUES, N <= EXTRAP_SUMS, in the order of ranks, in their
 * place. Rank 0 reads those of others, they read the total: 2 barriers, 2 (ranks - 1) reads. */
void extrap_sum(struct extrap *team, double *values, int n);

/* Collective: the sums over all ranks of N VALUES, in their place on rank 0, by MPI_Reduce. Each program ends
 * with one, of how many numbers are wrong and of what it prints. */
void extrap_total(const struct extrap *team, double *values, int n);
/* A weight for number I of what a checksum is made of. */
static inline double extrap_weight(long i)
{
    return (double)(i % 101 + 1);
}
/* Collective: MPI_Finalize. What is checked after it is in no trace. */
void extrap_close(struct extrap *team);
/* Rank 0: the line "NAME: N ranks, ...: right" (or WRONG), and 0 (or 1), which main returns. */
int extrap_say(const struct extrap *team, bool right, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Blocks of ITEMS over PARTS, as pC++ and HPF have them: all but the last are of ceil(ITEMS / PARTS);
 * the last may be smaller and some may be empty. The first of block PART; of PARTS: ITEMS. */
static inline long extrap_first(long items, long parts, long part)
{
    const long size = (items + parts - 1) / parts;
    return part * size < items ? part * size : items;
}

/* The block of ITEM. */
static inline long extrap_owner(long items, long parts, long item)
{
    return item / ((items + parts - 1) / parts);
}

static inline bool extrap_power_of_two(long n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

#endif
