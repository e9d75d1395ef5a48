/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collective operations and their algorithms in MPI libraries (docs/COLLECTIVES.md). graph/algorithms/descriptors.c
 * has the list. */
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
    MPG_COLLECTIVE_ALLTOALLV, /* Alltoallv and Alltoallw */
    MPG_COLLECTIVE_REDUCE_SCATTER,
    MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK,
    MPG_COLLECTIVE_SCAN,
    MPG_COLLECTIVE_EXSCAN,
    MPG_COLLECTIVES /* number of operations; also: no operation */
};

/* An algorithm in the list. Algorithms are compared by address. */
struct mpg_algorithm;

/* Options of an algorithm, given in a row of a table. */
enum mpg_algorithm_option {
    MPG_OPTION_RADIX = 1,  /* radix=N, required */
    MPG_OPTION_SEGMENT = 2 /* segment=SIZE */
};

/* The algorithm of one collective, with options. */
struct mpg_choice {
    const struct mpg_algorithm *algorithm;
    int radix;            /* 2 or more; without MPG_OPTION_RADIX always 2 */
    double segment_bytes; /* with MPG_OPTION_SEGMENT: largest message in bytes; 0: one message */
    bool waits;           /* nonblocking: the posting call sends nothing */
};

/* Returns the name in tables, for example "reduce_scatter"; "" for MPG_COLLECTIVES. */
const char *mpg_collective_name(enum mpg_collective operation);
/* Returns the operation called NAME; MPG_COLLECTIVES: none. */
enum mpg_collective mpg_collective_find(const char *name);

/* These return the number of algorithms; the algorithm with index I; the algorithm called NAME, or NULL. */
size_t mpg_algorithm_number(void);
const struct mpg_algorithm *mpg_algorithm_at(size_t i);
const struct mpg_algorithm *mpg_algorithm_find(const char *name);
/* Returns the name in tables, for example "recursive_doubling". */
const char *mpg_algorithm_name(const struct mpg_algorithm *algorithm);
bool mpg_algorithm_has(const struct mpg_algorithm *algorithm, enum mpg_algorithm_option option);
/* Returns whether ALGORITHM exists for OPERATION, or, if NONBLOCKING, for the nonblocking variant. */
bool mpg_algorithm_serves(const struct mpg_algorithm *algorithm, enum mpg_collective operation, bool nonblocking);

/* Return the checksum of the data summed in SUM followed by the N words WORD, or by CHOICE. */
uint64_t mpg_sum_words(uint64_t sum, const uint64_t *word, size_t n);
uint64_t mpg_sum_choice(uint64_t sum, const struct mpg_choice *choice);

#endif
