/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of MPI ranks: which are measured, and one of them at work. */
#ifndef MPG_PAIR_H
#define MPG_PAIR_H

#include <mpi.h>
#include <stdint.h>

#include "bench/harness/ranks.h"
#include "common/error.h"

/* Two ranks of MPI_COMM_WORLD, a < b: A leads, B answers. */
struct mpg_couple {
    int a, b;
    enum mpg_path path;
};

/* Draws which pairs are measured, in which order: all, or at most WANTED (>= 1) of
 * them, as many of each path class as there are, evenly, and no class left out
 * that WANTED is enough for. Pairs on one and the same core are left out where there are
 * others of any class: their times hold waiting for the core. The same SEED draws the same. *COUPLE is the
 * caller's to free. Returns how many, at least 1 for two ranks or more, or -1 (out
 * of memory). Not collective: it comes out the same on every rank. */
int64_t mpg_couples_draw(const struct mpg_ranks *ranks, int64_t wanted, uint64_t seed,
                         struct mpg_couple **couple, struct mpg_error *err);

/* This rank's half of a couple. */
struct mpg_pair {
    int rank;      /* 0: leads, 1: answers */
    MPI_Comm comm; /* of the two */
    char *outbox, *inbox; /* to send from and to receive into, their pages touched */
};

/* Makes COUPLE's communicator; collective over its two ranks. The caller calls
 * mpg_pair_end(). */
void mpg_pair_begin(struct mpg_pair *pair, const struct mpg_ranks *ranks,
                    const struct mpg_couple *couple);
void mpg_pair_end(struct mpg_pair *pair);

/* STATUS of each of the two; fails on both when it is negative on either.
 * Where the error is the other's, ERR becomes empty. Collective over the pair. */
int mpg_pair_agree(const struct mpg_pair *pair, int status, struct mpg_error *err);

/* Gives outbox and inbox SIZE_BYTES each (>= 0), allocated and touched; what was in
 * them is lost. They are two, as in OSU's and Intel's benchmarks: what was just
 * received is in this core's cache, and sending it from there would cost the other
 * more. Errors: out of memory. */
int mpg_pair_allocate(struct mpg_pair *pair, int64_t size_bytes, struct mpg_error *err);

#endif
