/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation that is not done: its time passes, in which events are read ahead. */
#ifndef MPG_REPLAY_ELAPSE_H
#define MPG_REPLAY_ELAPSE_H

#include <pthread.h>

#include "replay/feed.h"

struct mpg_elapse {
    struct mpg_feed *feed;
    pthread_mutex_t *reading; /* held meanwhile; NULL: nobody else reads */
    bool sleeps;     /* what is longer than some us; else it spins */
    int64_t debt_ns; /* re-enactment itself took longer than it should have: made up for later */
    int64_t late_ns; /* all that has ever been */
    double own_ns;   /* what it takes between two calls */
};

/* FEED is read ahead meanwhile, READING held (NULL: nobody else reads). SLEEPS: what is longer than some us; else it spins. */
void mpg_elapse_init(struct mpg_elapse *elapse, struct mpg_feed *feed, pthread_mutex_t *reading, bool sleeps);

/* Until NS after FROM_NS of CLOCK_MONOTONIC (MPG_JUST_NOW: at once, NS being next to nothing), less what re-enactment has taken
 * too much before, of which LATE_NS are new: so much later than what elapsed last was over, MPI was called. Returns when it is
 * over (MPG_JUST_NOW: likewise). */
int64_t mpg_elapse(struct mpg_elapse *elapse, int64_t from_ns, int64_t ns, int64_t late_ns);

#endif
