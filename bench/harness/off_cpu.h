/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For how long this thread was off its CPU, preempted or because a hypervisor had the CPU:
 * wall-clock time less CPU time since both were compared last. Comparing takes two system calls,
 * some 500 ns, so that it is done only after stretches that were long enough for two switches of
 * threads. */
#ifndef MPG_OFF_CPU_H
#define MPG_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/cpu_clock.h"

/* Both clocks at one moment, and how often threads had been switched. */
struct mpg_off_cpu_look {
    uint64_t began, ended; /* when the clocks were read, ticks: the time between is the look's */
    uint64_t ticks, cpu_ns;
    struct mpg_cpu_switches switches;
};

struct mpg_off_cpu {
    enum mpg_timer_kind timer;
    double ns_per_tick;
    bool skips;                   /* the CPU clock stands still during interrupts, too */
    bool asks;                    /* looks ask how often threads were switched */
    uint64_t look_ticks;          /* a stretch longer than this is worth a look */
    uint64_t slow_ticks;          /* a look longer than this is repeated */
    struct mpg_off_cpu_look last;
};

/* Made for the calling thread, whose timer is TIMER; nothing is compared yet. WAITS: it may sleep
 * while it waits, which mpg_off_cpu_after() tells apart. */
struct mpg_off_cpu mpg_off_cpu_open(const struct mpg_timer *timer, bool waits);

/* Reads both clocks, as close to each other as a few attempts get. */
struct mpg_off_cpu_look mpg_off_cpu_look(const struct mpg_off_cpu *off);
/* Whether LOOK lasted too long for the reading alone: it was interrupted. */
static inline bool mpg_off_cpu_interrupted(const struct mpg_off_cpu *off,
                                           const struct mpg_off_cpu_look *look)
{
    return look->ended - look->began > 2 * off->look_ticks;
}

/* From now on; before what is measured. */
void mpg_off_cpu_begin(struct mpg_off_cpu *off);

/* For how long (ns, >= 0) the thread was off its CPU between the last look and NOW, which becomes
 * the last one. 0 below 1 us, or below what the two clocks may run apart (20 ppm); and where the
 * CPU clock skips interrupts and no thread was switched, if what was measured lasted for less
 * than MEASURED_NS = 50 us, as interrupts do. */
double mpg_off_cpu_until(struct mpg_off_cpu *off, const struct mpg_off_cpu_look *now,
                         double measured_ns);

/* After a stretch of TICKS in a library that may sleep while it waits: for how long (ns) the
 * thread was off its CPU since the last look; 0, without looking, if the stretch was short, and
 * 0 if the thread slept, which is waiting. */
double mpg_off_cpu_after(struct mpg_off_cpu *off, uint64_t ticks);
static inline double mpg_off_cpu_check(struct mpg_off_cpu *off, uint64_t ticks)
{
    return off && ticks > off->look_ticks ? mpg_off_cpu_after(off, ticks) : 0;
}

#endif
