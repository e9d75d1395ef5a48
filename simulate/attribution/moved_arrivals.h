/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals that calls which choose put into other slots, or keep beside slots, lane by lane (docs/MODEL.md, 6): what they come
 * from is told once all of a call's are known, since they take each other's places. */
#ifndef MPG_WHERE_MOVES_H
#define MPG_WHERE_MOVES_H

#include "simulate/attribution/critical.h"
#include "simulate/attribution/provenance.h"

struct mpg_moved_arrivals;

/* Error: out of memory. */
struct mpg_moved_arrivals *mpg_moved_arrivals_new(uint32_t lanes, struct mpg_error *err);
void mpg_moved_arrivals_free(struct mpg_moved_arrivals *moves); /* NULL is allowed */
/* In lane W TO comes from FROM as it is before all of these, SHIFT_NS later; of several the last counts. That there was no
 * memory is said by what tells them. */
void mpg_moved_arrivals_set(struct mpg_moved_arrivals *moves, struct mpg_value to, uint32_t w, struct mpg_value from,
                   double shift_ns);
/* Tells all since the last time. What is later is MPG_CRITICAL_ORDER, what
 * is earlier MPG_CRITICAL_ABSORBED. Error: out of memory. */
int mpg_moved_arrivals_tell(struct mpg_moved_arrivals *moves, struct mpg_provenance *trail, struct mpg_error *err);

#endif
