/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of where values come from while steps are evaluated. Private to simulate/predict/trail*.c. */
#ifndef MPG_TIMES_TRAIL_PRIVATE_H
#define MPG_TIMES_TRAIL_PRIVATE_H

#include "simulate/predict/times_private.h"
#include "simulate/where/trail.h"

enum { NOWHERE = UINT32_MAX };

struct mpg_times_trail {
    struct mpg_trail *trail;
    double *before, *other, *from_ns, *latency, *bytes, *whole, *last_ns, *latest; /* n each */
    uint32_t *code, *last;  /* n each: of the call; the edge whose message decides what is received */
    bool has_terms;         /* latency, bytes or whole are not 0 */
    double costs[MPG_WHERE_TERMS];
    bool *used;             /* a code */
    uint32_t used_capacity;
    uint64_t *waits;        /* words: lanes whose stream may not send yet, or that take the second of two */
    uint64_t steps;         /* since the last cut */
    uint32_t streams, finished_capacity;
    bool *finished;         /* a stream */
};

/* What mpg_times_add_collective() adds, TOOK_NS in all, into latency, bytes and whole of the lanes where it is more than
 * nothing; TERM has what is alike in them. Other and latest are written over. */
void trail_find_collective(const struct mpg_times *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                           double bytes, int32_t members, double bytes_each,
                           const double *took_ns, double *term);

#endif
