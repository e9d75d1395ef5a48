/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One time for all ranks of a communicator: that of its rank 0. Ranks that read
 * the same constant clock share it; the others' offset and drift come from
 * minimal round trips (Cristian, Distributed Computing 3, 1989), linear between
 * them. */
#ifndef MPG_SYNC_H
#define MPG_SYNC_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_sync;

/* Starts the common time, 0 at about this moment, with a first measurement of
 * every rank's clock against rank 0's. TIMER is this rank's; all have the same
 * kind, and it outlives the sync. A clock is taken for rank 0's own when host,
 * boot and time namespace are the same, the system's clock or the processor says
 * that it is one constant clock for all cores, and every round trip agrees with
 * an offset of 0. Collective over COMM, which the sync keeps; the caller closes
 * it. NULL on every rank when one is out of memory; where the error is another
 * rank's, ERR becomes empty. */
struct mpg_sync *mpg_sync_open(MPI_Comm comm, const struct mpg_timer *timer,
                               struct mpg_error *err);
void mpg_sync_close(struct mpg_sync *sync); /* not collective; NULL is allowed */

/* Measures the clocks again; call it between blocks of measurements and once
 * after the last. Without effect, and free, when all ranks share rank 0's clock.
 * Takes about a hundred empty round trips a rank, one rank after the other.
 * Collective over the communicator. Errors as mpg_sync_open(). */
int mpg_sync_probe(struct mpg_sync *sync, struct mpg_error *err);

/* The common time, ns, at which RANK's timer read TICKS. RANK is this rank, or any
 * on rank 0. Linear between the two probes around it, so call it after the last
 * probe; before the first and after the last probe the nearest two are used. */
double mpg_sync_time_ns(const struct mpg_sync *sync, int rank, uint64_t ticks);

/* The bound, ns, on the error of RANK's common time (RANK as above): for a shared
 * clock its resolution, else half the longest of the probes' minimal round trips
 * plus how far a probe was from the line through its neighbours, at most. */
double mpg_sync_error_ns(const struct mpg_sync *sync, int rank);

/* The rate of RANK's clock against rank 0's, less 1, over all probes (RANK as
 * above); 0 for a shared clock and while there is only one probe. */
double mpg_sync_drift(const struct mpg_sync *sync, int rank);

/* Whether all ranks share rank 0's clock; the same on every rank. */
bool mpg_sync_shared(const struct mpg_sync *sync);

#endif
