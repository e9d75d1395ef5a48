/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of a core before and after a noise measurement. */
#include "config.h"

#include "bench/ftq/conditions.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/harness/machine.h"
#include "bench/harness/timer.h"
#include "common/cpu_clock.h"
#include "common/units.h"

/* The lowest real-time priority runs before all ordinary tasks, but after the kernel's real-time threads. */
enum { REALTIME_PRIORITY = 1 };
/* Minimum share of CPU time of the measuring thread of an undisturbed core. */
#define FULL_SHARE 0.9
/* Delay from the last thread's arrival to the common start: the readings in mpg_conditions_start() are done by then. */
#define AHEAD_NS 20000000
#define LARGE_STEAL 0.01

/* ---- scheduling class ---- */

/* Gives this thread the scheduling class SCHED_FIFO and stores its previous class in BEFORE. Returns 0 or an errno. */
static int take_realtime(struct mpg_scheduling_class *before)
{
    struct sched_param param = {.sched_priority = REALTIME_PRIORITY}, old = {0};
    before->policy = sched_getscheduler(0);
    if (before->policy < 0 || sched_getparam(0, &old) < 0)
        return errno;
    before->priority = old.sched_priority;
    return sched_setscheduler(0, SCHED_FIFO, &param) < 0 ? errno : 0;
}

static void restore_scheduling(const struct mpg_scheduling_class *before)
{
    struct sched_param param = {.sched_priority = before->priority};
    (void)sched_setscheduler(0, before->policy, &param); /* the thread had this class before, so the system permits it */
}

int mpg_realtime_permitted(struct mpg_error *err)
{
    struct mpg_scheduling_class before;
    int error = take_realtime(&before);
    if (error)
        return mpg_error_errno(err, error, "--realtime is not permitted here (give CAP_SYS_NICE"
                                           " or a limit 'ulimit -r 1')");
    restore_scheduling(&before);
    return 0;
}

static void read_number(const char *path, long *number)
{
    FILE *stream = fopen(path, "r");
    long found;
    if (stream && fscanf(stream, "%ld", &found) == 1)
        *number = found;
    if (stream)
        fclose(stream);
}

void mpg_realtime_throttling(long *runtime_us, long *period_us)
{
    read_number("/proc/sys/kernel/sched_rt_runtime_us", runtime_us);
    read_number("/proc/sys/kernel/sched_rt_period_us", period_us);
}

/* ---- record ---- */

/* Waits until all threads have arrived and agrees on a common start, CLOCK_MONOTONIC ns, in START. */
static void gather(struct mpg_start_gate *gate)
{
    if (pthread_barrier_wait(&gate->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        gate->start_ns = mpg_clock_ns() + AHEAD_NS;
    pthread_barrier_wait(&gate->barrier);
}

void mpg_conditions_start(struct mpg_core_conditions *conditions)
{
    conditions->started = true;
    mpg_interrupts_read(MPG_INTERRUPTS_HARD, conditions->core, &conditions->hard[0]);
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, conditions->core, &conditions->soft[0]);
    int refused = conditions->realtime ? take_realtime(&conditions->before) : 0;
    conditions->held = conditions->realtime && !refused;
    mpg_machine_scheduling(conditions->scheduling, sizeof conditions->scheduling);
    if (refused)
        snprintf(conditions->scheduling + strlen(conditions->scheduling),
                 sizeof conditions->scheduling - strlen(conditions->scheduling), " (SCHED_FIFO: %s)",
                 strerror(refused));
    if (conditions->together) { /* starting the counters takes milliseconds and would delay the common start: therefore before the
                                 * barrier */
        mpg_counters_start(&conditions->counters);
        mpg_counters_stop(&conditions->counters);
        gather(conditions->together);
    }
    conditions->steal_ns = mpg_machine_steal_ns(conditions->core);
    conditions->others_ns = mpg_host_other_cpu_ns(conditions->division);
    mpg_load_start(&conditions->load);
    mpg_counters_start(&conditions->counters);
    conditions->cpu_ns = (double)mpg_cpu_clock_ns();
    conditions->before_start = mpg_timer_now(conditions->timer);
    conditions->epoch_ns = conditions->before_start.clock_ns;
    while (conditions->together && mpg_clock_ns() < conditions->together->start_ns) {
    }
}

void mpg_conditions_set_epoch(struct mpg_core_conditions *conditions, uint64_t ticks)
{
    double after_ns = (double)(int64_t)(ticks - conditions->before_start.ticks) *
                      conditions->timer->ns_per_tick;
    conditions->epoch_ns = conditions->before_start.clock_ns + (uint64_t)(int64_t)after_ns;
}

void mpg_conditions_stop(struct mpg_core_conditions *conditions)
{
    conditions->wall_ns = (double)(mpg_clock_ns() - conditions->before_start.clock_ns);
    conditions->cpu_ns = (double)mpg_cpu_clock_ns() - conditions->cpu_ns;
    mpg_counters_stop(&conditions->counters);
    mpg_load_end(&conditions->load);
    conditions->others_ns = mpg_host_other_cpu_ns(conditions->division) - conditions->others_ns;
    double steal_ns = mpg_machine_steal_ns(conditions->core);
    conditions->steal_ns = conditions->steal_ns < 0 || steal_ns < 0 ? -1 : steal_ns - conditions->steal_ns;
    if (conditions->held)
        restore_scheduling(&conditions->before);
    mpg_interrupts_read(MPG_INTERRUPTS_HARD, conditions->core, &conditions->hard[1]);
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, conditions->core, &conditions->soft[1]);
}

void mpg_conditions_skip(struct mpg_core_conditions *conditions)
{
    if (!conditions->started && conditions->together)
        gather(conditions->together);
    conditions->started = true;
}

/* ---- header lines and warnings ---- */

int mpg_conditions_describe(const struct mpg_core_conditions *conditions, struct mpg_header *header,
                       struct mpg_error *err)
{
    char hard[MPG_RESULTS_VALUE], soft[MPG_RESULTS_VALUE];
    mpg_interrupts_text(&conditions->hard[0], &conditions->hard[1], hard, sizeof hard);
    mpg_interrupts_text(&conditions->soft[0], &conditions->soft[1], soft, sizeof soft);
    if (mpg_header_set(header, err, "scheduling", "%s", conditions->scheduling) < 0 ||
        mpg_header_add(header, err, "core", "%d", conditions->core) < 0 ||
        mpg_header_add(header, err, "binding", "core %d", conditions->core) < 0 ||
        mpg_header_add(header, err, "start_monotonic_ns", "%llu",
                       (unsigned long long)conditions->epoch_ns) < 0 ||
        mpg_counters_describe(&conditions->counters, header, err) < 0 ||
        mpg_load_describe(&conditions->load, conditions->others_ns, header, err) < 0 ||
        mpg_header_add(header, err, "cpu_share", "%.4f", conditions->cpu_ns / conditions->wall_ns) < 0 ||
        mpg_header_add(header, err, "off_cpu_ns", "%.0f",
                       fmax(conditions->wall_ns - conditions->cpu_ns, 0)) < 0 ||
        mpg_header_add(header, err, "interrupts", "%s", hard) < 0 ||
        mpg_header_add(header, err, "softirqs", "%s", soft) < 0)
        return -1;
    return conditions->steal_ns < 0 ? 0
                               : mpg_header_add(header, err, "steal_ns", "%.0f", conditions->steal_ns);
}

void mpg_conditions_warn(const struct mpg_core_conditions *conditions, const char *name)
{
    char stolen[32];
    double cpu_share = (conditions->cpu_ns + (conditions->steal_ns > 0 ? conditions->steal_ns : 0)) / conditions->wall_ns;
    if (cpu_share < FULL_SHARE)
        fprintf(stderr, "mpgbench ftq: warning: %s: other processes used this core: ftq had %.0f %% of its"
                        " time and was preempted %lld times, counted as noise\n",
                name, 100 * cpu_share, conditions->counters.preempted);
    if (conditions->steal_ns > LARGE_STEAL * conditions->wall_ns)
        fprintf(stderr, "mpgbench ftq: warning: %s: steal time %s (hypervisor), counted as noise\n",
                name, mpg_units_format_time(stolen, sizeof stolen, conditions->steal_ns));
}

void mpg_conditions_clear(struct mpg_core_conditions *conditions)
{
    for (int i = 0; i < 2; i++) {
        mpg_interrupts_clear(&conditions->hard[i]);
        mpg_interrupts_clear(&conditions->soft[i]);
    }
}
