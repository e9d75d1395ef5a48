/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lanes come from that are told by codes, one a lane. Private to simulate/engine/ and simulate/predict/. */
#ifndef MPG_TRAIL_LANES_H
#define MPG_TRAIL_LANES_H

#include "simulate/choice/choice_private.h"
#include "simulate/where/tally.h"
#include "simulate/where/trail.h"

/* The record that is made, of S, comes FROM there, with TERMS, in the lanes whose CODES are CODE: by E, an edge of S (NULL: by none), between
 * whose ranks it is, for who asks for pairs: of what calls CHOICE (NULL: none do) put into its view, of whoever sent that. Error: out
 * of memory. */
int mpg_trail_add_lanes(struct mpg_trail *trail, struct mpg_tally *tally, const struct mpg_choosing *choice, const struct mpg_step *s,
                        const struct mpg_edge *e, const uint32_t *codes, uint32_t code, struct mpg_path_value from,
                        const double *terms, struct mpg_error *err);

#endif
