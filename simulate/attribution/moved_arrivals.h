/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals moved to other slots, or kept outside slots, lane by lane, by calls completing other messages than in the trace
 * (docs/MODEL.md, section 6). Because arrivals can exchange slots, the provenance of arrivals is recorded once all moves of a
 * call are known. */
#ifndef MPG_MOVED_ARRIVALS_H
#define MPG_MOVED_ARRIVALS_H

#include "simulate/attribution/critical.h"
#include "simulate/attribution/provenance.h"

struct mpg_moved_arrivals;

/* Returns an empty list of moves for LANES lanes. NULL: out of memory, with ERR. */
struct mpg_moved_arrivals *mpg_moved_arrivals_new(uint32_t lanes, struct mpg_error *err);
void mpg_moved_arrivals_free(struct mpg_moved_arrivals *moved); /* NULL is allowed */
/* Notes: in lane W the value TO becomes the value of FROM before all moves of the call, plus SHIFT_NS. Of several notes for equal
 * TO and lane the last counts. mpg_moved_arrivals_report() reports a lack of memory. */
void mpg_moved_arrivals_set(struct mpg_moved_arrivals *moved, struct mpg_value to, uint32_t w, struct mpg_value from,
                   double shift_ns);
/* Records all moves since the last call. A positive shift is term MPG_CRITICAL_ORDER, a negative shift MPG_CRITICAL_ABSORBED.
 * Returns 0, or -1 with ERR: no memory. */
int mpg_moved_arrivals_report(struct mpg_moved_arrivals *moved, struct mpg_provenance *provenance, struct mpg_error *err);

#endif
