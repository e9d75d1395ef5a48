/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software events through PAPI (PAPI_add_named_event(3)) and getrusage(2). */
#include "config.h"

#include "bench/harness/counters.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#if HAVE_PAPI
#include <papi.h>
#endif

enum { SWITCHES, MIGRATIONS, FAULTS };

static const char *const keys[MPG_COUNTERS] = {"context_switches", "cpu_migrations",
                                               "page_faults"};

/* Called with SIGN -1 before and 1 after: the sums are differences. */
static void add_usage(struct mpg_counters *counters, int sign)
{
    struct rusage now;
    if (getrusage(RUSAGE_THREAD, &now) < 0)
        now = (struct rusage){.ru_nvcsw = 0};
    counters->usage[SWITCHES] += sign * (now.ru_nvcsw + now.ru_nivcsw);
    counters->usage[FAULTS] += sign * (now.ru_minflt + now.ru_majflt);
    counters->preempted += sign * now.ru_nivcsw;
}

#if HAVE_PAPI
static const char *const names[MPG_COUNTERS] = {"perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
                                                "perf::PAGE-FAULTS"};

static int library = PAPI_EINVAL; /* PAPI's version, or the error code */

static unsigned long this_thread(void)
{
    return (unsigned long)pthread_self();
}

/* The events occur in the kernel; PAPI's default domain (user) would count none. */
static void open_library(void)
{
    int status;
    library = PAPI_library_init(PAPI_VER_CURRENT);
    if (library == PAPI_VER_CURRENT && ((status = PAPI_thread_init(this_thread)) != PAPI_OK ||
                                        (status = PAPI_set_domain(PAPI_DOM_ALL)) != PAPI_OK))
        library = status;
}

static void note(struct mpg_counters *counters, const char *what, int code)
{
    snprintf(counters->reason, sizeof counters->reason, "%s: %s", what,
             code > 0 ? "library version mismatch" : PAPI_strerror(code));
}

static void release(struct mpg_counters *counters)
{
    if (PAPI_cleanup_eventset(counters->event_set) == PAPI_OK)
        (void)PAPI_destroy_eventset(&counters->event_set); /* nothing to do on failure */
    counters->event_set = PAPI_NULL;
    (void)PAPI_unregister_thread();
}

static void start_papi(struct mpg_counters *counters)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (library != PAPI_VER_CURRENT) {
        note(counters, "PAPI_library_init", library);
        return;
    }
    counters->event_set = PAPI_NULL;
    int status = PAPI_create_eventset(&counters->event_set);
    if (status != PAPI_OK) {
        note(counters, "PAPI_create_eventset", status);
        return;
    }
    for (int e = 0; e < MPG_COUNTERS; e++) {
        status = PAPI_add_named_event(counters->event_set, names[e]);
        if (status == PAPI_OK)
            counters->event[counters->n++] = e;
        else
            note(counters, names[e], status);
    }
    if (counters->n > 0 && (status = PAPI_start(counters->event_set)) != PAPI_OK) {
        note(counters, "PAPI_start", status);
        counters->n = 0;
    }
    if (counters->n == 0)
        release(counters);
}

static void stop_papi(struct mpg_counters *counters)
{
    if (counters->n == 0)
        return;
    int status = PAPI_stop(counters->event_set, counters->value);
    if (status != PAPI_OK) {
        note(counters, "PAPI_stop", status);
        counters->n = 0;
    }
    for (int i = 0; i < counters->n; i++)
        if (counters->event[i] == SWITCHES && counters->value[i] < counters->usage[SWITCHES]) {
            snprintf(counters->reason, sizeof counters->reason,
                     "no permission to count in the kernel: perf_event_paranoid");
            counters->n = 0;
        }
    release(counters);
}
#else
static void start_papi(struct mpg_counters *counters)
{
    snprintf(counters->reason, sizeof counters->reason, "built without PAPI");
}

static void stop_papi(struct mpg_counters *counters)
{
    (void)counters;
}
#endif

void mpg_counters_start(struct mpg_counters *counters)
{
    *counters = (struct mpg_counters){0};
    start_papi(counters);
    add_usage(counters, -1);
}

void mpg_counters_stop(struct mpg_counters *counters)
{
    add_usage(counters, 1);
    stop_papi(counters);
}

static int add_count(struct mpg_header *header, int event, long long count, struct mpg_error *err)
{
    return mpg_header_add(header, err, keys[event], "%lld", count);
}

int mpg_counters_describe(const struct mpg_counters *counters, struct mpg_header *header,
                          struct mpg_error *err)
{
    if (counters->n == 0) {
        if (mpg_header_add(header, err, "counters", "getrusage, not PAPI (%s)",
                           counters->reason) < 0 ||
            add_count(header, SWITCHES, counters->usage[SWITCHES], err) < 0 ||
            add_count(header, FAULTS, counters->usage[FAULTS], err) < 0)
            return -1;
    } else if (mpg_header_add(header, err, "counters", "%d software events through PAPI",
                              counters->n) < 0) {
        return -1;
    }
    for (int i = 0; i < counters->n; i++)
        if (add_count(header, counters->event[i], counters->value[i], err) < 0)
            return -1;
    return mpg_header_add(header, err, "preemptions", "%lld", counters->preempted);
}
