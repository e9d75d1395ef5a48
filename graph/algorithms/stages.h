/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What members of a collective do by an algorithm, wave by wave, as a library does that goes on with a collective in its own
 * calls only: a wave is what it starts in one go, what it sends and what it receives; the next one needs all of that, and
 * a call (docs/PROGRESS.md, Collectives moved in calls). */
#ifndef MPG_GRAPH_WAVES_H
#define MPG_GRAPH_WAVES_H

#include "graph/algorithms/plan.h"

enum { MPG_STAGE_MESSAGES_MAX = 1 << 16 }; /* plans of more are not listed */

struct mpg_stage_message {
    uint32_t from, to; /* waves */
    double bytes;
};

/* Waves of member v (relative to the root) are first[v] .. first[v + 1] - 1. */
struct mpg_stages {
    int32_t p;
    uint32_t *first;
    int32_t *member;                    /* of each wave */
    uint32_t message_number;
    struct mpg_stage_message *message;
    uint32_t *received, *received_from; /* numbers of messages, by the wave that receives them; those of wave w are from
                                           received_from[w] to received_from[w + 1] - 1 */
    uint32_t *sent, *sent_from;         /* the same by the wave that sends them */
};

/* Those of PLAN, to be freed; NULL: they are too many, or there is no memory for them. */
struct mpg_stages *mpg_stages_of(const struct mpg_plan *plan);
void mpg_stages_free(struct mpg_stages *stages); /* NULL is allowed */

#endif
