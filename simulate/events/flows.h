/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages as flows sharing the ports and memories of hosts, and the links between hosts, by max-min fairness (docs/MODEL.md,
 * section 5, Sharing). Private to simulate/events/.
 *
 * A flow crosses a memory, or two ports and the links between them, each shared by all crossing flows. A flow has a bound: the
 * rate of the flow without sharing. Rates are weighted max-min fair, by progressive filling (Bertsekas and Gallager, Data
 * Networks, 1992, 6.5.2), with the bounds as further constraints. A resource with a bucket limits no flow until the bucket is
 * empty.
 *
 * Changes at one time belong together: after mpg_flows_add() and mpg_flows_end() the caller calls mpg_flows_settle() before the
 * time advances. Times are ns, rates bytes/ns. */
#ifndef MPG_EVENTS_FLOWS_H
#define MPG_EVENTS_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "simulate/models/capacities.h"

/* Times within this difference are equal: shorter than any relevant rounding of a time. */
static const double MPG_TOGETHER_NS = 1e-6;

struct flows;

/* Returns a state without flows on the resources of CAPACITIES, which outlives the state. The caller frees the state. NULL with
 * ERR: out of memory. */
struct flows *mpg_flows_new(const struct mpg_capacities *capacities, struct mpg_error *err);
void mpg_flows_free(struct flows *f); /* NULL is allowed */

/* A flow of BYTES (> 0) from rank FROM to rank TO, which takes TAU_NS (>= 0; 0: as fast as the resources allow) without sharing.
 * WHAT, not NULL, is returned at the end of the flow, and before, unless PART is 0 or TAU_NS is 0, when PART (< 1) of the bytes
 * has crossed. Flows sharing a resource have rates proportional to WEIGHT (> 0). */
struct mpg_new_flow {
    int32_t from, to;
    double bytes, tau_ns, part, weight;
    void *what;
};
/* Adds flow X, which begins at NOW_NS. Error: out of memory. */
int mpg_flows_add(struct flows *f, const struct mpg_new_flow *x, double now_ns, struct mpg_error *err);
/* Computes the rates from NOW_NS on, after flows were added or have ended, and when a bucket is empty. */
void mpg_flows_settle(struct flows *f, double now_ns);
/* Returns the time at which the next flow ends, or the part of a flow has crossed, or the next bucket is empty; INFINITY: there
 * are no flows. Rates are settled. */
double mpg_flows_next_ns(const struct flows *f);
/* Removes the next flow, which ends by NOW_NS, but for rounding; or, with *CONTINUES, lets the flow continue after the part. Sets
 * *DELAY_NS to the time of the flow, or of the part, beyond its share of TAU_NS: 0 exactly if no crossed resource was full.
 * Returns the flow's WHAT; NULL: no flow ends by NOW_NS. */
void *mpg_flows_end(struct flows *f, double now_ns, double *delay_ns, bool *continues);
/* Returns the time in which the port out of RANK's host passes the bytes under way at NOW_NS, at most MOST_BYTES, of flows begun
 * before BEFORE_NS. */
double mpg_flows_queue_ns(struct flows *f, int32_t rank, double most_bytes, double before_ns, double now_ns);

#endif
