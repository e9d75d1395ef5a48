/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel regions of OpenMP: names, numbers of threads, and sums over all visits. Callers hold the streams' lock. */
#ifndef MPG_TRACER_PARALLEL_H
#define MPG_TRACER_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/store/writer.h"

/* Times of a thread of a region, ns, total of all visits. */
struct parallel_thread {
    int64_t work_ns, wait_ns; /* WAIT: from the begin to the end of barriers, without the tasks executed meanwhile */
    int64_t calls_ns;         /* in calls of MPI */
};

struct parallel_region {
    char *name;       /* "omp parallel FUNCTION+OFFSET (N threads)", the region's name in the trace */
    uint32_t threads; /* N */
    int64_t visits, time_ns;
    int64_t longest_ns; /* sum of the longest work of a thread of each visit */
    struct parallel_thread *thread; /* N elements */
    struct parallel_region *next;
};

/* Returns the region of THREADS (>= 1) threads that begins at the return address PLACE; a new region is added. NULL: out of
 * memory. */
struct parallel_region *parallel_find(const void *place, uint32_t threads);

/* Writes the sums of all regions as facts. Returns 0, or -1 with ERR. */
int parallel_write(struct mpg_trace_writer *w, struct mpg_error *err);

#endif
