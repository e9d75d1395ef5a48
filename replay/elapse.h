/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits in place of the program's computation. Meanwhile the next events are read. */
#ifndef MPG_REPLAY_ELAPSE_H
#define MPG_REPLAY_ELAPSE_H

#include <pthread.h>

#include "replay/feed.h"

struct mpg_elapse {
    struct mpg_feed *feed;
    pthread_mutex_t *reading; /* lock to hold while reading; NULL: no other thread reads */
    bool sleeps;              /* sleep through long waits instead of spinning */
    int64_t debt_ns;          /* replay time to deduct from later computation (time owed) */
    int64_t late_ns;          /* sum of the times by which calls were late */
    double own_ns;            /* estimated time needed by the replay itself between two calls */
};

/* Initialises *ELAPSE, which reads FEED ahead holding the lock READING during reads (NULL: no other thread reads). SLEEPS:
 * waits above some microseconds sleep instead of spinning. */
void mpg_elapse_init(struct mpg_elapse *elapse, struct mpg_feed *feed, pthread_mutex_t *reading, bool sleeps);

/* Waits until NS nanoseconds after FROM_NS of CLOCK_MONOTONIC, less the time owed so far (debt_ns). FROM_NS = MPG_JUST_NOW:
 * returns at once, because NS is close to 0. LATE_NS: delay between the end of the last wait and the following MPI call, added
 * to the time owed. Returns the time at the end of the wait, or MPG_JUST_NOW if FROM_NS is MPG_JUST_NOW. */
int64_t mpg_elapse(struct mpg_elapse *elapse, int64_t from_ns, int64_t ns, int64_t late_ns);

#endif
