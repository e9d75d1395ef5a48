/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Off-CPU time: wall-clock time minus CPU time. */
#include "config.h"

#include "bench/harness/off_cpu.h"

/* Minimum length of checked intervals: two thread switches, away from this thread and back, take longer. */
#define LOOK_NS 2000.0
/* Maximum duration of a reading of both clocks. A longer reading ran with cold caches after a preemption, has an uncertain time
 * between both clocks, and is repeated. */
#define SLOW_NS 1500.0
enum { TRIES = 3 };
/* Minimum difference of both clocks that counts as off-CPU time: above the clocks' resolution and the largest difference of
 * rates. */
#define MIN_NS 1000.0
#define CLOCKS_DIFFER 20e-6
/* Maximum length of an interrupt. If the CPU clock excludes interrupts, a shorter difference without a thread switch is not
 * off-CPU time. */
#define INTERRUPT_NS 50000.0

struct mpg_off_cpu mpg_off_cpu_open(const struct mpg_timer *timer, bool waits)
{
    bool skips_interrupts = mpg_cpu_clock_skips_interrupts();
    return (struct mpg_off_cpu){.timer = timer->kind, .ns_per_tick = timer->ns_per_tick,
                                .skips_interrupts = skips_interrupts, .counts_switches = skips_interrupts || waits,
                                .check_ticks = (uint64_t)(LOOK_NS / timer->ns_per_tick),
                                .slow_ticks = (uint64_t)(SLOW_NS / timer->ns_per_tick)};
}

struct mpg_off_cpu_reading mpg_off_cpu_read(const struct mpg_off_cpu *off)
{
    struct mpg_off_cpu_reading reading = {.switches = {0, 0}};
    for (int tries = 0; tries < TRIES; tries++) {
        reading.began = mpg_timer_read(off->timer);
        reading.cpu_ns = mpg_cpu_clock_ns();
        reading.ended = mpg_timer_read(off->timer);
        if (reading.ended - reading.began <= off->slow_ticks || mpg_off_cpu_interrupted(off, &reading))
            break;
    }
    reading.ticks = reading.began + (reading.ended - reading.began) / 2;
    if (off->counts_switches) {
        reading.switches = mpg_cpu_switches();
        reading.ended = mpg_timer_read(off->timer);
    }
    return reading;
}

void mpg_off_cpu_begin(struct mpg_off_cpu *off)
{
    off->last = mpg_off_cpu_read(off);
}

double mpg_off_cpu_since_last(struct mpg_off_cpu *off, const struct mpg_off_cpu_reading *now,
                         double measured_ns)
{
    const struct mpg_off_cpu_reading *last = &off->last;
    double wall_ns = (double)(now->ticks - last->ticks) * off->ns_per_tick;
    double off_ns = wall_ns - (double)(now->cpu_ns - last->cpu_ns);
    bool switched = now->switches.voluntary != last->switches.voluntary ||
                    now->switches.involuntary != last->switches.involuntary;
    bool interrupt = off->skips_interrupts && !switched && measured_ns < INTERRUPT_NS;
    off->last = *now;
    return !interrupt && off_ns > MIN_NS + CLOCKS_DIFFER * wall_ns ? off_ns : 0;
}

double mpg_off_cpu_after_interval(struct mpg_off_cpu *off, uint64_t ticks)
{
    const struct mpg_off_cpu_reading now = mpg_off_cpu_read(off);
    bool slept = now.switches.voluntary != off->last.switches.voluntary;
    double off_ns = mpg_off_cpu_since_last(off, &now, (double)ticks * off->ns_per_tick);
    return slept ? 0 : off_ns;
}
