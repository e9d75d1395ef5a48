/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to a core while its noise is measured: everything that is read
 * before and after, so that noise can be attributed, and the scheduling class
 * held in between. One a core and mode, used by the thread that measures. */
#ifndef MPG_WATCH_H
#define MPG_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/ftq/share.h"
#include "bench/harness/counters.h"
#include "bench/harness/interrupts.h"
#include "bench/harness/load.h"
#include "bench/harness/record.h"
#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_watch_class {
    int policy, priority; /* sched(7) */
};

/* Threads that start at one time. */
struct mpg_watch_gate {
    pthread_barrier_t barrier;
    uint64_t start_ns; /* CLOCK_MONOTONIC: the time that all of them agree on */
};

struct mpg_ftq_watch {
    /* The caller sets these; the rest are zeros. */
    int core;
    bool realtime;                  /* hold SCHED_FIFO, if this is permitted */
    struct mpg_watch_gate *together; /* threads that start at once; NULL: one alone */
    const struct mpg_ftq_share *share;
    const struct mpg_timer *timer;

    bool started, held;             /* held: SCHED_FIFO */
    struct mpg_watch_class before;  /* it */
    struct mpg_timer_moment before_start;
    uint64_t epoch_ns;              /* CLOCK_MONOTONIC when the record started */
    double wall_ns, cpu_ns;         /* of the record, and of that what the thread got */
    double steal_ns, others_ns;     /* the hypervisor's; the other ranks' here; steal -1: unknown */
    char scheduling[192];           /* what was true meanwhile */
    struct mpg_counters counters;
    struct mpg_load load;
    struct mpg_interrupts hard[2], soft[2]; /* before, after */
};

/* The last thing before a record starts: takes the scheduling class, waits for the other
 * threads, if there are any, reads everything, and waits for the time that all agreed on. */
void mpg_watch_start(struct mpg_ftq_watch *watch);
/* When, by its timer, the record started: epoch_ns follows, good to some 10 ns. */
void mpg_watch_started_at(struct mpg_ftq_watch *watch, uint64_t ticks);
/* The first thing after it; gives the scheduling class back. */
void mpg_watch_stop(struct mpg_ftq_watch *watch);
/* Instead of the two, when a thread fails before: the others must not wait for it. */
void mpg_watch_skip(struct mpg_ftq_watch *watch);

/* Adds what was read to the header, which has the machine's lines already. Fails
 * only when out of memory. */
int mpg_watch_describe(const struct mpg_ftq_watch *watch, struct mpg_header *header,
                       struct mpg_error *err);
/* Warns on standard error, a line starting with NAME, if the figures are not
 * what they look like: others ran on the core, or the hypervisor took it. */
void mpg_watch_warn(const struct mpg_ftq_watch *watch, const char *name);
void mpg_watch_clear(struct mpg_ftq_watch *watch);

/* Whether this process may take the real-time class; ERR says why not. */
int mpg_watch_may_realtime(struct mpg_error *err);
/* For how long of each period real-time tasks may run, us, runtime -1: always
 * (sched(7)); both stay as they are where the system does not say. */
void mpg_watch_throttling(long *runtime_us, long *period_us);

#endif
