/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states of the traced run, and of the replica whose run is the median one, beside each other. */
#ifndef MPG_WAITS_MEDIAN_H
#define MPG_WAITS_MEDIAN_H

#include "analyse/report.h"
#include "simulate/waits/again.h"

struct mpg_median_waits {
    struct mpg_traced_waits traced;
    struct mpg_waits *predicted;
    struct mpg_waits_table table;
    struct mpg_waits_report report; /* of the two */
    uint32_t replica;               /* of equal runs the lowest; of an even number the lower of the middle ones */
};

/* Fills WAITS (the traced world's eager limit is the simulation's for that machine, or, where none is known at all, what
 * the trace shows), by a pass over the trace and one more simulation, of that replica alone. WAITS is to be cleared
 * even if that fails: clocks are not comparable; out of memory; what the simulation says. */
int mpg_median_waits_find(struct mpg_median_waits *waits, const struct mpg_simulated *simulated,
                          enum mpg_waits_by by, struct mpg_error *err);
void mpg_median_waits_clear(struct mpg_median_waits *waits);

#endif
