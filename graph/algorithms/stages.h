/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of a nonblocking collective, as in MPI libraries that progress a collective only inside MPI calls. A stage is the
 * set of sends and receives started by a member at once (LibNBC: a round of the schedule; Hoefler, Lumsdaine, Rehm 2007). The
 * next stage begins inside an MPI call, after all messages of the stage are complete (docs/PROGRESS.md, Weak progress of
 * nonblocking collectives). */
#ifndef MPG_GRAPH_STAGES_H
#define MPG_GRAPH_STAGES_H

#include "graph/algorithms/plan.h"

enum { MPG_STAGE_MESSAGES_MAX = 1 << 16 }; /* larger plans are not listed */

struct mpg_stage_message {
    uint32_t from, to; /* sending stage and receiving stage of a message */
    double bytes;
};

/* The stages of member v (relative to the root) are first[v] .. first[v + 1] - 1. */
struct mpg_stages {
    int32_t p;
    uint32_t *first;
    int32_t *member;                    /* member of each stage */
    uint32_t message_number;
    struct mpg_stage_message *message;
    /* numbers of messages, sorted by receiving stage; stage w has entries received_from[w] .. received_from[w + 1] - 1 */
    uint32_t *received, *received_from;
    uint32_t *sent, *sent_from;         /* likewise for sent messages, by sending stage */
};

/* Returns the stages of PLAN, which the caller frees; NULL: too many messages, or out of memory. */
struct mpg_stages *mpg_stages_of(const struct mpg_plan *plan);
void mpg_stages_free(struct mpg_stages *stages); /* NULL is allowed */

#endif
