/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software events counted around a measurement: through PAPI where it is built
 * in and may count in the kernel, else through getrusage(2). Measuring never
 * depends on them. Threads count for themselves, each with its own struct. */
#ifndef MPG_COUNTERS_H
#define MPG_COUNTERS_H

#include "bench/harness/record.h"
#include "common/error.h"

/* Context switches, migrations between cores, page faults of this thread. */
enum { MPG_COUNTERS = 3 };

struct mpg_counters {
    int event_set;                 /* PAPI's */
    int n;                         /* events that PAPI counts */
    int event[MPG_COUNTERS];       /* which they are */
    long long value[MPG_COUNTERS]; /* theirs */
    long long usage[MPG_COUNTERS]; /* getrusage's; it has no migrations */
    long long preempted;           /* context switches that this thread did not ask for */
    char reason[256];              /* why PAPI does not count */
};

/* Starts to count what can be counted, for the calling thread; what cannot is
 * noted in REASON. */
void mpg_counters_start(struct mpg_counters *counters);
/* Ends counting and releases what PAPI holds; once per start, by the same thread. */
void mpg_counters_stop(struct mpg_counters *counters);
/* Adds the line "counters" (what counted, and why not PAPI), one a count, and
 * "preemptions". Fails only when out of memory. */
int mpg_counters_describe(const struct mpg_counters *counters, struct mpg_header *header,
                          struct mpg_error *err);

#endif
