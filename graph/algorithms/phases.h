/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a collective's plan consists of: phases, and the messages of their rounds. */
#ifndef MPG_GRAPH_PHASES_H
#define MPG_GRAPH_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/algorithms/algorithm.h"
#include "graph/algorithms/tree.h"

enum mpg_phase_kind {
    MPG_PHASE_DOWN,   /* each member receives from its parent, then sends to its children */
    MPG_PHASE_UP,     /* each receives from its children, then sends to its parent */
    MPG_PHASE_ROUNDS, /* in a round each sends at most one message and receives at most one,
                         at the same time */
    MPG_PHASE_POSTED  /* each posts the sends and receives of all rounds, and waits for them */
};

/* What members send in rounds: a descriptor of graph/algorithms/. */
struct mpg_pattern;

struct mpg_phase {
    enum mpg_phase_kind kind;
    struct mpg_tree tree;     /* DOWN, UP */
    bool subtrees;            /* DOWN, UP: messages hold the blocks of a subtree, not everything */
    bool reduces;             /* of a Reduce or scan: who receives reduces; other patterns say it by their rounds */
    bool equal;               /* blocks are equal parts of the vector, whatever the operation's are */
    const struct mpg_pattern *pattern; /* ROUNDS, POSTED */
    uint32_t rounds;          /* DOWN, UP: the most messages that a member sends in it */
    uint32_t first_round;     /* rounds of a plan are numbered through */
};

/* What a collective is about. */
struct mpg_collective_size {
    enum mpg_collective operation;
    int32_t p, root;       /* p >= 1; root: its index; of those without, 0 */
    double bytes;          /* Bcast, reductions, scans: the vector; of the others a block: what each
                              member contributes, gets (Scatter), or sends to each (Alltoall) */
    const double *before;  /* NULL, or of blocks that differ: p + 1 sums of those of all members
                              before v, relative to the root; of Alltoallv v's block is all that
                              it sends to others, in equal parts. Not owned. */
    bool nonblocking;
};

/* Segments are larger than a table says if there were more of them: their number bounds what a plan
 * costs, and rounds are a part of a draw's index. */
enum { MPG_PHASES_MAX = 3, MPG_SEGMENTS_MAX = 1 << 16 };
struct mpg_plan {
    struct mpg_collective_size size;
    double vector_bytes, block_bytes, segment_bytes;
    uint32_t segments;
    int phases;
    struct mpg_phase phase[MPG_PHASES_MAX];
};

struct mpg_message { /* between members relative to the root */
    int32_t from, to;
    double bytes;
    uint32_t round;   /* with `from` what its draws go by */
    bool reduces;     /* who receives it reduces it with its own, before it sends on */
};

/* Of ROUNDS and POSTED: what v sends in ROUND (0 .. rounds - 1 of the phase); false: nothing. */
bool mpg_round_message(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t v, struct mpg_message *message);
/* Of ROUNDS: who sends in ROUND is in LOW .. HIGH - 1. */
void mpg_round_senders(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t *low, int32_t *high);

#endif
