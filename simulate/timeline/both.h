/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The traced run and the replica with the median run, one above the other, as a timeline (mpgsim(1), --timeline). */
#ifndef MPG_TIMELINE_BOTH_H
#define MPG_TIMELINE_BOTH_H

#include "analyse/timeline/timeline.h"
#include "simulate/retrace/retrace.h"
#include "simulate/waits/again.h"

struct mpg_timeline_wanted {
    const char *name; /* of the trace's file or folder */
    const char *path; /* of the timeline; "-": standard output */
    const struct mpg_timeline_part *part;
    const struct mpg_retrace_rules *rules;
    const struct mpg_retrace_facts *facts; /* but for the replica */
};

/* Is shown the traced run and the predicted one, which are closed when it returns. Returns 0 or -1 with ERR. */
typedef int mpg_timeline_see(void *who, const struct mpg_timeline_world world[2], struct mpg_error *err);
/* Shows WHO both, by one more simulation of the replica with the median run, REPLICA, whose trace is in a folder of
 * $TMPDIR meanwhile. WANTED's path is not used. Errors: those of SEE, of simulations and traces of replicas. */
int mpg_timeline_show(const struct mpg_simulated *simulated, const struct mpg_timeline_wanted *wanted,
                      mpg_timeline_see *see, void *who, uint32_t *replica, struct mpg_error *err);
/* Writes it, by one more simulation of that replica, REPLICA, whose trace is in a folder of $TMPDIR meanwhile.
 * Errors: it cannot be written; those of simulations, timelines and traces of replicas. */
int mpg_timeline_both(const struct mpg_simulated *simulated, const struct mpg_timeline_wanted *wanted,
                      uint32_t *replica, struct mpg_error *err);

#endif
