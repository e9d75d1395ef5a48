/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed time quantum benchmark: the amount of work done in each of many equal time quanta (Sottile and
 * Minnich, "Analysis of Microbenchmarks for Performance Tuning of Clusters", Cluster 2004). */
#ifndef MPG_QUANTA_H
#define MPG_QUANTA_H

#include <stddef.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/conditions.h"
#include "bench/harness/timer.h"
#include "common/error.h"

#define MPG_QUANTA_MAX 10000000

struct mpg_ftq_quanta {
    double quantum_ns;
    double unit_ns;   /* time of a unit of work in the best quantum */
    double threshold_ns; /* a unit longer by less than threshold_ns counts as a change of speed, not as noise */
    struct mpg_speed speed; /* speed of work without interruptions */
    double lost_ns;   /* time lost to interruptions in all quanta */
    double worst_ns;  /* largest time lost to interruptions in a quantum */
    size_t n;
    double *sample;   /* n * 3 values: start_ns, units of work, lost_ns */
};

/* Measures N quanta (1..MPG_QUANTA_MAX) of QUANTUM_NS (> 0) on this thread's core. Quantum k always ends at the first start + (k
 * + 1) * QUANTUM_NS: ends do not drift. Every unit of work is timed, which separates interruptions from changes of speed
 * (bench/ftq/speed.h). CONDITIONS is started and stopped around the quanta; not started if out of memory. The caller clears
 * RESULT. Errors: out of memory; no unit of work fits into any quantum. */
int mpg_quanta_measure(const struct mpg_timer *timer, double quantum_ns, size_t n,
                       struct mpg_core_conditions *conditions, struct mpg_ftq_quanta *result, struct mpg_error *err);
void mpg_quanta_clear(struct mpg_ftq_quanta *quanta);

#endif
