/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals that calls which choose put into other slots, or keep beside slots, lane by lane (docs/MODEL.md, 6): what they come
 * from is told once all of a call's are known, since they take each other's places. */
#ifndef MPG_WHERE_MOVES_H
#define MPG_WHERE_MOVES_H

#include "simulate/where/path.h"
#include "simulate/where/trail.h"

struct mpg_moves;

/* Error: out of memory. */
struct mpg_moves *mpg_moves_new(uint32_t lanes, struct mpg_error *err);
void mpg_moves_free(struct mpg_moves *moves); /* NULL is allowed */
/* In lane W TO comes from FROM as it is before all of these, SHIFT_NS later; of several the last counts. That there was no
 * memory is said by what tells them. */
void mpg_moves_set(struct mpg_moves *moves, struct mpg_path_value to, uint32_t w, struct mpg_path_value from,
                   double shift_ns);
/* Tells all since the last time. What is later is MPG_WHERE_ORDER, what
 * is earlier MPG_WHERE_ABSORBED. Error: out of memory. */
int mpg_moves_tell(struct mpg_moves *moves, struct mpg_trail *trail, struct mpg_error *err);

#endif
