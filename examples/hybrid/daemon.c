/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made daemon: takes USE microseconds of one core in each PERIOD microseconds, in the real-time class where permitted, until
 * it is killed. For trying what the noise of one core does to a rank with several threads.
 *
 *     cc -O2 -o daemon daemon.c && ./daemon CORE PERIOD USE */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PRIORITY = 40 };

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int core = argc > 3 ? atoi(argv[1]) : -1;
    const long long period_ns = argc > 3 ? atoll(argv[2]) * 1000 : 0, use_ns = argc > 3 ? atoll(argv[3]) * 1000 : 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (core < 0 || core >= CPU_SETSIZE || use_ns < 1 || use_ns >= period_ns) {
        fputs("Usage: daemon CORE PERIOD USE, in us, USE below PERIOD\n", stderr);
        return 2;
    }
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("daemon: core");
        return 1;
    }
    (void)sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = PRIORITY});
    for (long long next_ns = now_ns();; next_ns += period_ns) {
        const struct timespec at = {next_ns / 1000000000, next_ns % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        const long long begin_ns = now_ns();
        while (now_ns() - begin_ns < use_ns)
            ;
    }
}
