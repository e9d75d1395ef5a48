/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all processes of a job on several hosts run under the tracer. One process of each host leaves the number of the
 * host's traced processes in a folder beside the trace, which the hosts share. */
#ifndef MPG_TRACER_HOSTS_H
#define MPG_TRACER_HOSTS_H

#include <stdbool.h>

enum hosts_answer {
    HOSTS_UNKNOWN, /* no folder can be made beside the trace */
    HOSTS_ALL,     /* all processes are traced */
    HOSTS_SOME
};

/* Details of the answer. */
struct hosts_count {
    int traced;       /* number of traced processes that this host has seen */
    bool reports;       /* the answer is HOSTS_SOME, and this process must report it; true in one process of the job */
    const char *where; /* the folder of the trace, in static memory */
};

/* Adds TRACED processes of this host (0: none, as another process has added them) to JOB, a name that is the same on all hosts
 * and differs between jobs. Waits at most WAIT_MS milliseconds for others, until RANKS processes are there. All hosts that share
 * the folder get the same answer, if it is not HOSTS_UNKNOWN. */
enum hosts_answer hosts_query(const char *job, int traced, int ranks, int wait_ms, struct hosts_count *count);

/* Removes the folder in which the hosts exchanged counts. Call it once all processes of the job have an answer. */
void hosts_end(void);

#endif
