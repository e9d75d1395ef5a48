/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* for sched_getaffinity(), sched_getcpu() */
#include "trace/pmpi/usage.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/peek.h"
#include "trace/pmpi/facts.h"

/* The counters: times in ns, and numbers; -1: unknown. */
enum {
    CPU_USER, CPU_SYSTEM, VOLUNTARY, INVOLUNTARY, PAGE_FAULTS, RUNQUEUE_WAIT, STEAL, THROTTLED, COUNTERS
};
static const char *const names[COUNTERS] = {
    [CPU_USER] = "cpu_user_ns",
    [CPU_SYSTEM] = "cpu_system_ns",
    [VOLUNTARY] = "switches_voluntary",
    [INVOLUNTARY] = "switches_involuntary",
    [PAGE_FAULTS] = "page_faults",
    [RUNQUEUE_WAIT] = "runqueue_wait_ns",
    [STEAL] = "steal_ns",
    [THROTTLED] = "throttled_ns"};

struct usage {
    int64_t counter[COUNTERS];
};

static struct {
    bool started;
    struct usage usage;
} first;

static int64_t in_ns(struct timeval t)
{
    return ((int64_t)t.tv_sec * 1000000 + t.tv_usec) * 1000;
}

static void read_process(struct usage *u)
{
    struct rusage r;
    if (getrusage(RUSAGE_SELF, &r) < 0)
        return;
    u->counter[CPU_USER] = in_ns(r.ru_utime);
    u->counter[CPU_SYSTEM] = in_ns(r.ru_stime);
    u->counter[VOLUNTARY] = r.ru_nvcsw;
    u->counter[INVOLUNTARY] = r.ru_nivcsw;
    u->counter[PAGE_FAULTS] = (int64_t)r.ru_minflt + r.ru_majflt;
}

/* Reads the first thread's counters: time on the CPU, time in the run queue, number of time slices. */
static void read_run_queue(struct usage *u)
{
    char text[128];
    long long wait_ns;
    mpg_peek("/proc/self/schedstat", text, sizeof text);
    if (sscanf(text, "%*d %lld", &wait_ns) == 1)
        u->counter[RUNQUEUE_WAIT] = wait_ns;
}

/* Reads the stolen time, the eighth number in /proc/stat's line of a core, of all cores available to the process. */
static void read_steal(struct usage *u)
{
    enum { BYTES = 1 << 17, MAX_CORES = 1 << 13 };
    unsigned long set[MAX_CORES / (8 * sizeof(unsigned long))] = {0};
    const long ticks_a_second = sysconf(_SC_CLK_TCK);
    char *text = malloc(BYTES);
    if (text && ticks_a_second > 0 &&
        sched_getaffinity(0, sizeof set, (cpu_set_t *)(void *)set) >= 0) {
        mpg_peek("/proc/stat", text, BYTES);
        for (const char *line = text; line && strncmp(line, "cpu", 3) == 0;) {
            int core;
            long long ticks;
            if (sscanf(line, "cpu%d %*d %*d %*d %*d %*d %*d %*d %lld", &core, &ticks) == 2 &&
                core >= 0 && core < MAX_CORES &&
                CPU_ISSET_S((size_t)core, sizeof set, (cpu_set_t *)(void *)set))
                u->counter[STEAL] = (u->counter[STEAL] < 0 ? 0 : u->counter[STEAL]) +
                                    ticks * (1000000000 / ticks_a_second);
            line = strchr(line, '\n');
            line += line != NULL;
        }
    }
    free(text);
}

/* Returns the number behind KEY in the file cpu.stat, below MOUNT, of the control group whose line in GROUPS begins
 * with HEAD; -1 if unknown. */
static int64_t read_group(const char *groups, const char *head, const char *mount, const char *key)
{
    char path[4200], text[1024];
    const char *own = strstr(groups, head);
    long long value;
    if (!own)
        return -1;
    own += strlen(head);
    snprintf(path, sizeof path, "%s%.*s/cpu.stat", mount, (int)strcspn(own, "\n"), own);
    mpg_peek(path, text, sizeof text);
    const char *found = strstr(text, key);
    return found && sscanf(found + strlen(key), "%lld", &value) == 1 ? value : -1;
}

/* Reads the throttled time of the process's control group, version 2 (in microseconds) or 1. */
static void read_throttled(struct usage *u)
{
    char groups[4096];
    mpg_peek("/proc/self/cgroup", groups, sizeof groups);
    const int64_t us = read_group(groups, "0::", "/sys/fs/cgroup", "throttled_usec ");
    if (us >= 0)
        u->counter[THROTTLED] = us * 1000;
    else
        u->counter[THROTTLED] = read_group(groups, ":cpu:", "/sys/fs/cgroup/cpu", "throttled_time ");
    if (u->counter[THROTTLED] < 0)
        u->counter[THROTTLED] =
            read_group(groups, ":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct", "throttled_time ");
}

static void read_all(struct usage *u)
{
    for (int i = 0; i < COUNTERS; i++)
        u->counter[i] = -1;
    read_process(u);
    read_run_queue(u);
    read_steal(u);
    read_throttled(u);
}

/* Writes the current frequency of this thread's core. */
static int write_frequency(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char path[128], text[64], value[32];
    long long khz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", sched_getcpu());
    mpg_peek(path, text, sizeof text);
    if (sscanf(text, "%lld", &khz) != 1 || khz <= 0)
        return 0;
    snprintf(value, sizeof value, "%lld", khz * 1000);
    return facts_write(w, "frequency_hz", value, err);
}

void usage_start(void)
{
    read_all(&first.usage);
    first.started = true;
}

int usage_write(struct mpg_trace_writer *w, struct mpg_error *err)
{
    struct usage last;
    if (!first.started)
        return 0;
    read_all(&last);
    for (int i = 0; i < COUNTERS; i++) {
        char text[32];
        if (first.usage.counter[i] < 0 || last.counter[i] < first.usage.counter[i])
            continue;
        snprintf(text, sizeof text, "%lld", (long long)(last.counter[i] - first.usage.counter[i]));
        if (facts_write(w, names[i], text, err) < 0)
            return -1;
    }
    return write_frequency(w, err);
}
