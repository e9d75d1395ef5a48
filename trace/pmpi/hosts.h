/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all processes of a job on several hosts run under the tracer. One process of each host writes the number of the host's
 * traced processes to a folder beside the trace, shared by the hosts. */
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
    int traced;       /* number of traced processes seen by this host */
    bool reports;       /* the answer is HOSTS_SOME, and this process must report the answer; true in one process of the job */
    const char *where; /* the folder of the trace, in static memory */
};

/* Adds TRACED processes of this host (0: added by another process) to JOB, a name equal on all hosts and different for each job.
 * Waits at most WAIT_MS milliseconds until RANKS processes are counted. All hosts that share the folder get the same answer,
 * unless HOSTS_UNKNOWN. */
enum hosts_answer hosts_query(const char *job, int traced, int ranks, int wait_ms, struct hosts_count *count);

/* Removes the folder in which the hosts exchanged counts. To be called when all processes of the job have an answer. */
void hosts_end(void);

#endif
