/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware counters, provided by a separate library, libmpgtrace-papi.so. Preloaded beside the tracer only when counters are
 * requested: the tracer does not need PAPI. */
#ifndef MPG_TRACER_COUNTERS_H
#define MPG_TRACER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

enum { COUNTERS_MAX = 63 };

struct tracer_counters {
    /* Prepares the comma-separated EVENTS; skips events that this machine cannot count. Writes the names of the remaining events
     * to NAMES, each after a blank, and a line about skipped events to COMPLAINT ("" if none). Returns the number of remaining
     * events. Called once, in the thread that called MPI_Init. */
    int (*open)(const char *events, char *names, size_t names_size, char *complaint,
                size_t complaint_size);
    /* Starts counting in this thread; NULL on failure: the thread then has no values. */
    void *(*start)(void);
    /* Writes this thread's counts since start(), a count for each name. Returns false if counters cannot be read. */
    bool (*read)(void *thread, long long *values);
    /* Ends counting in this thread, and frees THREAD, a result of start(). */
    void (*stop)(void *thread);
};
extern const struct tracer_counters mpgtrace_counters;

#endif
