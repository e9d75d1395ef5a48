/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which algorithms there are for which operation. */
#include "graph/algorithms/algorithm.h"

#include <string.h>

const char *mpg_collective_name(enum mpg_collective operation)
{
    static const char *const names[] = {
        "barrier",   "bcast",     "scatter",    "scatterv",  "gather",    "gatherv",
        "reduce",    "allreduce", "allgather",  "allgatherv", "alltoall", "alltoallv",
        "reduce_scatter", "reduce_scatter_block", "scan", "exscan"};
    return operation < MPG_COLLECTIVES ? names[operation] : "";
}

const char *mpg_algorithm_name(enum mpg_algorithm algorithm)
{
    static const char *const names[] = {
        "linear",        "chain",             "binary",            "binomial",
        "knomial",       "dissemination",     "recursive_doubling", "recursive_halving",
        "rabenseifner",  "butterfly",         "ring",              "neighbor",
        "bruck",         "pairwise",          "scatter_allgather", "scatter_ring",
        "two",           "binomial_near"};
    return algorithm < MPG_ALGORITHMS ? names[algorithm] : "";
}

#define A(name) (1u << MPG_ALGORITHM_##name)
enum {
    TREES = A(LINEAR) | A(CHAIN) | A(BINARY) | A(BINOMIAL) | A(KNOMIAL),
    BLOCKS = A(LINEAR) | A(BINOMIAL) | A(KNOMIAL),
    ALLGATHER = A(BRUCK) | A(DOUBLING) | A(RING) | A(NEIGHBOR) | A(TWO),
    REDUCE_SCATTER = A(HALVING) | A(DOUBLING) | A(BUTTERFLY) | A(RING) | A(PAIRWISE) | A(TWO),
    SCAN = A(LINEAR) | A(DOUBLING)
};

static const unsigned fits[] = {
    [MPG_COLLECTIVE_BARRIER] = A(DISSEMINATION) | A(DOUBLING) | A(LINEAR) | A(BINOMIAL),
    [MPG_COLLECTIVE_BCAST] = TREES | A(SCATTER_ALLGATHER) | A(SCATTER_RING),
    [MPG_COLLECTIVE_SCATTER] = BLOCKS,
    [MPG_COLLECTIVE_SCATTERV] = BLOCKS,
    [MPG_COLLECTIVE_GATHER] = BLOCKS,
    [MPG_COLLECTIVE_GATHERV] = BLOCKS,
    [MPG_COLLECTIVE_REDUCE] = TREES | A(RABENSEIFNER),
    [MPG_COLLECTIVE_ALLREDUCE] = A(DOUBLING) | A(RABENSEIFNER) | A(RING) | A(TWO),
    [MPG_COLLECTIVE_ALLGATHER] = ALLGATHER,
    [MPG_COLLECTIVE_ALLGATHERV] = ALLGATHER,
    [MPG_COLLECTIVE_ALLTOALL] = A(LINEAR) | A(PAIRWISE) | A(BRUCK),
    [MPG_COLLECTIVE_ALLTOALLV] = A(LINEAR) | A(PAIRWISE),
    [MPG_COLLECTIVE_REDUCE_SCATTER] = REDUCE_SCATTER,
    [MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK] = REDUCE_SCATTER,
    [MPG_COLLECTIVE_SCAN] = SCAN,
    [MPG_COLLECTIVE_EXSCAN] = SCAN};

static bool is_among(unsigned set, enum mpg_algorithm algorithm)
{
    return algorithm < MPG_ALGORITHMS && (set >> algorithm & 1);
}

bool mpg_algorithm_fits(enum mpg_algorithm algorithm, enum mpg_collective operation)
{
    return operation < MPG_COLLECTIVES && is_among(fits[operation], algorithm);
}

/* What blocks can do, and what only libraries that leave progress to later calls do. */
bool mpg_algorithm_fits_nonblocking(enum mpg_algorithm algorithm, enum mpg_collective operation)
{
    if (operation >= MPG_COLLECTIVES)
        return false;
    unsigned set = fits[operation];
    if (operation == MPG_COLLECTIVE_BCAST)
        set |= A(NEAR);
    if (operation == MPG_COLLECTIVE_ALLGATHER || operation == MPG_COLLECTIVE_ALLGATHERV)
        set = (set | A(LINEAR)) & ~(unsigned)A(TWO);
    return is_among(set, algorithm);
}
#undef A

uint64_t mpg_sum_words(uint64_t sum, const uint64_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t mpg_sum_choice(uint64_t sum, const struct mpg_choice *choice)
{
    uint64_t segment;
    memcpy(&segment, &choice->segment_bytes, sizeof segment);
    const uint64_t words[] = {choice->algorithm, (uint64_t)choice->radix, segment, choice->waits};
    return mpg_sum_words(sum, words, sizeof words / sizeof *words);
}
