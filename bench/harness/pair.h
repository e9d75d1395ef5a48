/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of MPI ranks: selection of the pairs to measure, and the state of a rank within a pair. */
#ifndef MPG_PAIR_H
#define MPG_PAIR_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/device.h"
#include "bench/harness/ranks.h"
#include "common/error.h"

/* Two ranks of MPI_COMM_WORLD. A leads (sends first, takes the times), B answers. */
struct mpg_rank_pair {
    int a, b;
    enum mpg_path path;
};

/* Draws the pairs to measure, in random order: at most WANTED (>= 1), spread evenly over the path classes, with at least a pair
 * of each class if WANTED suffices. Pairs on a common core are excluded if any other pair exists, because times would include
 * waiting for the core. Each pair has a < b. Equal SEEDs draw equal pairs. The caller frees *PAIRS. Returns the number of pairs,
 * >= 1 for at least two ranks; -1: out of memory. Not collective: all ranks get equal results. */
int64_t mpg_rank_pairs_draw(const struct mpg_ranks *ranks, int64_t wanted, uint64_t seed,
                         struct mpg_rank_pair **rank_pair, struct mpg_error *err);

/* Adds the header line "pair NUMBER: ranks A and B; hosts X and Y; cores C and D". Errors: out of memory. */
int mpg_rank_pair_describe(const struct mpg_ranks *ranks, int64_t number, const struct mpg_rank_pair *rank_pair,
                           struct mpg_header *header, struct mpg_error *err);

/* State of this rank within a pair. */
struct mpg_pair {
    int rank;      /* 0: this rank leads; 1: this rank answers */
    MPI_Comm comm; /* communicator of the two ranks */
    const struct mpg_device *device; /* the buffers are memory of this device; NULL: of the host */
    char *send_buffer, *receive_buffer; /* of the host: page-aligned, all pages touched */
    MPI_Win win;   /* window of mpg_pair_open_window(); MPI_WIN_NULL: none */
};

/* Creates the pair's communicator, for buffers in the memory of DEVICE (NULL: of the host), which outlives the pair; collective
 * over the two ranks. End by mpg_pair_end(). */
void mpg_pair_begin(struct mpg_pair *pair, const struct mpg_ranks *ranks, const struct mpg_rank_pair *rank_pair,
                    const struct mpg_device *device);
void mpg_pair_end(struct mpg_pair *pair);

/* Returns -1 on both ranks if STATUS is negative on either. ERR becomes empty on the rank without error. Collective over the
 * pair. */
int mpg_pair_agree(const struct mpg_pair *pair, int status, struct mpg_error *err);

/* Allocates and touches both buffers, SIZE_BYTES each (>= 0); old contents are lost. Two buffers, as in
 * OSU's and Intel's benchmarks: received data is in this core's cache, and sending from there would cost the other
 * core more. Errors: out of memory. */
int mpg_pair_allocate(struct mpg_pair *pair, int64_t size_bytes, struct mpg_error *err);

/* Opens a window of SIZE_BYTES (>= 0) of each of the two ranks: by MPI_Win_allocate, whose memory is touched, or if CREATES by
 * MPI_Win_create on the receive buffer, of at least this size. Errors of operations end the program. mpg_pair_end() frees the
 * window. Collective over the pair. Errors: the MPI library cannot. */
int mpg_pair_open_window(struct mpg_pair *pair, int64_t size_bytes, bool creates, struct mpg_error *err);

#endif
