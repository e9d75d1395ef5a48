/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise whose detours are drawn: gap and duration by turns, each from the distribution that a
 * core's record has of them, or from the family fitted to that (docs/MODEL.md, 3, and Decisions,
 * Renewal). Time is in blocks that begin in equilibrium (Cox, Renewal theory, 1962, sections 5.4,
 * 7.2), each of which is drawn for itself, so that a block is found without those before it.
 * Immutable once made. */
#ifndef MPG_RENEWAL_H
#define MPG_RENEWAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_renewal;

/* Whose noise, in which replica. */
struct mpg_renewal_of {
    const struct mpg_renewal *renewal;
    uint64_t seed;
    int32_t rank;
    uint32_t replica;
};

/* Where somebody looked last, so that looking further on is cheap; all 0 at first. What is found
 * does not depend on it. */
struct mpg_renewal_cursor {
    bool open;
    bool at_end;         /* of the block: no detour is left in it */
    uint64_t block;
    uint32_t number;     /* of the detour in its block */
    double before_ns;    /* the end of the one before, from the block's begin; 0: there is none */
    double from_ns, to_ns; /* the detour; cut at the block's end */
};

/* From CORE's gaps and durations, which outlive it; FIT: from their nearest fits. A core with
 * fewer than two detours has a record that repeats. Errors: CORE keeps its record in part and does
 * not state them, they have no fits, they leave no time for work. */
struct mpg_renewal *mpg_renewal_new(const struct mpg_noise_core *core, bool fit,
                                    struct mpg_error *err);
/* The part of the time that is lost, 0 .. 1. */
double mpg_renewal_lost(const struct mpg_renewal *renewal);
/* How long a block is, ns; 0: the core is quiet. */
double mpg_renewal_block_ns(const struct mpg_renewal *renewal);
/* How long WORK_NS begun at T_NS >= 0 takes; exactly as long where nothing interrupts. */
double mpg_renewal_time_for(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *cursor,
                            double t_ns, double work_ns);
/* How long the detour in which T_NS >= 0 is goes on, *SINCE_NS after it, or its block, began; 0: it
 * is in none. */
double mpg_renewal_detour_left(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *cursor,
                               double t_ns, double *since_ns);
void mpg_renewal_free(struct mpg_renewal *renewal); /* NULL is allowed */

#endif
