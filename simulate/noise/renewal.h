/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise with drawn detours: alternating gaps and durations, drawn from the distributions of a core's record or from families
 * fitted to these distributions (docs/MODEL.md, section 3, and Decisions, Renewal). Time is divided into blocks that begin in
 * equilibrium (Cox, Renewal Theory, 1962, sections 5.4, 7.2) and are drawn independently: a block can be drawn without earlier
 * blocks. Immutable once made. */
#ifndef MPG_RENEWAL_H
#define MPG_RENEWAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_renewal;

/* The noise of one rank in one replica. */
struct mpg_renewal_of {
    const struct mpg_renewal *renewal;
    uint64_t seed;
    int32_t rank;
    uint32_t replica;
};

/* The position of the last look-up, to make the next look-up cheap; zero at first. Results do not depend on the position. */
struct mpg_renewal_cursor {
    bool open;
    bool at_end;         /* no detour is left in the block */
    uint64_t block;
    uint32_t number;     /* number of the detour in the block */
    double before_ns;    /* end of the previous detour, from the block's begin; 0: none */
    double from_ns, to_ns; /* begin and end of the detour, cut at the block's end */
};

/* Returns noise drawn from CORE's gaps and durations, which must outlive the result, or, if FIT, from the best fits. A core with
 * fewer than two detours repeats the record. NULL with ERR: CORE's record is truncated and has no distributions of gaps and
 * durations; the distributions have no fits, or leave no time for work; out of memory. */
struct mpg_renewal *mpg_renewal_new(const struct mpg_noise_core *core, bool fit,
                                    struct mpg_error *err);
/* Returns the fraction of time lost, 0 .. 1. */
double mpg_renewal_lost(const struct mpg_renewal *renewal);
/* Returns the length of a block, ns; 0: the core has no noise. */
double mpg_renewal_block_ns(const struct mpg_renewal *renewal);
/* Returns the time, ns, that WORK_NS of work from T_NS >= 0 on takes; exactly WORK_NS if nothing interrupts. */
double mpg_renewal_time_for(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *cursor,
                            double t_ns, double work_ns);
/* Returns the rest, ns, of the detour under way at T_NS >= 0 (0: no detour), and sets *SINCE_NS to the time since the begin of
 * the detour or, if later, of the block. */
double mpg_renewal_detour_left(const struct mpg_renewal_of *of, struct mpg_renewal_cursor *cursor,
                               double t_ns, double *since_ns);
void mpg_renewal_free(struct mpg_renewal *renewal); /* NULL is allowed */

#endif
