/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common starts, agreed between several ranks. After a barrier, ranks leave at different moments. Therefore all ranks of a
 * communicator agree on a future moment of synchronised time and wait for that moment; a rank that misses the moment is late.
 * Hunold and Carpen-Amarie, Hierarchical clock synchronization in MPI, IEEE Cluster 2018; there the root chooses the moment, here
 * the last rank does. */
#ifndef MPG_START_H
#define MPG_START_H

#include <mpi.h>
#include <stdint.h>

#include "bench/harness/sync.h"
#include "bench/harness/timer.h"

#define MPG_START_MIN_SLACK_NS 1e3
#define MPG_START_MAX_SLACK_NS 1e7

/* Linear conversion of synchronised time to ticks of this rank's timer. */
struct mpg_start_line {
    uint64_t ticks;
    double time_ns, ns_per_tick;
};

enum mpg_start_lateness {
    MPG_START_IN_TIME,
    MPG_START_OVERSLEPT, /* the rank left the wait late */
    MPG_START_MISSED     /* the moment had passed before the wait: the slack was too short */
};

/* Returns the conversion for RANK, this rank of SYNC, from the clocks' latest comparison; valid for a second or so. */
struct mpg_start_line mpg_start_line_find(const struct mpg_sync *sync, const struct mpg_timer *timer, int rank);

/* Returns the agreed start, synchronised time in ns: the latest of the ranks' times, each plus its SLACK_NS. Collective
 * over COMM. */
double mpg_start_agree(const struct mpg_start_line *line, const struct mpg_timer *timer, double slack_ns, MPI_Comm comm);

/* Returns the ticks of this rank's timer at START_NS. */
uint64_t mpg_start_ticks(const struct mpg_start_line *line, double start_ns);

/* Waits for START, ticks of this rank's timer. Yields the core while the start is more than YIELD_NS away (INFINITY:
 * never). A rank that starts LATE_TICKS or more after START is late. */
enum mpg_start_lateness mpg_start_await(const struct mpg_timer *timer, uint64_t start, uint64_t late_ticks, double yield_ns);

/* Returns the next slack after a block in which LATE of ALL repetitions missed their start: twice SLACK_NS if more than
 * a tenth did, else a little less; within the limits above. */
double mpg_start_next_slack(double slack_ns, int late, int all);

/* Waits for all ranks of COMM; meanwhile this rank hardly uses its core. Collective over COMM. */
void mpg_start_gather(MPI_Comm comm);

#endif
