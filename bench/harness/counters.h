/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software events of a measurement: from PAPI if built in and permitted to count in the kernel, else from
 * getrusage(2). Measurements work without them. Each thread counts with its own struct. */
#ifndef MPG_COUNTERS_H
#define MPG_COUNTERS_H

#include "bench/harness/results_file.h"
#include "common/error.h"

/* Context switches, migrations between cores, page faults of this thread. */
enum { MPG_COUNTERS = 3 };

struct mpg_counters {
    int event_set;                 /* PAPI's event set */
    int n;                         /* number of events counted by PAPI */
    int event[MPG_COUNTERS];       /* indices of the n events */
    long long value[MPG_COUNTERS]; /* counts of the n events */
    long long usage[MPG_COUNTERS]; /* getrusage's counts; no migrations */
    long long preempted;           /* involuntary context switches */
    char reason[256];              /* reason for which PAPI does not count */
};

/* Starts counting for the calling thread; REASON states why PAPI does not count. */
void mpg_counters_start(struct mpg_counters *counters);
/* Stops counting and releases PAPI's resources; once per start, by the thread that started. */
void mpg_counters_stop(struct mpg_counters *counters);
/* Adds header lines: "counters" (source of the counts, and the reason for a missing PAPI), a line for each count,
 * and "preemptions". Errors: out of memory. */
int mpg_counters_describe(const struct mpg_counters *counters, struct mpg_header *header,
                          struct mpg_error *err);

#endif
