/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contents of a plan: phases, and the messages of the rounds of each phase. */
#ifndef MPG_GRAPH_PHASES_H
#define MPG_GRAPH_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/algorithms/algorithm.h"
#include "graph/algorithms/tree.h"

enum mpg_phase_kind {
    MPG_PHASE_DOWN,   /* each member receives from the parent, then sends to the children */
    MPG_PHASE_UP,     /* each member receives from the children, then sends to the parent */
    MPG_PHASE_ROUNDS, /* in a round each member sends at most one message and receives at most one, concurrently */
    MPG_PHASE_POSTED  /* each member posts the sends and receives of all rounds, then waits for all */
};

/* The messages of rounds; a descriptor of graph/algorithms/. */
struct mpg_pattern;

struct mpg_phase {
    enum mpg_phase_kind kind;
    struct mpg_tree tree;     /* DOWN, UP */
    bool subtrees;            /* DOWN, UP: messages hold the blocks of a subtree instead of the vector */
    /* of reductions and scans: the receiver reduces the message with the receiver's data; patterns can override this for each
     * message */
    bool reduces;
    bool equal;               /* blocks are equal parts of the vector, regardless of the operation's block sizes */
    const struct mpg_pattern *pattern; /* ROUNDS, POSTED */
    uint32_t rounds;          /* number of rounds; DOWN, UP: largest number of messages sent by a member */
    uint32_t first_round;     /* number of the phase's first round; rounds are numbered through all phases of the plan */
};

/* Operation and sizes of a collective. */
struct mpg_collective_size {
    enum mpg_collective operation;
    int32_t p, root;       /* p >= 1; root: member index, 0 without root */
    /* Bcast, reductions, scans: the vector; otherwise a block: a member's contribution, a member's result (Scatter),
     * or the bytes for each member (Alltoall) */
    double bytes;
    /* NULL: equal blocks. Otherwise p + 1 prefix sums of block sizes relative to the root; of Alltoallv block v holds all
     * bytes that v sends to the rest, in equal parts. Not owned. */
    const double *before;
    bool nonblocking;
};

/* Segments are larger than the table says if a plan would otherwise have more than MPG_SEGMENTS_MAX segments. Reasons: the
 * cost of evaluating a plan grows with the number of segments, and the round number, part of the key of a message's random
 * draws, has limited size. */
enum { MPG_PHASES_MAX = 3, MPG_SEGMENTS_MAX = 1 << 16 };
struct mpg_plan {
    struct mpg_collective_size size;
    double vector_bytes, block_bytes, segment_bytes;
    uint32_t segments;
    int phases;
    struct mpg_phase phase[MPG_PHASES_MAX];
};

struct mpg_message { /* between members, numbered relative to the root */
    int32_t from, to;
    double bytes;
    uint32_t round;   /* number of the round; (from, round) is the key of the message's random draws */
    bool reduces;     /* the receiver reduces the message with the receiver's data before sending on */
};

/* ROUNDS, POSTED: fills MESSAGE with the message sent by v in ROUND, 0 .. rounds - 1 of the phase. Returns false if v sends
 * nothing. */
bool mpg_round_message(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t v, struct mpg_message *message);
/* ROUNDS: the senders in ROUND are within *LOW .. *HIGH - 1. */
void mpg_round_senders(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t *low, int32_t *high);

#endif
