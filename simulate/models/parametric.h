/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages take by a machine's parameters (docs/MACHINES.md), as simulate/models/times.h has it of signatures.
 * P has parameters. */
#ifndef MPG_PARAMETRIC_H
#define MPG_PARAMETRIC_H

#include "simulate/models/perturbation.h"

/* Whether calls that send, or receive, have a cost of their own. */
static inline bool mpg_overhead_known(const struct mpg_perturbation *p, enum mpg_overhead which)
{
    return p->parameters || p->overhead[which].target;
}

/* Of those of times.h. */
void mpg_parametric_flight(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                           double *lambda_ns, double *tau_ns);
void mpg_parametric_ack(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                        double *value_ns);
void mpg_parametric_overhead(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sending *m,
                             double factor, uint32_t first, uint32_t n, double *value_ns);
double mpg_parametric_gap(const struct mpg_perturbation *p);
/* A round of a collective, whose address A is but for the purpose, with BYTES in it, between two processors one link
 * apart. */
double mpg_parametric_round(const struct mpg_perturbation *p, const struct mpg_address *a, double bytes,
                            uint32_t replica);

#endif
