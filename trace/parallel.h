/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel regions of OpenMP, from the facts written at the end of a rank (mpgtrace(5), parallel_region and parallel_thread). A
 * killed rank lacks these facts. */
#ifndef MPG_PARALLEL_H
#define MPG_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/reader.h"

enum { MPG_PARALLEL_MAX_THREADS = 65536 };

/* Times of a thread in a region, ns, >= 0: sums over all visits. */
struct mpg_parallel_thread {
    double work_ns, wait_ns; /* WAIT: in barriers */
    double calls_ns;         /* in calls of MPI */
};

struct mpg_parallel_region {
    const char *name;    /* the region's name in the trace; owned by the trace */
    uint32_t threads;    /* number of threads, 1 .. MPG_PARALLEL_MAX_THREADS */
    uint64_t visits;
    double time_ns;      /* sum of the durations of all visits */
    double longest_ns;   /* sum over visits of the work of the thread that worked longest; 0 .. time_ns */
    struct mpg_parallel_thread *thread; /* THREADS elements; element 0: the thread that encounters the region */
};

/* The parallel regions of a rank, in the order of first visits. Zero-initialised: none. */
struct mpg_parallel {
    size_t n;
    struct mpg_parallel_region *region;
    uint32_t threads; /* largest number of threads of a region; 1 without regions */
};

/* Reads the regions of RANK in TRACE, which must outlive *FOUND. Leaves out a region if a truncated trace lacks any of the
 * region's threads. The caller clears *FOUND, also on failure. Returns 0, or -1 with ERR: a damaged fact; no memory. */
int mpg_parallel_read(const struct mpg_trace *trace, int32_t rank, struct mpg_parallel *found, struct mpg_error *err);
/* Returns the region NAME of P; NULL: no such region. */
const struct mpg_parallel_region *mpg_parallel_find(const struct mpg_parallel *p, const char *name);
void mpg_parallel_clear(struct mpg_parallel *p);

#endif
