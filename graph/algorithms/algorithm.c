/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which algorithms there are for which operation. */
#include "graph/algorithms/algorithm.h"

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
        "two"};
    return algorithm < MPG_ALGORITHMS ? names[algorithm] : "";
}

bool mpg_algorithm_fits(enum mpg_algorithm algorithm, enum mpg_collective operation)
{
#define A(name) (1u << MPG_ALGORITHM_##name)
    enum { TREES = A(LINEAR) | A(CHAIN) | A(BINARY) | A(BINOMIAL) | A(KNOMIAL) };
    enum { BLOCKS = A(LINEAR) | A(BINOMIAL) | A(KNOMIAL) };
    enum { ALLGATHER = A(BRUCK) | A(DOUBLING) | A(RING) | A(NEIGHBOR) | A(TWO) };
    enum { REDUCE_SCATTER = A(HALVING) | A(DOUBLING) | A(BUTTERFLY) | A(RING) | A(PAIRWISE) |
                            A(TWO) };
    enum { SCAN = A(LINEAR) | A(DOUBLING) };
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
#undef A
    return operation < MPG_COLLECTIVES && algorithm < MPG_ALGORITHMS &&
           (fits[operation] >> algorithm & 1);
}
