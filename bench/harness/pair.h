/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two MPI ranks that exchange messages, and what a results file says about
 * them. Ranks 0 and 1 of MPI_COMM_WORLD are the pair; further ranks sleep. */
#ifndef MPG_PAIR_H
#define MPG_PAIR_H

#include <mpi.h>
#include <stdint.h>

#include "bench/harness/record.h"
#include "common/error.h"

struct mpg_pair {
    int rank, ranks;  /* in MPI_COMM_WORLD */
    MPI_Comm comm;    /* of ranks 0 and 1; MPI_COMM_NULL elsewhere */
    char *buffer;     /* of each of the two, its pages touched */
};

/* Initialises MPI; collective over MPI_COMM_WORLD. Fails on every rank when
 * there are fewer than two. The caller calls mpg_pair_end() in any case. */
int mpg_pair_begin(struct mpg_pair *pair, int *argc, char ***argv, struct mpg_error *err);
/* Waits for all ranks, without load on the cores of those outside the pair,
 * frees the buffer and finalises MPI; collective over MPI_COMM_WORLD. */
void mpg_pair_end(struct mpg_pair *pair);

/* STATUS of each of the two; fails on both when it is negative on either.
 * Where the error is the other's, ERR becomes empty. Collective over the pair. */
int mpg_pair_agree(const struct mpg_pair *pair, int status, struct mpg_error *err);

/* Allocates and touches pair->buffer of SIZE_BYTES (>= 0). Errors: out of memory. */
int mpg_pair_allocate(struct mpg_pair *pair, int64_t size_bytes, struct mpg_error *err);

/* Adds the lines mpi, ranks, path (the class: core complex, node or between
 * nodes), binding and, between nodes, peer_host.
 * Collective over the pair; the header matters on rank 0. Errors: out of memory,
 * hwloc fails. */
int mpg_pair_describe(const struct mpg_pair *pair, struct mpg_header *header,
                      struct mpg_error *err);

#endif
