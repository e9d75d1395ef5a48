/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software events counted around a measurement, through PAPI where it is built
 * in and works. Measuring never depends on them. */
#ifndef MPG_COUNTERS_H
#define MPG_COUNTERS_H

#include "bench/harness/record.h"
#include "common/error.h"

enum { MPG_COUNTERS = 3 };

/* Context switches, migrations between cores, page faults of this thread. */
struct mpg_counters {
    int event_set;               /* PAPI's */
    int n;                       /* events that count */
    int event[MPG_COUNTERS];     /* which they are */
    long long value[MPG_COUNTERS];
    char reason[256];            /* why there are none */
};

/* Starts to count what can be counted; what cannot is noted in REASON. */
void mpg_counters_start(struct mpg_counters *counters);
/* Ends counting and releases what PAPI holds; once per start. */
void mpg_counters_stop(struct mpg_counters *counters);
/* Adds the line "counters" (what counted, or "none (why)") and one a count.
 * Fails only when out of memory. */
int mpg_counters_describe(const struct mpg_counters *counters, struct mpg_header *header,
                          struct mpg_error *err);

#endif
