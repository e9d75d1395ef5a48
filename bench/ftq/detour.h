/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The detour benchmark: a loop that only reads the timer records each gap between two readings longer than the
 * loop itself ("selfish detour": Beckman, Iskra, Yoshii and Coghlan, "The Influence of Operating Systems on the
 * Performance of Collective Operations at Extreme Scale", Cluster 2006). */
#ifndef MPG_DETOUR_H
#define MPG_DETOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/ftq/conditions.h"
#include "bench/harness/timer.h"
#include "common/error.h"

/* Number of values of a detour, ns: start (since the record's start), duration, off-CPU time within (preemption, or a
 * hypervisor's use of the CPU). */
enum { MPG_DETOUR_COLUMNS = 3 };

struct mpg_detours {
    double loop_ns;      /* shortest loop time */
    double threshold_ns; /* shortest duration of a detour */
    double span_ns;      /* length of the record, ns */
    double lost_ns, longest_ns;
    double off_ns;       /* part of lost_ns in which the thread was off the CPU */
    bool full;           /* the record is full (MAX detours) and ended before DURATION_NS */
    size_t n;
    double *sample;      /* n * MPG_DETOUR_COLUMNS values */
    uint64_t start;      /* ticks of the timer at the record's start */
};

/* Records detours for DURATION_NS (> 0) or up to MAX (>= 1) detours, on this thread's core. Duration of a detour: gap minus
 * shortest loop time. After gaps of some us the thread's CPU clock is read to obtain the off-CPU time; this reading is not a
 * detour. THRESHOLD_NS 0: a few loop times, at most 100 ns if the loop is faster. CONDITIONS is started and stopped around the
 * record. The caller clears RESULT. Errors: out of memory; CONDITIONS may then not be started. */
int mpg_detours_measure(const struct mpg_timer *timer, double duration_ns, double threshold_ns,
                        size_t max, struct mpg_core_conditions *conditions, struct mpg_detours *result,
                        struct mpg_error *err);
void mpg_detours_clear(struct mpg_detours *detours);

#endif
