/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Header lines about the machine. */
#include "config.h"

#include "bench/harness/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#if MPG_HAVE_TSC
#include <cpuid.h>
#endif

#include "common/machine.h"

/* Returns the kernel's clock tick rate CONFIG_HZ; 0: unknown. */
static int find_kernel_hz(const char *release)
{
    char path[512], line[512];
    int hz = 0;
    snprintf(path, sizeof path, "/boot/config-%s", release);
    gzFile file = gzopen("/proc/config.gz", "r");
    if (!file)
        file = gzopen(path, "r"); /* gzopen reads plain text as well */
    while (file && hz == 0 && gzgets(file, line, sizeof line))
        if (sscanf(line, "CONFIG_HZ=%d", &hz) != 1)
            hz = 0;
    if (file)
        gzclose(file);
    return hz;
}

/* Writes the hypervisor's name to TEXT: CPUID leaf 1, ECX bit 31 shows a hypervisor, leaf 0x40000000 the hypervisor's
 * signature. */
static void find_hypervisor(char *text, size_t size)
{
    snprintf(text, size, "unknown");
#if MPG_HAVE_TSC
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    if (!(c >> 31 & 1)) {
        snprintf(text, size, "none seen");
        return;
    }
    unsigned name[4] = {0, 0, 0, 0};
    __cpuid(0x40000000u, a, name[0], name[1], name[2]);
    snprintf(text, size, "guest of %s", name[0] ? (const char *)name : "a hypervisor");
#endif
}

static const char *policy_name(int policy)
{
    switch (policy) {
    case SCHED_OTHER: return "SCHED_OTHER";
    case SCHED_BATCH: return "SCHED_BATCH";
    case SCHED_IDLE: return "SCHED_IDLE";
    case SCHED_FIFO: return "SCHED_FIFO";
    case SCHED_RR: return "SCHED_RR";
    default: return "unknown policy";
    }
}

char *mpg_machine_scheduling(char *text, size_t size)
{
    struct sched_param param = {0};
    int policy = sched_getscheduler(0);
    if (policy < 0 || sched_getparam(0, &param) < 0)
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%s, nice %d, priority %d", policy_name(policy),
                 getpriority(PRIO_PROCESS, 0), param.sched_priority);
    return text;
}

static int add_kernel(struct mpg_header *header, struct mpg_error *err)
{
    struct utsname u;
    char text[512], hz[32] = "";
    int found = uname(&u) < 0 ? 0 : find_kernel_hz(u.release);
    if (found > 0)
        snprintf(hz, sizeof hz, ", HZ=%d", found);
    return mpg_header_add(header, err, "kernel", "%s%s", mpg_machine_kernel(text, sizeof text),
                          hz);
}

static int add_arguments(struct mpg_header *header, int argc, char **argv, struct mpg_error *err)
{
    char text[MPG_RESULTS_VALUE] = "";
    size_t used = 0;
    for (int i = 1; i < argc && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 1 ? " " : "",
                                 argv[i]);
    return mpg_header_add(header, err, "arguments", "%s", argc > 1 ? text : "none");
}

/* Writes the clock source that the kernel uses for clock_gettime() to TEXT of SIZE bytes. */
static void find_kernel_clock(char *text, size_t size)
{
    FILE *stream = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (!stream || !fgets(text, (int)size, stream))
        snprintf(text, size, "unknown");
    if (stream)
        fclose(stream);
    text[strcspn(text, "\n")] = '\0';
}

static int add_clock(struct mpg_header *header, const struct mpg_timer *timer,
                     struct mpg_error *err)
{
    char kernel_clock[64];
    find_kernel_clock(kernel_clock, sizeof kernel_clock);
    if (mpg_header_add(header, err, "clock", "%s", mpg_timer_describe(timer)) < 0 ||
        mpg_header_add(header, err, "clock_hz", "%.0f", 1e9 / timer->ns_per_tick) < 0 ||
        mpg_header_add(header, err, "clock_drift_ppm", "%.2f", mpg_timer_drift_ppm(timer)) < 0 ||
        mpg_header_add(header, err, "kernel_clock", "%s", kernel_clock) < 0 ||
        mpg_header_add(header, err, "timer_cost_ns", "%.1f", timer->cost_ns) < 0 ||
        mpg_header_add(header, err, "timer_resolution_ns", "%.1f", timer->resolution_ns) < 0)
        return -1;
    return 0;
}

/* Adds header line "load_before": the load of the machine before mpgbench started its benchmarks. Without mpgbench no line is
 * added. */
static int add_before(struct mpg_header *header, struct mpg_error *err)
{
    const char *before = getenv("MPGKIT_MACHINE_BEFORE");
    return before && *before ? mpg_header_add(header, err, "load_before", "%s", before) : 0;
}

int mpg_machine_describe(struct mpg_header *header, const struct mpg_timer *timer, int argc,
                         char **argv, struct mpg_error *err)
{
    char host[256] = "unknown", cpu[256], hypervisor[64], date[64] = "unknown", scheduling[128];
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (gethostname(host, sizeof host - 1) < 0)
        snprintf(host, sizeof host, "unknown");
    mpg_machine_cpu(cpu, sizeof cpu);
    find_hypervisor(hypervisor, sizeof hypervisor);
    if (mpg_header_add(header, err, "mpgkit", "%s", PACKAGE_VERSION) < 0 ||
        mpg_header_add(header, err, "date", "%s", date) < 0 ||
        mpg_header_add(header, err, "host", "%s", host) < 0 ||
        mpg_header_add(header, err, "cpu", "%s", cpu) < 0 || add_kernel(header, err) < 0 ||
        mpg_header_add(header, err, "virtualisation", "%s", hypervisor) < 0 ||
        mpg_header_add(header, err, "scheduling", "%s",
                       mpg_machine_scheduling(scheduling, sizeof scheduling)) < 0 ||
        add_clock(header, timer, err) < 0 || add_before(header, err) < 0 ||
        add_arguments(header, argc, argv, err) < 0 ||
        mpg_header_add(header, err, "units", "as in the columns' names") < 0)
        return -1;
    return 0;
}

double mpg_machine_steal_ns(int core)
{
    char line[512], name[32];
    double steal_ns = -1;
    FILE *stream = fopen("/proc/stat", "r");
    size_t length = (size_t)snprintf(name, sizeof name, "cpu%d ", core);
    while (stream && fgets(line, sizeof line, stream)) {
        unsigned long long ticks;
        if (strncmp(line, name, length) == 0 &&
            sscanf(line + length, "%*u %*u %*u %*u %*u %*u %*u %llu", &ticks) == 1)
            steal_ns = (double)ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
    }
    if (stream)
        fclose(stream);
    return steal_ns;
}
