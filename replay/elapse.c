/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A wait lasts until a moment of the clock instead of using an amount of CPU time: the trace's times include time taken by the
 * operating system, which must not count twice. The replay's own cost (finding requests, reading events) is deducted from
 * later computation, since the program did not have this cost. */
#include "replay/elapse.h"

#include <errno.h>
#include <time.h>

#include "common/ticks.h"

enum {
    AT_FIRST_NS = 40, /* first value of mpg_elapse.own_ns, before any measurement */
    MAX_DEBT_NS = 100000000,
    MIN_READING_NS = 5000,   /* events are read ahead only if at least this time remains */
    MIN_SLEEP_NS = 20000     /* with less time left, setting a timer takes longer than the wait */
};

static void add_lateness(struct mpg_elapse *e, int64_t ns)
{
    e->late_ns += ns;
    e->debt_ns += ns;
    if (e->debt_ns > MAX_DEBT_NS)
        e->debt_ns = MAX_DEBT_NS;
}

/* Moves e->own_ns, the estimated median of the replay's own time between two calls, towards the observation X_NS. Steps
 * of constant size approach the median, which rare long intervals hardly change. */
static void learn(struct mpg_elapse *e, int64_t x_ns)
{
    const double step_ns = 0.25;
    e->own_ns += (double)x_ns > e->own_ns ? step_ns : -step_ns;
}

static void sleep_until(int64_t target_ns)
{
    const struct timespec t = {.tv_sec = target_ns / 1000000000, .tv_nsec = target_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

/* Reads some events ahead, unless another thread is reading the trace. Returns false if the memory is full or no event
 * is left. */
static bool fill(struct mpg_elapse *e)
{
    if (!e->reading)
        return mpg_feed_fill(e->feed);
    if (pthread_mutex_trylock(e->reading) != 0)
        return true;
    const bool more = mpg_feed_fill(e->feed);
    pthread_mutex_unlock(e->reading);
    return more;
}

/* Reads events ahead until too little time is left before TARGET_NS or the memory is full. Returns the present time. */
static int64_t read_ahead(struct mpg_elapse *e, int64_t now_ns, int64_t target_ns)
{
    while (target_ns - now_ns >= MIN_READING_NS && fill(e))
        now_ns = (int64_t)mpg_clock_ns();
    if (now_ns > target_ns)
        add_lateness(e, now_ns - target_ns);
    return now_ns;
}

void mpg_elapse_init(struct mpg_elapse *e, struct mpg_feed *feed, pthread_mutex_t *reading, bool sleeps)
{
    *e = (struct mpg_elapse){.feed = feed, .reading = reading, .sleeps = sleeps, .own_ns = AT_FIRST_NS};
}

int64_t mpg_elapse(struct mpg_elapse *e, int64_t from_ns, int64_t ns, int64_t late_ns)
{
    if (late_ns > 0)
        add_lateness(e, late_ns);
    if (from_ns == MPG_JUST_NOW) {
        if (e->own_ns > (double)ns)
            add_lateness(e, (int64_t)e->own_ns - ns);
        return MPG_JUST_NOW;
    }
    int64_t now_ns = (int64_t)mpg_clock_ns(), target_ns = from_ns + ns;
    learn(e, now_ns - from_ns + late_ns);
    if (now_ns >= target_ns) {
        add_lateness(e, now_ns - target_ns);
        return now_ns;
    }
    const int64_t left_ns = target_ns - now_ns;
    const int64_t paid_ns = e->debt_ns < left_ns ? e->debt_ns : left_ns;
    e->debt_ns -= paid_ns;
    target_ns -= paid_ns;
    now_ns = read_ahead(e, now_ns, target_ns);
    if (e->sleeps && target_ns - now_ns >= MIN_SLEEP_NS)
        sleep_until(target_ns);
    while ((now_ns = (int64_t)mpg_clock_ns()) < target_ns) {
    }
    return now_ns;
}
