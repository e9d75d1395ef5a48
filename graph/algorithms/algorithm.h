/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of collective operations and of the algorithms that MPI libraries have for them
 * (docs/COLLECTIVES.md). */
#ifndef MPG_GRAPH_ALGORITHM_H
#define MPG_GRAPH_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mpg_collective {
    MPG_COLLECTIVE_BARRIER,
    MPG_COLLECTIVE_BCAST,
    MPG_COLLECTIVE_SCATTER,
    MPG_COLLECTIVE_SCATTERV,
    MPG_COLLECTIVE_GATHER,
    MPG_COLLECTIVE_GATHERV,
    MPG_COLLECTIVE_REDUCE,
    MPG_COLLECTIVE_ALLREDUCE,
    MPG_COLLECTIVE_ALLGATHER,
    MPG_COLLECTIVE_ALLGATHERV,
    MPG_COLLECTIVE_ALLTOALL,
    MPG_COLLECTIVE_ALLTOALLV, /* and Alltoallw */
    MPG_COLLECTIVE_REDUCE_SCATTER,
    MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK,
    MPG_COLLECTIVE_SCAN,
    MPG_COLLECTIVE_EXSCAN,
    MPG_COLLECTIVES /* none of them */
};

enum mpg_algorithm {
    MPG_ALGORITHM_LINEAR,
    MPG_ALGORITHM_CHAIN,
    MPG_ALGORITHM_BINARY,
    MPG_ALGORITHM_BINOMIAL,
    MPG_ALGORITHM_KNOMIAL,
    MPG_ALGORITHM_DISSEMINATION,
    MPG_ALGORITHM_DOUBLING,     /* recursive doubling */
    MPG_ALGORITHM_HALVING,      /* recursive halving */
    MPG_ALGORITHM_RABENSEIFNER,
    MPG_ALGORITHM_BUTTERFLY,
    MPG_ALGORITHM_RING,
    MPG_ALGORITHM_NEIGHBOR,     /* neighbour exchange */
    MPG_ALGORITHM_BRUCK,
    MPG_ALGORITHM_PAIRWISE,
    MPG_ALGORITHM_SCATTER_ALLGATHER,
    MPG_ALGORITHM_SCATTER_RING,
    MPG_ALGORITHM_TWO,          /* one rooted operation after the other, by the table */
    MPG_ALGORITHM_NEAR,         /* a binomial tree, nearest children first: of nonblocking ones alone */
    MPG_ALGORITHMS
};

/* How one collective goes. */
struct mpg_choice {
    enum mpg_algorithm algorithm;
    int radix;            /* KNOMIAL: 2 or more */
    double segment_bytes; /* CHAIN: messages of at most so many; 0: one message */
    bool waits;           /* nonblocking: nothing is sent by the call that posts */
};

/* As a table has them: "reduce_scatter", "recursive_doubling". */
const char *mpg_collective_name(enum mpg_collective operation);
const char *mpg_algorithm_name(enum mpg_algorithm algorithm);
/* Whether ALGORITHM is one for OPERATION; for its nonblocking twin. */
bool mpg_algorithm_fits(enum mpg_algorithm algorithm, enum mpg_collective operation);
bool mpg_algorithm_fits_nonblocking(enum mpg_algorithm algorithm, enum mpg_collective operation);
/* A checksum, so far SUM, of N more words; of CHOICE. */
uint64_t mpg_sum_words(uint64_t sum, const uint64_t *word, size_t n);
uint64_t mpg_sum_choice(uint64_t sum, const struct mpg_choice *choice);

#endif
