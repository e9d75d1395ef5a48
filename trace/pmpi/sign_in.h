/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all ranks of the job run under the tracer. Traced ranks agree on clocks and the folder with collective operations,
 * which would hang if one rank did not take part. */
#ifndef MPG_TRACER_SIGN_IN_H
#define MPG_TRACER_SIGN_IN_H

#include <stdbool.h>

/* Signs this process in, before the real MPI_Init. */
void sign_in_process(void);

/* Number of signed-in processes, if processes are missing. */
struct sign_in_missing {
    int traced, ranks; /* TRACED of RANKS processes have signed in */
    bool reports;        /* true in the one process that must report this */
    const char *where; /* the folder used to count processes of several hosts; NULL: on one host */
};

/* Returns whether all RANKS processes of the job have signed in, after the real MPI_Init; all signed-in processes get the same
 * answer. Sets *MISSING if the answer is false. Waits up to five seconds for other processes of this host, and up to ten for
 * other hosts. Returns true if the launcher does not provide the number of processes. Other hosts are not asked if the launcher
 * gives the job no name common to all hosts, or if no folder can be made beside the trace. */
bool sign_in_is_complete(int ranks, struct sign_in_missing *missing);

#endif
