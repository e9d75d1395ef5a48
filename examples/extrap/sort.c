/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sort: bitonic sort (Batcher 1968) of 2^k keys in equal blocks. Each rank sorts its block. In each of
 * log n (log n + 1) / 2 steps a rank reads its partner's block, keeps the lower or upper half of both blocks, and
 * waits in a barrier. The keys are a permutation of 0 to 2^k - 1. */
#include "extrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns key I of 2^BITS keys. Each operation is invertible, so all keys differ. */
static uint32_t stir(uint32_t i, long bits)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    for (int k = 0; k < 3; k++) {
        i = (i * UINT32_C(0x9e3779b1) + UINT32_C(0x7f4a7c15)) & mask;
        i ^= i >> (bits / 2 + 1);
    }
    return i;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Stores the N smallest of two sorted blocks of N in TO (LOW), or the N largest, sorted. */
static void keep(const uint32_t *a, const uint32_t *b, long n, bool low, uint32_t *to)
{
    if (low) {
        for (long k = 0, i = 0, j = 0; k < n; k++)
            to[k] = a[i] <= b[j] ? a[i++] : b[j++];
    } else {
        for (long k = n - 1, i = n - 1, j = n - 1; k >= 0; k--)
            to[k] = a[i] > b[j] ? a[i--] : b[j--];
    }
}

/* Sorts all keys. Memory holds two blocks; returns the index of the sorted one. */
static int sort(struct extrap *team, long n, uint32_t *other)
{
    uint32_t *keys = (uint32_t *)team->memory;
    int now = 0;
    qsort(keys, (size_t)n, sizeof *keys, compare);
    extrap_barrier(team);
    for (int size = 2; size <= team->ranks; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const bool upwards = !(team->rank & size), lower = !(team->rank & distance);
            const size_t bytes = (size_t)n * sizeof *keys;
            extrap_read(team, team->rank ^ distance, (size_t)now * bytes, bytes, other);
            keep(keys + now * n, other, n, upwards == lower, keys + (1 - now) * n);
            now = 1 - now;
            extrap_barrier(team);
        }
    return now;
}

int main(int argc, char **argv)
{
    long log2_keys = 18;
    const struct extrap_option options[] = {
        {"log2-keys", &log2_keys, 1, 31, "2^N keys"},
    };
    extrap_options(argc, argv, "Bitonic sort.", options, 1);
    struct extrap team;
    extrap_start(&team, "sort");
    extrap_require(&team, extrap_power_of_two(team.ranks) && team.ranks <= 1L << log2_keys,
                "bitonic sort needs a power of two up to 2^(--log2-keys)");
    const long n = (1L << log2_keys) / team.ranks, first = n * team.rank;
    extrap_open(&team, 2 * (size_t)n * sizeof(uint32_t));
    uint32_t *other = malloc((size_t)n * sizeof *other);
    if (!other)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = 0; i < n; i++)
        ((uint32_t *)team.memory)[i] = stir((uint32_t)(first + i), log2_keys);

    extrap_barrier(&team);
    const uint32_t *sorted = (uint32_t *)team.memory + sort(&team, n, other) * n;
    double total[2] = {0, 0}; /* wrong keys; checksum */
    for (long i = 0; i < n; i++) {
        total[0] += sorted[i] != (uint32_t)(first + i);
        total[1] += (double)sorted[i] * extrap_weight(first + i);
    }
    extrap_total(&team, total, 2);
    extrap_close(&team);
    free(other);
    return extrap_print_result(&team, total[0] == 0, "2^%ld keys, %.0f numbers wrong, checksum %.12g", log2_keys, total[0],
                      total[1]);
}
