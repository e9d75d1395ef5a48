/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Division of a host's cores among the ftq processes of a launch. The processes use shared memory, since ftq is not an MPI
 * program. */
#ifndef MPG_HOST_CORES_H
#define MPG_HOST_CORES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "bench/harness/launch.h"
#include "common/error.h"

struct mpg_host_memory; /* the memory that the ranks of a host share */

struct mpg_ftq_cores {
    struct mpg_launch launch;
    struct mpg_host_memory *memory; /* NULL: this rank is alone on the host */
    atomic_bool error_reported;           /* without shared memory: this rank has printed an error */
    int *core, n;                /* cores available to any rank of this host, ascending */
    int ranks;                   /* number of ranks of this host with a core, after mpg_ftq_cores_assign() */
};

/* Waits up to 30 s for the other ranks of this host, before any rank pins itself. End by mpg_ftq_cores_leave() in
 * any case. Errors: the launcher does not name the ranks of this host; no shared memory; a rank is missing; out of
 * memory. */
int mpg_ftq_cores_join(const struct mpg_launch *launch, struct mpg_ftq_cores *division,
                   struct mpg_error *err);

/* Assigns each of the N cores in CORE to an eligible rank: the rank with the fewest assigned cores, then with the fewest
 * available cores, then the lowest. A rank bound to separate cores gets these cores; ranks with a common mask take turns. Keeps
 * this rank's cores in CORE and returns the number of cores. All ranks compute equal results from equal CORE. Error (-1): out of
 * memory. */
int mpg_ftq_cores_assign(struct mpg_ftq_cores *division, int *core, int n, struct mpg_error *err);

/* Returns the CPU time so far of the other ranks of this host, ns; ended ranks do not count. */
double mpg_host_other_cpu_ns(const struct mpg_ftq_cores *division);

/* Returns a flag set once a rank of this host has reported an error; valid until the end. */
const atomic_bool *mpg_host_error_reported(const struct mpg_ftq_cores *division);
/* Returns true in the first calling rank of this host, which must report the error; false in all other ranks. */
bool mpg_host_report_error(struct mpg_ftq_cores *division);

/* Marks this rank as ended. If WELL, then waits until every rank of this host has ended: the CPU time of running ranks can be
 * distinguished from other processes' time. Frees DIVISION's list of cores; the shared memory stays mapped. */
void mpg_ftq_cores_leave(struct mpg_ftq_cores *division, bool well);

#endif
