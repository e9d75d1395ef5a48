/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Off-CPU time of this thread (preemption, or a hypervisor's use of the CPU): wall-clock time minus CPU time between two readings
 * of both clocks. A reading takes two system calls, about 500 ns; readings are therefore taken only after intervals long enough
 * for two thread switches. */
#ifndef MPG_OFF_CPU_H
#define MPG_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/cpu_clock.h"

/* A simultaneous reading of both clocks and of the thread switch counts. */
struct mpg_off_cpu_reading {
    uint64_t began, ended; /* ticks before and after the reading */
    uint64_t ticks, cpu_ns;
    struct mpg_cpu_switches switches;
};

struct mpg_off_cpu {
    enum mpg_timer_kind timer;
    double ns_per_tick;
    bool skips_interrupts;                   /* the CPU clock excludes interrupts as well */
    bool counts_switches;                    /* readings include thread switch counts */
    uint64_t check_ticks;          /* off-CPU time is measured after intervals longer than this */
    uint64_t slow_ticks;          /* longer readings are repeated */
    struct mpg_off_cpu_reading last;
};

/* Returns a state for the calling thread with timer TIMER; mpg_off_cpu_begin() takes the first reading. WAITS: the
 * thread may sleep while waiting, which mpg_off_cpu_after_interval() excludes. */
struct mpg_off_cpu mpg_off_cpu_open(const struct mpg_timer *timer, bool waits);

/* Reads both clocks. Repeats a slow reading a few times, since both clocks should be read at one moment. */
struct mpg_off_cpu_reading mpg_off_cpu_read(const struct mpg_off_cpu *off);
/* Returns whether READING took so long that the thread must have been interrupted during it. */
static inline bool mpg_off_cpu_interrupted(const struct mpg_off_cpu *off,
                                           const struct mpg_off_cpu_reading *reading)
{
    return reading->ended - reading->began > 2 * off->check_ticks;
}

/* Takes the first reading, before the measurement. */
void mpg_off_cpu_begin(struct mpg_off_cpu *off);

/* Returns the off-CPU time (ns, >= 0) between the last reading and NOW, which becomes the last reading. 0 if below
 * 1 us or below the clocks' rate difference (20 ppm). 0 also if the CPU clock excludes interrupts, no thread was
 * switched, and MEASURED_NS is below 50 us, the length of an interrupt. */
double mpg_off_cpu_since_last(struct mpg_off_cpu *off, const struct mpg_off_cpu_reading *now,
                         double measured_ns);

/* Returns the off-CPU time (ns) since the last reading, after an interval of TICKS in a library that may sleep
 * while waiting. 0 without a reading if the interval was short; 0 if the thread slept, since sleeping is waiting. */
double mpg_off_cpu_after_interval(struct mpg_off_cpu *off, uint64_t ticks);
static inline double mpg_off_cpu_check(struct mpg_off_cpu *off, uint64_t ticks)
{
    return off && ticks > off->check_ticks ? mpg_off_cpu_after_interval(off, ticks) : 0;
}

#endif
