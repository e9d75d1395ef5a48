/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the facts of a rank: host, clock, program, number of untraced calls and others. */
#include "config.h"

#include "trace/pmpi/facts.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/machine.h"
#include "common/peek.h"
#include "common/units.h"
#include "trace/pmpi/clock.h"
#include "trace/pmpi/off_cpu.h"
#include "trace/pmpi/openmp.h"
#include "trace/pmpi/overhead.h"
#include "trace/pmpi/profile.h"
#include "trace/pmpi/python.h"
#include "trace/pmpi/stream.h"
#include "trace/pmpi/tracer.h"
#include "trace/pmpi/untraced.h"
#include "trace/pmpi/usage.h"

static unsigned long long untraced[MPG_UNTRACED_COUNT];

void tracer_count(int which, const void *caller)
{
    tracer_real_be_found(caller);
    if (stream_thread.depth == 0)
        __atomic_fetch_add(&untraced[which], 1, __ATOMIC_RELAXED);
}

int facts_write(struct mpg_trace_writer *w, const char *key, const char *value,
                struct mpg_error *err)
{
    profile_fact(key, value);
    return mpg_trace_write_fact(w, key, value, err);
}

/* Returns the command line as one line: from mpgtrace record or, in a program linked with the tracer, of the process. */
static const char *program(char *text, size_t size)
{
    const char *program = getenv("MPGTRACE_PROGRAM");
    if (program)
        return program;
    size_t n = mpg_peek("/proc/self/cmdline", text, size);
    while (n > 0 && text[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0' || text[i] == '\n')
            text[i] = ' ';
    text[n] = '\0';
    return n > 0 ? text : NULL;
}

/* Writes TIME in UTC. The C library's functions would read time zone files and allocate. The date follows H. Hinnant,
 * chrono-Compatible Low-Level Date Algorithms (2013), civil_from_days: years begin in March, in eras of 400 years. */
static void write_date(char *text, size_t size, time_t time)
{
    const long long day = time / 86400 + 719468, second = time % 86400; /* days since 1 March of year 0 */
    const long long era = day / 146097, of_era = day % 146097;
    const long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const long long of_year = of_era - (365 * year + year / 4 - year / 100);
    const long long march = (5 * of_year + 2) / 153; /* months since March */
    const long long month = march < 10 ? march + 3 : march - 9;
    snprintf(text, size, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ",
             year + 400 * era + (month <= 2), month, of_year - (153 * march + 2) / 5 + 1,
             second / 3600, second / 60 % 60, second % 60);
}

static int write_run(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING], date[64], own[2000], settings[2000];
    int length;
    const char *line = program(own, sizeof own);
    write_date(date, sizeof date, time(NULL));
    PMPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    if (facts_write(w, "date", date, err) < 0 ||
        facts_write(w, "mpi", text, err) < 0 ||
        facts_write(w, "mpi_settings", mpg_machine_mpi_settings(settings, sizeof settings),
                    err) < 0 ||
        facts_write(w, "mpgkit", PACKAGE_VERSION, err) < 0)
        return -1;
    return line ? facts_write(w, "program", line, err) : 0;
}

/* Writes the version of the Python interpreter, if the process is, or is linked to, a Python interpreter. */
static int write_python(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char version[64], text[128];
    bool is_known;
    if (!python_is_there(version, sizeof version, &is_known))
        return 0;
    snprintf(text, sizeof text, "%s %s", version, is_known ? "lines" : "unknown");
    return facts_write(w, "python", text, err);
}

/* Writes the facts of this host's machine, worded as in results files. */
static int write_machine(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char text[512];
    const double limit = mpg_machine_core_limit();
    if (facts_write(w, "cpu", mpg_machine_cpu(text, sizeof text), err) < 0 ||
        facts_write(w, "kernel", mpg_machine_kernel(text, sizeof text), err) < 0)
        return -1;
    return limit > 0 ? facts_write(w, "core_limit", mpg_units_format_fact(text, sizeof text, limit, 2), err) : 0;
}

/* Writes the fact "cores": the cores on which this rank may run. */
static int write_cores(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char text[512];
    mpg_machine_cores(text, sizeof text);
    return *text ? facts_write(w, "cores", text, err) : 0;
}

/* Writes how off-CPU time is recorded. */
static int write_off_cpu_method(struct mpg_trace_writer *w, struct mpg_error *err)
{
    const enum off_cpu_method method = off_cpu_recorded_by();
    return method == OFF_CPU_NONE ? 0 : facts_write(w, "off_cpu", method == OFF_CPU_RSEQ ? "rseq" : "clock", err);
}

uint64_t facts_agree_on_run(int rank)
{
    struct timespec now;
    uint64_t run = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    if (rank == 0) /* the process id distinguishes runs that start at the same time on one host */
        run = ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 40;
    PMPI_Bcast(&run, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return run;
}

int facts_write_first(struct mpg_trace_writer *w, int rank, uint64_t run, bool clock_is_shared, bool speaks,
                      struct mpg_error *err)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "", call_cost[32], sum_cost[32], off_cpu_cost[32],
        cpu_cost[32], number[32];
    int length;
    PMPI_Get_processor_name(host, &length);
    const struct overhead cost = overhead_measure();
    streams.call_ns = (int64_t)cost.call_ns;
    mpg_units_format_fact(call_cost, sizeof call_cost, cost.call_ns, 1);
    mpg_units_format_fact(sum_cost, sizeof sum_cost, cost.sum_ns, 1);
    mpg_units_format_fact(off_cpu_cost, sizeof off_cpu_cost, cost.off_cpu_ns, 1);
    mpg_units_format_fact(cpu_cost, sizeof cpu_cost, cost.cpu_ns, 1);
    snprintf(number, sizeof number, "%016" PRIx64, run);
    if (facts_write(w, "run", number, err) < 0 || facts_write(w, "host", host, err) < 0 ||
        facts_write(w, "timer", tracer_clock.counter ? "counter" : "CLOCK_MONOTONIC", err) < 0 ||
        facts_write(w, "overhead_call_ns", call_cost, err) < 0 || facts_write(w, "overhead_sum_ns", sum_cost, err) < 0 ||
        (cost.off_cpu_ns > 0 && facts_write(w, "overhead_off_cpu_ns", off_cpu_cost, err) < 0) ||
        (cost.cpu_ns > 0 && facts_write(w, "overhead_cpu_ns", cpu_cost, err) < 0) || write_off_cpu_method(w, err) < 0 ||
        write_cores(w, err) < 0 || write_python(w, err) < 0 || (speaks && write_machine(w, err) < 0))
        return -1;
    if (clock_is_shared && facts_write(w, "clocks", "shared", err) < 0)
        return -1;
    return rank == 0 ? write_run(w, err) : 0;
}

int facts_write_offset(struct mpg_trace_writer *w, const struct clock_offset *offset,
                       struct mpg_error *err)
{
    char text[64];
    snprintf(text, sizeof text, "%lld %lld", (long long)offset->time_ns,
             (long long)offset->offset_ns);
    return facts_write(w, "clock", text, err);
}

/* Writes the sums of off-CPU time of all streams of the rank. */
static int write_off_cpu(struct mpg_trace_writer *w, struct mpg_error *err)
{
    int64_t between_ns = 0, in_ns = 0;
    char text[32];
    for (const struct stream *s = streams.first; s; s = s->next) {
        between_ns += s->off_between_ns;
        in_ns += s->off_in_ns;
    }
    if (off_cpu_recorded_by() == OFF_CPU_NONE)
        return 0;
    snprintf(text, sizeof text, "%lld", (long long)between_ns);
    if (facts_write(w, "off_cpu_intervals_ns", text, err) < 0)
        return -1;
    snprintf(text, sizeof text, "%lld", (long long)in_ns);
    return facts_write(w, "off_cpu_calls_ns", text, err);
}

/* Returns the median overhead, in ns, of the last measured calls: by an insertion sort, because qsort(3) would allocate. */
static double median_sample(void)
{
    int32_t sorted[STREAM_SAMPLES];
    const size_t n = streams.measured < STREAM_SAMPLES ? (size_t)streams.measured : STREAM_SAMPLES;
    for (size_t i = 0; i < n; i++) {
        size_t j = i;
        for (; j > 0 && sorted[j - 1] > streams.sample_ns[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = streams.sample_ns[i];
    }
    return ((double)sorted[(n - 1) / 2] + (double)sorted[n / 2]) / 2;
}

/* Writes the tracer's time as measured in the run: for new stacks; for all recorded calls, as the mean of the sampled calls times
 * the number of calls; and for one call, as the median of the last sampled calls. */
static int write_overhead(struct mpg_trace_writer *w, struct mpg_error *err)
{
    enum { MIN_MEASURED = 10 };
    char text[32];
    if (streams.stacks_ns > 0) {
        mpg_units_format_fact(text, sizeof text, (double)streams.stacks_ns, 1);
        if (facts_write(w, "flushed_stacks_ns", text, err) < 0)
            return -1;
    }
    if (streams.measured < MIN_MEASURED)
        return 0;
    const double mean_ns = (double)streams.measured_ns / (double)streams.measured;
    mpg_units_format_fact(text, sizeof text, mean_ns * (double)streams.calls, 1);
    if (facts_write(w, "overhead_calls_ns", text, err) < 0)
        return -1;
    mpg_units_format_fact(text, sizeof text, median_sample(), 1);
    return facts_write(w, "overhead_call_median_ns", text, err);
}

int facts_write_last(struct mpg_trace_writer *w, struct mpg_error *err)
{
    if (write_overhead(w, err) < 0)
        return -1;
    for (int i = 0; i < MPG_UNTRACED_COUNT; i++) {
        char text[128];
        if (untraced[i] == 0)
            continue;
        snprintf(text, sizeof text, "%s %llu%s", mpg_untraced[i].name, untraced[i],
                 mpg_untraced[i].local ? " local" : "");
        if (facts_write(w, "untraced", text, err) < 0)
            return -1;
    }
    return write_off_cpu(w, err) < 0 || usage_write(w, err) < 0 ? -1 : openmp_write(w, err);
}
