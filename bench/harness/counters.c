/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software events through PAPI (PAPI_add_named_event(3)). */
#include "config.h"

#include "bench/harness/counters.h"

#include <stdio.h>
#if HAVE_PAPI
#include <papi.h>
#endif

static const char *const keys[MPG_COUNTERS] = {"context_switches", "cpu_migrations",
                                               "page_faults"};

#if HAVE_PAPI
static const char *const names[MPG_COUNTERS] = {"perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
                                                "perf::PAGE-FAULTS"};

static void note(struct mpg_counters *counters, const char *what, int code)
{
    snprintf(counters->reason, sizeof counters->reason, "%s: %s", what, PAPI_strerror(code));
}

static void release(struct mpg_counters *counters)
{
    if (PAPI_cleanup_eventset(counters->event_set) == PAPI_OK)
        (void)PAPI_destroy_eventset(&counters->event_set); /* nothing is left to do */
    counters->event_set = PAPI_NULL;
}

void mpg_counters_start(struct mpg_counters *counters)
{
    *counters = (struct mpg_counters){.event_set = PAPI_NULL};
    int status = PAPI_library_init(PAPI_VER_CURRENT);
    if (status != PAPI_VER_CURRENT) {
        note(counters, "PAPI_library_init", status);
        return;
    }
    if ((status = PAPI_create_eventset(&counters->event_set)) != PAPI_OK) {
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

void mpg_counters_stop(struct mpg_counters *counters)
{
    if (counters->n == 0)
        return;
    int status = PAPI_stop(counters->event_set, counters->value);
    if (status != PAPI_OK) {
        note(counters, "PAPI_stop", status);
        counters->n = 0;
    }
    release(counters);
}
#else
void mpg_counters_start(struct mpg_counters *counters)
{
    *counters = (struct mpg_counters){.reason = "built without PAPI"};
}

void mpg_counters_stop(struct mpg_counters *counters)
{
    (void)counters;
}
#endif

int mpg_counters_describe(const struct mpg_counters *counters, struct mpg_header *header,
                          struct mpg_error *err)
{
    if (counters->n == 0)
        return mpg_header_add(header, err, "counters", "none (%s)", counters->reason);
    if (mpg_header_add(header, err, "counters", "%d software events", counters->n) < 0)
        return -1;
    for (int i = 0; i < counters->n; i++)
        if (mpg_header_add(header, err, keys[counters->event[i]], "%lld", counters->value[i]) < 0)
            return -1;
    return 0;
}
