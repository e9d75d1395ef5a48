/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collective operations, and the algorithms that MPI libraries have for them (docs/COLLECTIVES.md): the list is in
 * graph/algorithms/descriptors.c. */
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

/* A descriptor of the list; two algorithms are the same if they are at the same address. */
struct mpg_algorithm;

/* Options that a row of a table can give to an algorithm. */
enum mpg_algorithm_option {
    MPG_OPTION_RADIX = 1,  /* radix=N, which such an algorithm needs */
    MPG_OPTION_SEGMENT = 2 /* segment=SIZE */
};

/* How one collective goes. */
struct mpg_choice {
    const struct mpg_algorithm *algorithm;
    int radix;            /* of one with MPG_OPTION_RADIX 2 or more; of others 2 */
    double segment_bytes; /* of one with MPG_OPTION_SEGMENT: messages of at most so many; 0: one message */
    bool waits;           /* nonblocking: nothing is sent by the call that posts */
};

/* As a table has it: "reduce_scatter"; MPG_COLLECTIVES: "". */
const char *mpg_collective_name(enum mpg_collective operation);
/* The operation of that NAME; MPG_COLLECTIVES: there is none. */
enum mpg_collective mpg_collective_find(const char *name);

/* The list: so many algorithms; the I-th; the one of that NAME, NULL: there is none. */
size_t mpg_algorithm_number(void);
const struct mpg_algorithm *mpg_algorithm_at(size_t i);
const struct mpg_algorithm *mpg_algorithm_find(const char *name);
/* As a table has it: "recursive_doubling". */
const char *mpg_algorithm_name(const struct mpg_algorithm *algorithm);
bool mpg_algorithm_has(const struct mpg_algorithm *algorithm, enum mpg_algorithm_option option);
/* Whether ALGORITHM is one for OPERATION, or for its nonblocking twin. */
bool mpg_algorithm_serves(const struct mpg_algorithm *algorithm, enum mpg_collective operation, bool nonblocking);

/* A checksum, so far SUM, of N more words; of CHOICE. */
uint64_t mpg_sum_words(uint64_t sum, const uint64_t *word, size_t n);
uint64_t mpg_sum_choice(uint64_t sum, const struct mpg_choice *choice);

#endif
