/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of OpenMP within ranks: efficiencies of the thread level, and imbalance of each parallel region, from the sums in the
 * facts of a trace (trace/parallel.h).
 *
 * S: computation of a rank outside of parallel regions. For a region: n threads, P time without MPI, W sum of the work of all
 * threads, L sum over visits of the work of the thread that worked longest. N: largest number of threads of the rank. All sums
 * are over ranks and regions:
 *
 *   hybrid efficiency  = parallel efficiency (processes) x thread efficiency
 *   thread efficiency  = sum (S + W) / sum N (S + P)      = serial parts x load balance x begin and end
 *   serial parts       = sum (S + n P) / sum N (S + P)    threads that have no part in what is computed
 *   load balance       = sum (S + W) / sum (S + n L)      threads that have less work than the slowest
 *   begin and end      = sum (S + n L) / sum (S + n P)    of regions: threads start, and meet
 *
 * These are the multiplicative hybrid metrics of POP (hybrid efficiency = MPI x OpenMP parallel efficiency,
 * https://co-design.pop-coe.eu/metrics/hm/parallel_efficiency.html), since the efficiencies of processes are factors, too. POP
 * has two factors on the thread level; here are three, since computation outside of regions is a separate factor. */
#ifndef MPG_THREADS_H
#define MPG_THREADS_H

#include <stdio.h>

#include "common/table/table.h"
#include "trace/reader.h"

/* A parallel region: sums over all ranks, ns, or over visits of all ranks. */
struct mpg_threads_region {
    const char *name;
    uint32_t threads;
    int32_t ranks;     /* number of ranks that visited the region */
    uint64_t visits;
    double time_ns;    /* without MPI: P */
    double work_ns, wait_ns; /* of all threads: work W; waiting in barriers */
    double longest_ns; /* L */
    double lost_ns;    /* n L - W: time of threads without work while the slowest thread worked */
    /* thread with the largest ratio of work to mean work of the rank's threads: rank, thread, and this ratio */
    int32_t most_rank;
    uint32_t most_thread;
    double most;
};

/* Fractions, usually 0 to 1; NAN: undefined (no computation). */
struct mpg_threads_ratios {
    double thread, serial, load_balance, begin_end;
};

struct mpg_threads {
    size_t n; /* number of regions; 0: the trace has no parallel regions */
    struct mpg_threads_region *region; /* descending in lost_ns */
    uint32_t threads; /* largest number of threads of a rank */
    struct mpg_threads_ratios ratios;
};

/* Finds the threads of TRACE, which must outlive *FOUND. COMPUTE_NS: computation of each rank, ns; NULL: the ratios are unset.
 * The caller clears *FOUND, also on failure. Returns 0, or -1 with ERR: a damaged fact; no memory. */
int mpg_threads_find(const struct mpg_trace *trace, const double *compute_ns, struct mpg_threads *found, struct mpg_error *err);
void mpg_threads_clear(struct mpg_threads *threads);

/* Prints the regions of THREADS as a table; adds them to the open object of JSON, as the array parallel_regions. Return 0, or
 * -1 with ERR: no memory. */
int mpg_threads_print(const struct mpg_threads *threads, FILE *out, struct mpg_error *err);
int mpg_threads_put(const struct mpg_threads *threads, struct mpg_json *json, struct mpg_error *err);

#endif
