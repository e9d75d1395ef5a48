/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed time quantum benchmark: how much work fits into each of many equal
 * quanta (Sottile and Minnich, "Analysis of Microbenchmarks for Performance
 * Tuning of Clusters", Cluster 2004). */
#ifndef MPG_QUANTA_H
#define MPG_QUANTA_H

#include <stddef.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/watch.h"
#include "bench/harness/timer.h"
#include "common/error.h"

#define MPG_QUANTA_MAX 10000000

struct mpg_ftq_quanta {
    double quantum_ns;
    double unit_ns;   /* one unit of work in the best quantum */
    double threshold_ns; /* shorter interruptions count as speed */
    struct mpg_speed speed; /* of undisturbed work */
    double lost_ns;   /* to interruptions, in all quanta together */
    double worst_ns;  /* lost in the worst one */
    size_t n;
    double *sample;   /* 3 a quantum: start_ns, work in units, lost_ns */
};

/* Measures N quanta (1..MPG_QUANTA_MAX) of QUANTUM_NS (> 0) on the core that
 * this thread runs on. Quantum k ends at the first one's start + (k + 1) *
 * QUANTUM_NS, whatever happened before: ends do not drift. Every unit of work is timed, so that what
 * interruptions took is told from the speed of the work between them (bench/ftq/speed.h). WATCH is started and
 * stopped around them; it is not started when this fails for want of memory. The
 * caller clears RESULT. Errors: out of memory; no unit of work fits into any
 * quantum. */
int mpg_quanta_measure(const struct mpg_timer *timer, double quantum_ns, size_t n,
                       struct mpg_ftq_watch *watch, struct mpg_ftq_quanta *result, struct mpg_error *err);
void mpg_quanta_clear(struct mpg_ftq_quanta *quanta);

#endif
