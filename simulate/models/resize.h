/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What other sizes than the traced ones would have taken on the traced machine (docs/MODEL.md, section 10):
 * by the source's one-way times, at the u that the message has, or by what a byte costs there. */
#ifndef MPG_RESIZE_H
#define MPG_RESIZE_H

#include "simulate/models/flights.h"

/* Whether P says what sizes cost on the source. */
bool mpg_resize_is_known(const struct mpg_perturbation *p);
/* Adds to each of N lanes, lane w being replica FIRST + w, what M takes longer than with TRACED_BYTES. */
void mpg_resize_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, double traced_bytes,
                       uint32_t first, uint32_t n, double *value_ns);
/* The same of mpg_perturb_rounds(), with BYTES in place of TRACED_BYTES. */
void mpg_resize_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                       uint32_t rounds, double traced_bytes, double bytes, uint32_t first, uint32_t n,
                       double *value_ns);

#endif
