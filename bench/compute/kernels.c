/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels. */
#include "config.h"

#include "bench/compute/kernels.h"

#include <stdlib.h>

#include "bench/harness/random.h"

static const char *const names[MPG_KERNELS] = {"floating_point", "memory_bandwidth",
                                               "memory_latency", "integer"};
static const char *const units[MPG_KERNELS] = {"flop/s", "B/s", "access/s", "operation/s"};

const char *mpg_kernel_name(enum mpg_kernel kernel)
{
    return names[kernel];
}

const char *mpg_kernel_unit(enum mpg_kernel kernel)
{
    return units[kernel];
}

/* ---- floating point ---- */

/* available on every processor of the architecture: SSE2, NEON, VSX */
#define CHAINS_NAME run_baseline
#define CHAINS_BYTES 16
#define CHAINS_TARGET
#define CHAINS_VECTOR vector_baseline
#include "bench/compute/chains.h"

#if defined __x86_64__
#define CHAINS_NAME run_avx2
#define CHAINS_BYTES 32
#define CHAINS_TARGET __attribute__((target("avx2,fma")))
#define CHAINS_VECTOR vector_avx2
#include "bench/compute/chains.h"

#define CHAINS_NAME run_avx512
#define CHAINS_BYTES 64
#ifdef __clang__ /* clang has no such target option and does not split vectors of this width */
#define CHAINS_TARGET __attribute__((target("avx512f")))
#else
#define CHAINS_TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#define CHAINS_VECTOR vector_avx512
#include "bench/compute/chains.h"
#endif

/* From narrow to wide: the available variants come first. */
static const struct mpg_chains chains[] = {
    {"baseline", 2, run_baseline},
#if defined __x86_64__
    {"avx2 with fma", 4, run_avx2},
    {"avx512f", 8, run_avx512},
#endif
};

const struct mpg_chains *mpg_chains_all(int *n)
{
    *n = 1;
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        *n = __builtin_cpu_supports("avx512f") ? 3 : 2;
#endif
    return chains;
}

const struct mpg_chains *mpg_chains_best(void)
{
    int n;
    const struct mpg_chains *all = mpg_chains_all(&n);
    return &all[n - 1];
}

/* ---- memory ---- */

void mpg_triad(double *restrict a, const double *restrict b, const double *restrict c, double s,
               size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

int mpg_chase_link(void *memory, size_t size_bytes, uint64_t seed, struct mpg_error *err)
{
    size_t n = size_bytes / MPG_CHASE_LINE;
    char *base = memory;
    uint32_t *order = malloc(n * sizeof *order);
    if (!order)
        return mpg_error_set(err, "out of memory for the order of %zu cache lines", n);
    for (size_t i = 0; i < n; i++) {
        size_t j = mpg_random_below(&seed, i + 1);
        order[i] = order[j]; /* Makes a single random cycle while the permutation is drawn (Fisher and Yates's shuffle, "inside
                                out") */
        order[j] = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(base + (size_t)order[i] * MPG_CHASE_LINE) =
            base + (size_t)order[i + 1 < n ? i + 1 : 0] * MPG_CHASE_LINE;
    free(order);
    return 0;
}

void *mpg_chase(void *from, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++)
        from = *(void **)from;
    return from;
}

/* ---- integer ---- */

static void sort_keys(uint32_t *key, int low, int high)
{
    while (low < high) {
        uint32_t pivot = key[low + (high - low) / 2];
        int i = low - 1, j = high + 1;
        for (;;) {
            do
                i++;
            while (key[i] < pivot);
            do
                j--;
            while (key[j] > pivot);
            if (i >= j)
                break;
            uint32_t held = key[i];
            key[i] = key[j];
            key[j] = held;
        }
        sort_keys(key, low, j);
        low = j + 1;
    }
}

uint64_t mpg_sort_blocks(uint64_t *state, uint64_t blocks)
{
    uint64_t sum = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        uint32_t key[MPG_SORT_BLOCK];
        for (int i = 0; i < MPG_SORT_BLOCK; i++)
            key[i] = (uint32_t)(mpg_random_next(state) >> 32);
        sort_keys(key, 0, MPG_SORT_BLOCK - 1);
        for (uint64_t i = 0; i < MPG_SORT_BLOCK; i++)
            sum += (i + 1) * key[i];
    }
    return sum;
}
