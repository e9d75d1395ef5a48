/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states of the traced run and of the replica with the median run time, side by side (mpgsim(1), --waits). */
#ifndef MPG_REPLICA_WAIT_STATES_H
#define MPG_REPLICA_WAIT_STATES_H

#include "analyse/overview.h"
#include "analyse/report.h"
#include "simulate/replica/rerun.h"

struct mpg_median_waits {
    struct mpg_traced_waits traced;
    struct mpg_waits *predicted;
    struct mpg_waits_table table;
    struct mpg_waits_report report; /* report of both runs */
    uint32_t replica;
};

/* Overviews filled in addition to the wait states: of the traced run, and of the replica. */
struct mpg_overviews {
    struct mpg_overview *traced, *predicted;
};

/* Fills WAITS by passes over the traced run and one rerun of the median replica of SIMULATED, with a table grouped by BY. The
 * eager limit of the traced run is the simulation's limit for the traced machine; if this is unknown, the limit implied by the
 * trace. OVERVIEWS (NULL: not wanted) must be empty, and are filled by the same passes. The caller clears WAITS, also on
 * failure. Returns 0, or -1 with ERR: clocks are not comparable; no memory; an error of the simulation. */
int mpg_median_waits_find(struct mpg_median_waits *waits, const struct mpg_simulated *simulated,
                          enum mpg_waits_by by, const struct mpg_overviews *overviews, struct mpg_error *err);
void mpg_median_waits_clear(struct mpg_median_waits *waits);

#endif
