/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work whose rates say how fast a processor is. Each kernel returns a
 * result that depends on all of its work, so that no compiler can leave any
 * out, and that tests can compute another way. Thread-safe. */
#ifndef MPG_KERNELS_H
#define MPG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The numbers are those in results files. */
enum mpg_kernel {
    MPG_KERNEL_FLOATING_POINT,   /* multiply-adds in registers */
    MPG_KERNEL_MEMORY_BANDWIDTH, /* STREAM's triad */
    MPG_KERNEL_MEMORY_LATENCY,   /* a chase of pointers */
    MPG_KERNEL_INTEGER,          /* sorting: branches that nobody can predict */
    MPG_KERNELS
};

/* "floating_point", "flop/s". Static storage. */
const char *mpg_kernel_name(enum mpg_kernel kernel);
const char *mpg_kernel_unit(enum mpg_kernel kernel);

/* ---- floating point ---- */

/* Independent chains of v = v * X + Y, in vectors of doubles; chain k (from 0,
 * over all chains and elements) starts with v = 1 + k / 128. Enough chains run
 * at once to fill the pipelines of today's cores. */
struct mpg_chains {
    const char *name;  /* of the instruction set: "avx512f", "baseline" */
    int doubles;       /* of one vector */
    double (*run)(uint64_t steps, double x, double y); /* the sum of all chains' last v */
};

enum { MPG_CHAINS = 12 }; /* vectors at once */

/* The widest form that this processor has. Static storage. */
const struct mpg_chains *mpg_chains_best(void);
/* All forms that this processor has: *N of them. Static storage. */
const struct mpg_chains *mpg_chains_all(int *n);

/* ---- memory ---- */

/* a[i] = b[i] + S * c[i], n elements of each, that do not overlap. 24 bytes an
 * element, as STREAM counts (McCalpin, 1995): what a cache reads before it
 * writes is not counted. */
void mpg_triad(double *a, const double *b, const double *c, double s, size_t n);

enum { MPG_CHASE_LINE = 64 }; /* bytes from one pointer to the next, a cache line */

/* Links the lines of MEMORY (aligned to a line, SIZE_BYTES >= 2 lines; fewer
 * than 2^32 lines) into one cycle in an order that SEED draws; each line's first
 * eight bytes hold the next line's address. Errors: out of memory (for 4 bytes a
 * line, freed again). */
int mpg_chase_link(void *memory, size_t size_bytes, uint64_t seed, struct mpg_error *err);
/* The line STEPS steps on from FROM. */
void *mpg_chase(void *from, uint64_t steps);

/* ---- integer ---- */

enum { MPG_SORT_BLOCK = 256 }; /* keys: 1 KiB, in the nearest cache */

/* Draws BLOCKS blocks of MPG_SORT_BLOCK keys of 32 bits from *STATE
 * (splitmix64's upper halves) and sorts each (quicksort with Hoare's partition,
 * CACM Algorithm 64, 1961). Returns the sum over blocks and i of (i + 1) * key[i],
 * modulo 2^64. */
uint64_t mpg_sort_blocks(uint64_t *state, uint64_t blocks);

#endif
