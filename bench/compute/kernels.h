/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels whose rates describe a processor's speed. Each kernel returns a result that depends on all of its work:
 * the compiler cannot drop work, and tests can verify the result. Thread-safe. */
#ifndef MPG_KERNELS_H
#define MPG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The kernels. Results files name kernels by these numbers. */
enum mpg_kernel {
    MPG_KERNEL_FLOATING_POINT,   /* multiply-adds in registers */
    MPG_KERNEL_MEMORY_BANDWIDTH, /* STREAM's triad */
    MPG_KERNEL_MEMORY_LATENCY,   /* pointer chase */
    MPG_KERNEL_INTEGER,          /* sorting, with unpredictable branches */
    MPG_KERNELS
};

/* Returns the kernel's name ("floating_point"). */
const char *mpg_kernel_name(enum mpg_kernel kernel);
const char *mpg_kernel_unit(enum mpg_kernel kernel);

/* ---- floating point ---- */

/* Independent chains of v = v * X + Y in vectors of doubles; chain k (from 0, over all vectors and elements)
 * starts with v = 1 + k / 128. The number of chains fills the pipelines of current cores. */
struct mpg_chains {
    const char *name;  /* instruction set: "avx512f", "baseline" */
    int doubles;       /* doubles in a vector */
    double (*run)(uint64_t steps, double x, double y); /* returns the sum of all chains' final v */
};

enum { MPG_CHAINS = 12 }; /* number of vectors whose chains are computed at once */

/* Returns the widest variant available on this processor. Constant. */
const struct mpg_chains *mpg_chains_best(void);
/* Returns the *N variants available on this processor. Constant. */
const struct mpg_chains *mpg_chains_all(int *n);

/* ---- memory ---- */

/* Computes a[i] = b[i] + S * c[i] for N elements; the arrays must not overlap. 24 bytes per element by STREAM's
 * count (McCalpin, 1995), which ignores write-allocate reads. */
void mpg_triad(double *a, const double *b, const double *c, double s, size_t n);

enum { MPG_CHASE_LINE = 64 }; /* distance of pointers: a cache line, bytes */

/* Links the cache lines of MEMORY (line-aligned, SIZE_BYTES from 2 to 2^32 - 1 lines) into a single random cycle drawn by SEED;
 * the first eight bytes of each line hold the address of the next line. Errors: out of memory (4 bytes a line, freed again). */
int mpg_chase_link(void *memory, size_t size_bytes, uint64_t seed, struct mpg_error *err);
/* Follows STEPS pointers from the line FROM; returns the line reached. */
void *mpg_chase(void *from, uint64_t steps);

/* ---- integer ---- */

enum { MPG_SORT_BLOCK = 256 }; /* keys: 1 KiB, fits the L1 cache */

/* Draws BLOCKS blocks of MPG_SORT_BLOCK 32-bit keys from *STATE (upper halves of splitmix64) and sorts each
 * (quicksort with Hoare's partition, CACM Algorithm 64, 1961). Returns the sum over blocks and i of (i + 1) *
 * key[i], modulo 2^64. */
uint64_t mpg_sort_blocks(uint64_t *state, uint64_t blocks);

#endif
