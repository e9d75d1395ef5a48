/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages and collectives take on the target, in whole: the times of predict mode
 * (docs/MODEL.md, 5). Each is of the target's path that P has; P's source is not looked at.
 *
 * All add to each of N lanes; lane w is replica FIRST + w. Draws are those of perturb mode. */
#ifndef MPG_TIMES_OF_TARGET_H
#define MPG_TIMES_OF_TARGET_H

#include "simulate/models/perturbation.h"

/* Whether calls that send, or receive, have a cost of their own. */
static inline bool mpg_overhead_known(const struct mpg_perturbation *p, enum mpg_overhead which)
{
    return p->parameters || p->overhead[which].target;
}

/* lambda and tau(d) of message M: X(d) is their sum, neither is negative. */
void mpg_time_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                     uint32_t n, double *lambda_ns, double *tau_ns);
/* The way back of an empty message: lambda2 of M. */
void mpg_time_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                  uint32_t n, double *value_ns);
/* W(d): how long M keeps a sender that waits for a receiver who waits for it; false: T has no such
 * time, or the benchmark's sends of so many bytes were eager; nothing is added. */
bool mpg_time_in_send(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                      uint32_t n, double *value_ns);
/* o_s or o_r of M, no more than its flight, and o_s no more than one of many in flight takes;
 * nothing where T has none. */
void mpg_time_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                       const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                       double *value_ns);
/* gap(d): how long after a message of BYTES the next one leaves, at least; 0 or more. */
double mpg_time_gap(const struct mpg_perturbation *p, double bytes);
/* The medians of all launches of what a message of BYTES takes, ns: lambda and tau(d), o_s and o_r, W(d) (-1: not known),
 * gap(d). */
struct mpg_typical {
    double lambda_ns, tau_ns, send_ns, receive_ns, waiting_ns, gap_ns;
};
struct mpg_typical mpg_time_typical(const struct mpg_perturbation *p, double bytes);
/* ROUNDS of a collective with BYTES in all: see mpg_perturb_rounds(). */
void mpg_time_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                     uint32_t rounds, double bytes, bool fly, uint32_t first, uint32_t n,
                     double *value_ns);

#endif
