/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed work quantum benchmark: the time of each of many equal amounts of work (FWQ of the ASC Sequoia
 * benchmarks, Lawrence Livermore National Laboratory, 2008). */
#ifndef MPG_FIXED_WORK_H
#define MPG_FIXED_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/conditions.h"
#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_fixed_work {
    uint64_t units;     /* units of work in each quantum */
    double work_ns;     /* time of the fastest quantum */
    double unit_ns;     /* time of a unit of work in the fastest quantum */
    double span_ns;     /* length of all quanta together */
    double threshold_ns; /* a unit longer by less than threshold_ns counts as a change of speed, not as noise */
    struct mpg_speed speed; /* speed of work without interruptions */
    double lost_ns;     /* sum over all quanta of the time lost to interruptions */
    double longest_ns;  /* time of the longest quantum */
    size_t n;
    double *sample;     /* n * 3 values: start_ns from the first quantum's start, duration_ns, lost_ns */
};

/* Calibrates work that takes at least QUANTUM_NS (> 0) on this thread's core, and times this work repeatedly without gaps for
 * DURATION_NS (QUANTUM_NS to MPG_QUANTA_MAX quanta). Every unit of work is timed, as in mpg_quanta_measure(). CONDITIONS is
 * started and stopped around the measurement. The caller clears RESULT. Errors: out of memory; CONDITIONS may then not be
 * started. */
int mpg_fixed_work_measure(const struct mpg_timer *timer, double quantum_ns, double duration_ns,
                           struct mpg_core_conditions *conditions, struct mpg_fixed_work *result,
                           struct mpg_error *err);
void mpg_fixed_work_clear(struct mpg_fixed_work *work);

#endif
