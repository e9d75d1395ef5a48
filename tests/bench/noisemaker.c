/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates known noise: takes a core away from other threads for a given time in each given period. Its scheduling
 * policy SCHED_FIFO preempts normal threads. It wakes up at absolute times on a fixed grid, so that the periods do not
 * drift. It spins until the given wall time has passed. Exits with 77 if SCHED_FIFO is not permitted. */
#include "bench/harness/cores.h"
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"

enum { PRIORITY = 50, SKIPPED = 77 };
#define LARGEST_SHARE 0.9 /* the kernel throttles real-time threads with a larger share of the time */

static int64_t core;
static double steal_ns = 1e6, period_ns = 2e7, duration_ns = 1e10, offset_ns = -1;
static volatile sig_atomic_t ended;

static const struct mpg_option options[] = {
    {.name = "core", .letter = 'c', .kind = MPG_OPTION_INT, .value = &core, .argument = "N",
     .help = "the core to steal (default: 0)", .maximum = 65535},
    {.name = "steal", .letter = 's', .kind = MPG_OPTION_TIME, .value = &steal_ns, .argument = "TIME",
     .help = "for how long (default: 1ms)", .minimum = 1e3, .maximum = 1e9},
    {.name = "period", .letter = 'p', .kind = MPG_OPTION_TIME, .value = &period_ns, .argument = "TIME",
     .help = "once in so long (default: 20ms)", .minimum = 1e4, .maximum = 1e10},
    {.name = "offset", .letter = 'o', .kind = MPG_OPTION_TIME, .value = &offset_ns, .argument = "TIME",
     .help = "so long after whole periods of the monotonic clock (default: a period after it began)",
     .maximum = 1e10},
    {.name = "duration", .letter = 'd', .kind = MPG_OPTION_TIME, .value = &duration_ns, .argument = "TIME",
     .help = "for this time in all (default: 10s)", .minimum = 1e6, .maximum = 1e13},
    {0}};

static const struct mpg_program program = {
    .name = "noisemaker",
    .summary = "Steals time from a core, again and again, until its duration or SIGTERM ends it.",
    .options = options};

static void end(int number)
{
    (void)number;
    ended = 1;
}

static void sleep_until(uint64_t time_ns)
{
    struct timespec t = {(time_t)(time_ns / 1000000000), (long)(time_ns % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); /* a signal ends the sleep */
}

/* Keeps the core busy for the time to steal. Returns the time in ns that passed. */
static uint64_t spin(void)
{
    const uint64_t start_ns = mpg_clock_ns();
    uint64_t now_ns;
    while ((now_ns = mpg_clock_ns()) - start_ns < (uint64_t)steal_ns) {
    }
    return now_ns - start_ns;
}

/* Returns the time at which the first theft begins: one period from now or, if an offset is given, this long after a
 * multiple of the period on CLOCK_MONOTONIC, which gives several instances a fixed phase relation regardless of their
 * start times. */
static uint64_t first_ns(void)
{
    const uint64_t now_ns = mpg_clock_ns(), period = (uint64_t)period_ns;
    if (offset_ns < 0)
        return now_ns + period;
    return (now_ns / period + 1) * period + (uint64_t)offset_ns;
}

static void steal(void)
{
    const uint64_t start_ns = first_ns();
    uint64_t stolen_ns = 0, steals = 0, missed = 0, k = 0;
    while (!ended && (double)k * period_ns < duration_ns) {
        uint64_t due_ns = start_ns + (uint64_t)((double)k * period_ns);
        sleep_until(due_ns);
        if (ended)
            break;
        stolen_ns += spin();
        steals++;
        k++;
        for (; start_ns + (uint64_t)((double)k * period_ns) < mpg_clock_ns(); k++)
            missed++;
    }
    printf("steals %llu stolen_ns %llu missed %llu\n", (unsigned long long)steals,
           (unsigned long long)stolen_ns, (unsigned long long)missed);
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    struct sched_param param = {.sched_priority = PRIORITY};
    struct sigaction action = {.sa_handler = end};
    mpg_option_parse(&program, argc, argv);
    if (steal_ns > LARGEST_SHARE * period_ns)
        mpg_option_usage_error(&program, "--steal is more than 90 %% of --period");
    if (mpg_cores_pin((int)core, &err) < 0) {
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    if (sched_setscheduler(0, SCHED_FIFO, &param) < 0) {
        fprintf(stderr, "noisemaker: SCHED_FIFO: %s\n", strerror(errno));
        return SKIPPED;
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE); /* if this fails, stolen time includes page faults */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    printf("stealing\n");
    fflush(stdout);
    steal();
    if (mpg_stdout_close(&err) < 0) {
        mpg_error_print(program.name, &err);
        return MPG_EXIT_FAILURE;
    }
    return MPG_EXIT_OK;
}
