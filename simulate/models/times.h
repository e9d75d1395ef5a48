/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of messages and collectives on the target: predict mode (docs/MODEL.md, section 5). All times are of the path of P's
 * target; P's source is not used.
 *
 * All functions add ns to the N replicas from FIRST on. The random draws are the draws of perturb mode. */
#ifndef MPG_TIMES_OF_TARGET_H
#define MPG_TIMES_OF_TARGET_H

#include "simulate/models/perturbation.h"

/* Returns true if the overhead WHICH is known. */
static inline bool mpg_overhead_known(const struct mpg_perturbation *p, enum mpg_overhead which)
{
    return p->parameters || p->overhead[which].target;
}

/* Adds lambda and tau(d) of message M, both >= 0; lambda + tau(d) is the one-way time X(d). */
void mpg_time_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                     uint32_t n, double *lambda_ns, double *tau_ns);
/* Adds lambda2 of M, the one-way time of the acknowledgement. */
void mpg_time_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                  uint32_t n, double *value_ns);
/* Adds W(d), the time of a synchronous send of M to a receiver that is already waiting. Returns false, and adds nothing, if the
 * signature has no time W or the benchmark sent messages of this size eagerly. */
bool mpg_time_in_send(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                      uint32_t n, double *value_ns);
/* Dependence of W(d) on the one-way times of the path: as X(d) (simulate/models/factors.h, times inside sends that wait). */
struct mpg_held_share {
    double latency; /* fraction of W(d) that is latency, 0 to 1; the rest depends on the size */
    double per_ns;  /* relative change of W(d) for each ns of X(d) */
};
/* Returns the share for messages of BYTES, by the median one-way times of the target's path; zero without one-way times. */
struct mpg_held_share mpg_time_held_share(const struct mpg_perturbation *p, double bytes);

/* Adds FACTOR times o_s or o_r of M: at most M's one-way time, o_s also at most the time per message in a stream; nothing if the
 * overhead is unknown. */
void mpg_time_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                       const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                       double *value_ns);
/* Returns gap(d), the shortest time from the start of a message of BYTES to the start of the next message, ns, >= 0. */
double mpg_time_gap(const struct mpg_perturbation *p, double bytes);
/* Returns true if a message of BYTES progresses while the rank SIDE computes: the signature has the overlap, and its median at
 * this size is above MPG_OVERLAP_MATTERS. False if not known. */
bool mpg_time_overlaps(const struct mpg_perturbation *p, enum mpg_overlap_side side, double bytes);
/* Medians over the pooled launches for a message size, ns: lambda, tau(d), o_s, o_r, W(d) (-1: unknown), gap(d). */
struct mpg_typical {
    double lambda_ns, tau_ns, send_ns, receive_ns, waiting_ns, gap_ns;
};
struct mpg_typical mpg_time_typical(const struct mpg_perturbation *p, double bytes);
/* Adds the time of ROUNDS of a collective with BYTES in all; arguments as in mpg_perturb_rounds(). */
void mpg_time_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                     uint32_t rounds, double bytes, bool has_message, uint32_t first, uint32_t n,
                     double *value_ns);

#endif
