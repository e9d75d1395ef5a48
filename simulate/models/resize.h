/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a message with a changed size on the source machine (docs/MODEL.md, section 10): from the source's one-way times,
 * at the message's probability u, or from the given time per byte. */
#ifndef MPG_RESIZE_H
#define MPG_RESIZE_H

#include "simulate/models/flights.h"

/* Returns true if P knows the times of other sizes on the source. */
bool mpg_resize_is_known(const struct mpg_perturbation *p);
/* Adds to VALUE_NS of the N replicas from FIRST on the source's time of M minus the source's time of M with TRACED_BYTES, ns. */
void mpg_resize_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, double traced_bytes,
                       uint32_t first, uint32_t n, double *value_ns);
/* As mpg_resize_flight(), for the rounds of a collective (mpg_perturb_rounds()) with BYTES instead of TRACED_BYTES. */
void mpg_resize_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                       uint32_t rounds, double traced_bytes, double bytes, uint32_t first, uint32_t n,
                       double *value_ns);

#endif
