/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters that a library of its own provides, libmpgtrace-papi.so: it is preloaded
 * beside the tracer only where they are asked for, so that the tracer needs no PAPI. */
#ifndef MPG_TRACER_COUNTERS_H
#define MPG_TRACER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

enum { COUNTERS_MAX = 63 };

struct tracer_counters {
    /* Prepares EVENTS, a list with commas, of which those that this machine can count
     * remain. Puts their names into NAMES, with a blank before each, and into COMPLAINT
     * one line about the others ("" if there are none). Returns how many remain. Once,
     * in the thread that called MPI_Init. */
    int (*open)(const char *events, char *names, size_t names_size, char *complaint,
                size_t complaint_size);
    /* Starts them in this thread; NULL where that fails: it then has no values. */
    void *(*start)(void);
    /* What they have counted in this thread since, one for each of the names. */
    bool (*read)(void *thread, long long *values);
    void (*stop)(void *thread);
};
extern const struct tracer_counters mpgtrace_counters;

#endif
