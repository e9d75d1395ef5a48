/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a thread's CPU time and counters at begin and end of each compute interval. */
#include "trace/pmpi/values.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/pmpi/counters.h"
#include "trace/pmpi/facts.h"

enum { NAMES_SIZE = 4096, TRIALS = 64 };

extern const struct tracer_counters mpgtrace_counters __attribute__((weak));

/* A thread's readings at the begin and at the end of the current interval, and the difference. */
struct thread_values {
    void *counters; /* the thread's counters; NULL: cannot be counted */
    int64_t begin[COUNTERS_MAX + 1], end[COUNTERS_MAX + 1], difference[COUNTERS_MAX + 1];
};

uint32_t values_number;
static bool cpu_time;
static char names[NAMES_SIZE];
static pthread_key_t at_thread_end;
static __thread struct thread_values *own __attribute__((tls_model("initial-exec")));
static struct thread_values none; /* replaces a thread's values without memory: zeros */

static void free_own(void *values)
{
    struct thread_values *v = values;
    if (v->counters)
        mpgtrace_counters.stop(v->counters);
    free(v);
}

void values_open(char *complaint, size_t size)
{
    const char *events = getenv("MPGTRACE_PAPI");
    uint32_t number = 0;
    complaint[0] = '\0';
    if (pthread_key_create(&at_thread_end, free_own) != 0)
        return;
    cpu_time = getenv("MPGTRACE_CPU_TIME") != NULL;
    if (cpu_time) {
        strcpy(names, " cpu_ns");
        number = 1;
    }
    if (events && !&mpgtrace_counters)
        snprintf(complaint, size, "MPGTRACE_PAPI needs libmpgtrace-papi.so preloaded, as record does");
    if (events && &mpgtrace_counters)
        number += (uint32_t)mpgtrace_counters.open(events, names + strlen(names),
                                                   sizeof names - strlen(names), complaint, size);
    values_number = number;
}

int values_write_names(struct mpg_trace_writer *w, struct mpg_error *err)
{
    return values_number > 0 ? facts_write(w, "values", names + 1, err) : 0;
}

static bool has_counters(void)
{
    return values_number > (uint32_t)cpu_time;
}

static struct thread_values *of_thread(void)
{
    if (own)
        return own;
    own = calloc(1, sizeof *own);
    if (!own)
        return &none;
    if (has_counters())
        own->counters = mpgtrace_counters.start();
    (void)pthread_setspecific(at_thread_end, own); /* if this fails, `own` is not freed */
    return own;
}

static void read_values(struct thread_values *v, int64_t *to)
{
    long long counts[COUNTERS_MAX];
    struct timespec t;
    if (v == &none)
        return;
    if (cpu_time && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
        to[0] = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (!v->counters || !mpgtrace_counters.read(v->counters, counts))
        return;
    for (uint32_t i = cpu_time; i < values_number; i++)
        to[i] = counts[i - cpu_time];
}

void values_enter(void)
{
    struct thread_values *v = of_thread();
    read_values(v, v->end);
}

const int64_t *values_interval(void)
{
    struct thread_values *v = of_thread();
    for (uint32_t i = 0; v != &none && i < values_number; i++)
        v->difference[i] = v->end[i] - v->begin[i];
    return v->difference;
}

void values_leave(void)
{
    struct thread_values *v = of_thread();
    read_values(v, v->begin);
}

int64_t values_cpu_ns(void)
{
    int64_t min_ns = INT64_MAX;
    for (int i = 0; cpu_time && i < TRIALS; i++) {
        values_leave();
        values_enter();
        const int64_t cpu_ns = values_interval()[0];
        if (cpu_ns < min_ns)
            min_ns = cpu_ns;
    }
    return cpu_time && min_ns > 0 ? min_ns : 0;
}
