/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of a core before and after a noise measurement. */
#include "config.h"

#include "bench/ftq/watch.h"

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

/* The lowest real-time priority precedes all ordinary tasks but not the kernel's own real-time threads. */
enum { REALTIME_PRIORITY = 1 };
/* Least CPU share of an undisturbed core. */
#define WHOLE_SHARE 0.9
/* Delay from the last thread's arrival to the common start: longer than the readings of mpg_conditions_start(). */
#define AHEAD_NS 20000000
#define LARGE_STEAL 0.01

/* ---- scheduling class ---- */

/* Takes SCHED_FIFO, storing the previous class in BEFORE. Returns 0 or an errno. */
static int take_realtime(struct mpg_watch_class *before)
{
    struct sched_param param = {.sched_priority = REALTIME_PRIORITY}, old = {0};
    before->policy = sched_getscheduler(0);
    if (before->policy < 0 || sched_getparam(0, &old) < 0)
        return errno;
    before->priority = old.sched_priority;
    return sched_setscheduler(0, SCHED_FIFO, &param) < 0 ? errno : 0;
}

static void go_back(const struct mpg_watch_class *before)
{
    struct sched_param param = {.sched_priority = before->priority};
    (void)sched_setscheduler(0, before->policy, &param); /* was permitted before */
}

int mpg_watch_may_realtime(struct mpg_error *err)
{
    struct mpg_watch_class before;
    int error = take_realtime(&before);
    if (error)
        return mpg_error_errno(err, error, "--realtime is not permitted here (give CAP_SYS_NICE"
                                           " or a limit 'ulimit -r 1')");
    go_back(&before);
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

void mpg_watch_throttling(long *runtime_us, long *period_us)
{
    read_number("/proc/sys/kernel/sched_rt_runtime_us", runtime_us);
    read_number("/proc/sys/kernel/sched_rt_period_us", period_us);
}

/* ---- record ---- */

/* Waits for the other threads and agrees on a common start. */
static void gather(struct mpg_watch_gate *gate)
{
    if (pthread_barrier_wait(&gate->barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        gate->start_ns = mpg_clock_ns() + AHEAD_NS;
    pthread_barrier_wait(&gate->barrier);
}

void mpg_watch_start(struct mpg_ftq_watch *watch)
{
    watch->started = true;
    mpg_interrupts_read(MPG_INTERRUPTS_HARD, watch->core, &watch->hard[0]);
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, watch->core, &watch->soft[0]);
    int refused = watch->realtime ? take_realtime(&watch->before) : 0;
    watch->held = watch->realtime && !refused;
    mpg_machine_scheduling(watch->scheduling, sizeof watch->scheduling);
    if (refused)
        snprintf(watch->scheduling + strlen(watch->scheduling),
                 sizeof watch->scheduling - strlen(watch->scheduling), " (SCHED_FIFO: %s)",
                 strerror(refused));
    if (watch->together) { /* the first start takes milliseconds: not after the barrier */
        mpg_counters_start(&watch->counters);
        mpg_counters_stop(&watch->counters);
        gather(watch->together);
    }
    watch->steal_ns = mpg_machine_steal_ns(watch->core);
    watch->others_ns = mpg_share_others_ns(watch->share);
    mpg_load_start(&watch->load);
    mpg_counters_start(&watch->counters);
    watch->cpu_ns = (double)mpg_cpu_clock_ns();
    watch->before_start = mpg_timer_now(watch->timer);
    watch->epoch_ns = watch->before_start.clock_ns;
    while (watch->together && mpg_clock_ns() < watch->together->start_ns) {
    }
}

void mpg_watch_started_at(struct mpg_ftq_watch *watch, uint64_t ticks)
{
    double after_ns = (double)(int64_t)(ticks - watch->before_start.ticks) *
                      watch->timer->ns_per_tick;
    watch->epoch_ns = watch->before_start.clock_ns + (uint64_t)(int64_t)after_ns;
}

void mpg_watch_stop(struct mpg_ftq_watch *watch)
{
    watch->wall_ns = (double)(mpg_clock_ns() - watch->before_start.clock_ns);
    watch->cpu_ns = (double)mpg_cpu_clock_ns() - watch->cpu_ns;
    mpg_counters_stop(&watch->counters);
    mpg_load_end(&watch->load);
    watch->others_ns = mpg_share_others_ns(watch->share) - watch->others_ns;
    double steal_ns = mpg_machine_steal_ns(watch->core);
    watch->steal_ns = watch->steal_ns < 0 || steal_ns < 0 ? -1 : steal_ns - watch->steal_ns;
    if (watch->held)
        go_back(&watch->before);
    mpg_interrupts_read(MPG_INTERRUPTS_HARD, watch->core, &watch->hard[1]);
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, watch->core, &watch->soft[1]);
}

void mpg_watch_skip(struct mpg_ftq_watch *watch)
{
    if (!watch->started && watch->together)
        gather(watch->together);
    watch->started = true;
}

/* ---- header lines and warnings ---- */

int mpg_watch_describe(const struct mpg_ftq_watch *watch, struct mpg_header *header,
                       struct mpg_error *err)
{
    char hard[MPG_RECORD_VALUE], soft[MPG_RECORD_VALUE];
    mpg_interrupts_text(&watch->hard[0], &watch->hard[1], hard, sizeof hard);
    mpg_interrupts_text(&watch->soft[0], &watch->soft[1], soft, sizeof soft);
    if (mpg_header_set(header, err, "scheduling", "%s", watch->scheduling) < 0 ||
        mpg_header_add(header, err, "core", "%d", watch->core) < 0 ||
        mpg_header_add(header, err, "binding", "core %d", watch->core) < 0 ||
        mpg_header_add(header, err, "epoch_ns", "%llu",
                       (unsigned long long)watch->epoch_ns) < 0 ||
        mpg_counters_describe(&watch->counters, header, err) < 0 ||
        mpg_load_describe(&watch->load, watch->others_ns, header, err) < 0 ||
        mpg_header_add(header, err, "cpu_share", "%.4f", watch->cpu_ns / watch->wall_ns) < 0 ||
        mpg_header_add(header, err, "off_cpu_ns", "%.0f",
                       fmax(watch->wall_ns - watch->cpu_ns, 0)) < 0 ||
        mpg_header_add(header, err, "interrupts", "%s", hard) < 0 ||
        mpg_header_add(header, err, "softirqs", "%s", soft) < 0)
        return -1;
    return watch->steal_ns < 0 ? 0
                               : mpg_header_add(header, err, "steal_ns", "%.0f", watch->steal_ns);
}

void mpg_watch_warn(const struct mpg_ftq_watch *watch, const char *name)
{
    char stolen[32];
    double share = (watch->cpu_ns + (watch->steal_ns > 0 ? watch->steal_ns : 0)) / watch->wall_ns;
    if (share < WHOLE_SHARE)
        fprintf(stderr, "mpgbench ftq: warning: %s: other processes ran there and ftq got %.0f %% of its"
                        " time, interrupted %lld times: all that counts as noise\n",
                name, 100 * share, watch->counters.preempted);
    if (watch->steal_ns > LARGE_STEAL * watch->wall_ns)
        fprintf(stderr, "mpgbench ftq: warning: %s: the hypervisor took it for %s, which counts as noise\n",
                name, mpg_units_format_time(stolen, sizeof stolen, watch->steal_ns));
}

void mpg_watch_clear(struct mpg_ftq_watch *watch)
{
    for (int i = 0; i < 2; i++) {
        mpg_interrupts_clear(&watch->hard[i]);
        mpg_interrupts_clear(&watch->soft[i]);
    }
}
