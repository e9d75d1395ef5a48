/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Efficiencies of parts of a run: of its regions, or of equal bins of its time. For each part, the times of each rank are summed:
 *
 *   computation   C of the rank within the part
 *   ideal         C, and the time that the rank's calls within the part take in the ideal run
 *   run           regions: the rank's time within the part; bins: the width of the bin
 *
 * T and T_ideal of the part are the maxima over ranks. A region's time is the time during which the region is the innermost open
 * region of the thread that called MPI_Init. The sums of a rank over all parts are the times of its run. */
#ifndef MPG_EFFICIENCY_PARTS_H
#define MPG_EFFICIENCY_PARTS_H

#include "analyse/efficiency/efficiency.h"
#include "graph/clocks.h"
#include "graph/graph.h"
#include "trace/reader.h"

enum mpg_efficiency_by {
    MPG_EFFICIENCY_BY_NOTHING,
    MPG_EFFICIENCY_BY_REGION,
    MPG_EFFICIENCY_BY_TIME,
    MPG_EFFICIENCY_BY_ITERATION /* of a loop: by_iteration.h */
};

struct mpg_efficiency_part {
    int32_t region;         /* BY_REGION: string number of the trace; -1: outside of regions */
    double from_ns, to_ns;  /* BY_TIME: since the first rank left MPI_Init */
    int32_t max, min;       /* ranks with the most and the least computation; of equal ranks the first */
    struct mpg_efficiency times;
    const double *compute_ns; /* C of each rank; owned by the parts */
};

struct mpg_efficiency_parts {
    enum mpg_efficiency_by by;
    bool aligned; /* BY_TIME: bins are on a common clock; otherwise each rank's time starts at the end of MPI_Init */
    size_t n;
    struct mpg_efficiency_part *part; /* bins in order; regions by run time minus mean computation, largest first */
    double *compute_ns;
};

struct mpg_parts;

/* Returns empty sums for the regions of TRACE, which the caller frees; NULL with ERR: no memory. */
struct mpg_parts *mpg_parts_of_regions(struct mpg_trace *trace, struct mpg_error *err);
/* Returns empty sums for BINS equal bins of the run's time, or NULL with ERR. CLOCKS aligns the ranks' clocks and must outlive
 * the result. START_NS, RUN_NS: for each rank the end of MPI_Init on the rank's clock, and the time from there to the begin of
 * MPI_Finalize; both arrays are read during the call only. */
struct mpg_parts *mpg_parts_of_time(const struct mpg_trace *trace, const struct mpg_clock_map *clocks, uint32_t bins,
                                    const int64_t *start_ns, const double *run_ns, struct mpg_error *err);
/* Adds STEP, of the thread that called MPI_Init; PASSED_NS: the step's time in the ideal run (mpg_ideal_take()). For parts by
 * region the graph's options must have `regions`. Returns 0, or -1 with ERR: no memory. */
int mpg_parts_take(struct mpg_parts *parts, const struct mpg_step *step, double passed_ns, struct mpg_error *err);
/* Ends PARTS and moves the result to FOUND; regions need one more pass over the events. The caller clears FOUND, also on
 * failure. Returns 0, or -1 with ERR: an error of the trace; no memory. */
int mpg_parts_end(struct mpg_parts *parts, struct mpg_efficiency_parts *found, struct mpg_error *err);
void mpg_parts_free(struct mpg_parts *parts); /* NULL is allowed */
void mpg_efficiency_parts_clear(struct mpg_efficiency_parts *found);

#endif
