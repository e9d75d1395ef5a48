/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detours, one by one: a loop that only reads the clock notes each gap between
 * two readings that is too long for the loop itself (the "selfish detour" of
 * Beckman, Iskra, Yoshii and Coghlan, "The Influence of Operating Systems on
 * the Performance of Collective Operations at Extreme Scale", Cluster 2006). */
#ifndef MPG_DETOUR_H
#define MPG_DETOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/ftq/watch.h"
#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_detours {
    double loop_ns;      /* the shortest time round the loop */
    double threshold_ns; /* a detour lasts longer than this */
    double span_ns;      /* of the record */
    double lost_ns, longest_ns;
    bool full;           /* the record ended because MAX detours were there */
    size_t n;
    double *sample;      /* 2 a detour: start_ns from the record's start, duration_ns */
};

/* Records detours for DURATION_NS (> 0), or until there are MAX (>= 1), on the
 * core that this thread runs on. A detour's duration is its gap less the
 * shortest time round the loop. THRESHOLD_NS 0: a few times round the loop, at
 * most 100 ns where the loop is faster than that. WATCH is started and stopped
 * around the record. The caller clears RESULT. Errors: out of memory; WATCH may
 * not have been started then. */
int mpg_detours_measure(const struct mpg_timer *timer, double duration_ns, double threshold_ns,
                        size_t max, struct mpg_watch *watch, struct mpg_detours *result,
                        struct mpg_error *err);
void mpg_detours_clear(struct mpg_detours *detours);

#endif
