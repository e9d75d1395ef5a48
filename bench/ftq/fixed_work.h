/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed work quantum benchmark: how long each of many equal portions of work
 * takes (FWQ of the ASC Sequoia benchmarks, Lawrence Livermore National
 * Laboratory, 2008). */
#ifndef MPG_FIXED_WORK_H
#define MPG_FIXED_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/watch.h"
#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_fixed_work {
    uint64_t units;     /* of work in each quantum */
    double work_ns;     /* the fastest quantum */
    double unit_ns;     /* one unit of it */
    double span_ns;     /* of all quanta together */
    double threshold_ns; /* shorter interruptions count as speed */
    struct mpg_speed speed; /* of undisturbed work */
    double lost_ns;     /* to interruptions */
    double longest_ns;  /* quantum */
    size_t n;
    double *sample;     /* 3 a quantum: start_ns from the first one's, duration_ns, lost_ns */
};

/* Finds out how much work lasts QUANTUM_NS (> 0) at best on the core that this
 * thread runs on, and times that portion again and again for DURATION_NS
 * (>= QUANTUM_NS, at most MPG_QUANTA_MAX quanta), without a gap: a quantum starts
 * where the one before ended. Every unit of work is timed, as in mpg_quanta_measure(). WATCH
 * is started and stopped around that. The caller clears RESULT. Errors: out of memory; WATCH
 * may not have been started then. */
int mpg_fixed_work_measure(const struct mpg_timer *timer, double quantum_ns, double duration_ns,
                           struct mpg_ftq_watch *watch, struct mpg_fixed_work *result,
                           struct mpg_error *err);
void mpg_fixed_work_clear(struct mpg_fixed_work *work);

#endif
