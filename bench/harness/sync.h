/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synchronised time of a communicator: rank 0's time. Ranks that read rank 0's clock need no conversion; for other ranks offset
 * and drift are measured by minimal round trips (Cristian, Distributed Computing 3, 1989) and interpolated linearly. */
#ifndef MPG_SYNC_H
#define MPG_SYNC_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/harness/timer.h"
#include "common/error.h"

struct mpg_sync;

/* Starts synchronised time, 0 about now, with a first probe of every rank's clock. TIMER: this rank's timer, of equal kind on all
 * ranks, valid until the end. A clock counts as rank 0's if host, boot and time namespace are equal, the system or the processor
 * declares a constant clock for all cores, and every round trip is consistent with offset 0. Collective over COMM, which the sync
 * keeps; the caller closes the sync. Returns NULL on every rank if any rank is out of memory; ERR is empty on ranks without
 * error. */
struct mpg_sync *mpg_sync_open(MPI_Comm comm, const struct mpg_timer *timer,
                               struct mpg_error *err);
void mpg_sync_close(struct mpg_sync *sync); /* Closes SYNC; NULL is allowed. Not collective. */

/* Probes the clocks again: between blocks of measurements and after the last. Does nothing if all ranks share rank
 * 0's clock. Takes about a hundred empty round trips per rank, rank after rank. Collective. Errors: as
 * mpg_sync_open(). */
int mpg_sync_probe(struct mpg_sync *sync, struct mpg_error *err);

/* Returns the synchronised time, ns, of RANK's timer reading TICKS. RANK: this rank, or any rank on rank 0. Linear
 * between the two surrounding probes, hence to be called after the last probe; outside the probes the nearest two
 * extrapolate. */
double mpg_sync_time_ns(const struct mpg_sync *sync, int rank, uint64_t ticks);

/* Returns the error bound, ns, of RANK's synchronised time (RANK as in mpg_sync_time_ns()). Shared clock: the timer's resolution;
 * else half the longest minimal round trip plus the largest deviation of a probe from the line through the neighbouring
 * probes. */
double mpg_sync_error_ns(const struct mpg_sync *sync, int rank);

/* Returns the rate of RANK's clock relative to rank 0's, minus 1, over all probes (RANK as in mpg_sync_time_ns()); 0 for a shared
 * clock or a single probe. */
double mpg_sync_drift(const struct mpg_sync *sync, int rank);

/* Returns whether all ranks share rank 0's clock; equal on every rank. */
bool mpg_sync_shared(const struct mpg_sync *sync);

#endif
