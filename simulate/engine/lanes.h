/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating a graph's steps in many worlds at once: perturb mode.
 *
 * Every value is a vector of lanes, one double a replica: the node's delay in ns
 * (docs/MODEL.md, 4). One lane never looks at another, so lane w's result does
 * not depend on how many there are. */
#ifndef MPG_LANES_H
#define MPG_LANES_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/engine/floors.h"
#include "simulate/models/perturbation.h"

enum mpg_absorb { MPG_ABSORB_NONE, MPG_ABSORB_WAIT, MPG_ABSORB_CLOCK };

struct mpg_lanes;

/* LANES >= 1 worlds of RANKS ranks, replicas FIRST .. FIRST + LANES - 1.
 * FLOORS may be NULL with MPG_ABSORB_NONE if no message can become faster. What
 * is passed outlives the lanes. */
struct mpg_lanes *mpg_lanes_new(int32_t ranks, uint32_t lanes, uint32_t first,
                                enum mpg_absorb absorb, const struct mpg_perturbation *p,
                                struct mpg_floors *floors, struct mpg_error *err);
/* Evaluates one step of a graph that has SLOTS slots so far. */
int mpg_lanes_step(struct mpg_lanes *lanes, const struct mpg_step *step, uint32_t slots,
                   struct mpg_error *err);
/* Delays of RANK's last node, one a lane; valid once its FINISH step is done. */
const double *mpg_lanes_delay(const struct mpg_lanes *lanes, int32_t rank);
/* RANK's traced run time, ns, from its FINISH step. */
int64_t mpg_lanes_traced(const struct mpg_lanes *lanes, int32_t rank);

/* Where delay was born and where it went, summed over ranks, averaged over
 * lanes, ns. */
struct mpg_lanes_account {
    double compute_ns;  /* added to compute intervals */
    double call_ns;     /* kappa added to calls (not to collectives' rounds) */
    double message_ns;  /* lambda + tau added to messages */
    double collective_ns; /* added to shares of collectives */
    double waited_ns;   /* delay taken over from other ranks, on leaving calls */
    double absorbed_ns; /* by how much slack made calls leave less late than their own rank's
                           and their messages' delays say */
    double final_ns;    /* delay at the ranks' ends */
};
struct mpg_lanes_account mpg_lanes_account(const struct mpg_lanes *lanes);
void mpg_lanes_free(struct mpg_lanes *lanes); /* NULL is allowed */

#endif
