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

/* Values of a detour: its start from the record's start, its duration, and for how much of it the
 * thread was off its CPU, preempted or because a hypervisor had the CPU; ns. */
enum { MPG_DETOUR_COLUMNS = 3 };

struct mpg_detours {
    double loop_ns;      /* the shortest time round the loop */
    double threshold_ns; /* a detour lasts longer than this */
    double span_ns;      /* of the record */
    double lost_ns, longest_ns;
    double off_ns;       /* of lost_ns, off the CPU */
    bool full;           /* the record ended because MAX detours were there */
    size_t n;
    double *sample;      /* MPG_DETOUR_COLUMNS a detour */
};

/* Records detours for DURATION_NS (> 0), or until there are MAX (>= 1), on the
 * core that this thread runs on. A detour's duration is its gap less the
 * shortest time round the loop. After each of some us or longer the thread's CPU clock is
 * read, which says for how long the thread was off its CPU; the reading is no detour. THRESHOLD_NS 0: a few times round the loop,
 * at most 100 ns where the loop is faster than that. WATCH is started and stopped around the record. The caller clears RESULT.
 * Errors: out of memory; WATCH may not have been started then. */
int mpg_detours_measure(const struct mpg_timer *timer, double duration_ns, double threshold_ns,
                        size_t max, struct mpg_ftq_watch *watch, struct mpg_detours *result,
                        struct mpg_error *err);
void mpg_detours_clear(struct mpg_detours *detours);

#endif
