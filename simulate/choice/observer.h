/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An observer of an evaluation: notified of the first replica's steps, and of each call that completes different messages
 * than in the trace (docs/MODEL.md, section 6). */
#ifndef MPG_OBSERVER_H
#define MPG_OBSERVER_H

#include "common/error.h"
#include "graph/graph.h"

enum mpg_match_override_kind {
    MPG_OVERRIDE_EXCHANGE, /* a call completes OTHER, a request of its list, instead of REQUEST; from then on the two
                              requests have exchanged messages */
    /* a call completes REQUEST of its list besides the requests completed in the trace; no later call completes REQUEST */
    MPG_OVERRIDE_COMPLETE,
    /* an MPI_ANY_SOURCE receive takes a message of SOURCE (world rank) on COMM with TAG and BYTES. REQUEST: the receive's
     * request after all exchanges of the call; 0: no request */
    MPG_OVERRIDE_TAKE,
    MPG_OVERRIDE_SKIP      /* the call is not made */
};

/* How a call differs from the trace. Requests are numbered as in the trace. */
struct mpg_match_override {
    enum mpg_match_override_kind kind;
    int64_t request, other;
    int32_t comm, source, tag;
    int64_t bytes;
};

/* All functions return 0, or -1 with ERR, which ends the evaluation. */
struct mpg_observer {
    /* Notifies of OVERRIDE in the call left by STEP. All overrides of a call are notified in order, before take() for
     * STEP. NULL: not needed. */
    int (*note)(void *context, const struct mpg_step *step, const struct mpg_match_override *override,
                struct mpg_error *err);
    /* Notifies that STEP is evaluated; VALUE_NS is the stream's value after STEP. */
    int (*take)(void *context, const struct mpg_step *step, double value_ns, struct mpg_error *err);
    /* Notifies that the evaluation starts again at the first step: all earlier notifications are void. */
    int (*restart)(void *context, struct mpg_error *err);
    void *context;
    /* Notifies, before STEP, a LEAVE, is evaluated: edge I, whose slot is a view, receives MESSAGE. NULL: not needed. */
    int (*substitute)(void *context, const struct mpg_step *step, uint32_t i, uint64_t message,
                      struct mpg_error *err);
    /* Notifies that the noise in the compute intervals of STEP's rank up to STEP, an ENTER, sums to NOISE_NS; called
     * before take() for STEP. The order of the calls is not the order of simulated time. NULL: not needed. */
    void (*noise)(void *context, const struct mpg_step *step, double noise_ns);
    /* Predict mode: notifies that the message of edge I of STEP, a LEAVE just evaluated, arrived at ARRIVAL_NS (if the
     * message waits for the receiver: the envelope's arrival); called before take() for STEP. NULL: not needed. */
    void (*arrive)(void *context, const struct mpg_step *step, uint32_t i, double arrival_ns);
};

#endif
