/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of a core during a noise measurement: readings before and after, to attribute the noise, and the
 * scheduling class held in between. A struct for each core and mode, used by the measuring thread. */
#ifndef MPG_CONDITIONS_H
#define MPG_CONDITIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/ftq/host_cores.h"
#include "bench/harness/counters.h"
#include "bench/harness/interrupts.h"
#include "bench/harness/load.h"
#include "bench/harness/results_file.h"
#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_scheduling_class {
    int policy, priority; /* number of the scheduling class in sched(7) */
};

/* Common start of threads. */
struct mpg_start_gate {
    pthread_barrier_t barrier;
    uint64_t start_ns; /* the agreed start, CLOCK_MONOTONIC */
};

struct mpg_core_conditions {
    /* Set by the caller; everything else is zero. */
    int core;
    bool realtime;                  /* input: take SCHED_FIFO during the measurement if permitted */
    struct mpg_start_gate *together; /* input: threads with a common start; NULL: a single thread */
    const struct mpg_ftq_cores *division;
    const struct mpg_timer *timer;

    bool started, held;             /* the thread has SCHED_FIFO now */
    struct mpg_scheduling_class before;  /* class before SCHED_FIFO */
    struct mpg_timer_moment before_start;
    uint64_t epoch_ns;              /* CLOCK_MONOTONIC at the start of the record */
    double wall_ns, cpu_ns;         /* duration of the record, and CPU time of the thread */
    double steal_ns, others_ns;     /* the hypervisor's steal time (-1: unknown); CPU time of the other ranks of this host */
    char scheduling[192];           /* scheduling class during the record */
    struct mpg_counters counters;
    struct mpg_load load;
    struct mpg_interrupts hard[2], soft[2]; /* interrupt counts before and after */
};

/* Last step before a record: takes the scheduling class, waits for the other threads, takes all readings, waits
 * for the common start. */
void mpg_conditions_start(struct mpg_core_conditions *conditions);
/* Sets epoch_ns from the timer reading TICKS at the record's start, accurate to about 10 ns. */
void mpg_conditions_set_epoch(struct mpg_core_conditions *conditions, uint64_t ticks);
/* First step after a record: takes all readings and restores the scheduling class. */
void mpg_conditions_stop(struct mpg_core_conditions *conditions);
/* Replaces start and stop in a thread that fails before: the other threads must not wait. */
void mpg_conditions_skip(struct mpg_core_conditions *conditions);

/* Adds the readings to HEADER, after the machine's lines. Errors: out of memory. */
int mpg_conditions_describe(const struct mpg_core_conditions *conditions, struct mpg_header *header,
                       struct mpg_error *err);
/* Prints a warning on standard error, starting with NAME, if other processes or the hypervisor used the core. */
void mpg_conditions_warn(const struct mpg_core_conditions *conditions, const char *name);
void mpg_conditions_clear(struct mpg_core_conditions *conditions);

/* Returns 0 if this process may take the real-time class; -1: not permitted, with the reason in ERR. */
int mpg_realtime_permitted(struct mpg_error *err);
/* Reads the time limit of real-time tasks: RUNTIME_US of each PERIOD_US; runtime -1: no limit (sched(7)). Both
 * stay unchanged if unknown. */
void mpg_realtime_throttling(long *runtime_us, long *period_us);

#endif
