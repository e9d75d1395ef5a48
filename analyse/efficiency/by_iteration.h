/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Efficiencies and waits of a run by phase (initialisation, iterations, end) and by iteration.
 *
 * The times of each rank are summed as in parts.h. An iteration begins at a different time on each rank
 * (analyse/iterations/iterations.h); T, T_ideal of an iteration or phase are the maxima over ranks. An iteration is summed as
 * soon as all ranks have left it: memory grows with the distance between the first and the last rank in the order of the graph,
 * not with the number of iterations. */
#ifndef MPG_BY_ITERATION_H
#define MPG_BY_ITERATION_H

#include "analyse/efficiency/efficiency.h"
#include "analyse/iterations/iterations.h"
#include "graph/graph.h"

enum { MPG_ITERATION_ROWS = 256 };
enum mpg_run_phase { MPG_RUN_INITIALISATION, MPG_RUN_ITERATIONS, MPG_RUN_END, MPG_RUN_PHASES };

/* Sums of an iteration, of several successive iterations, or of a phase. */
struct mpg_iteration_row {
    uint64_t first, n; /* number of the first iteration, from 1, and number of iterations; both 0 in a phase without iterations */
    double run_ns, ideal_ns, mean_compute_ns, max_compute_ns; /* sums over iterations */
    double in_mpi_ns, wait_ns; /* mean over ranks; wait_ns: wait states of the traced run */
    int32_t max, min;       /* ranks with the most and the least computation; -1: the row sums several iterations */
};

struct mpg_iteration_rows {
    int32_t ranks;
    struct mpg_iteration_row phase[MPG_RUN_PHASES];
    struct mpg_iteration_row first, last, slowest; /* n is 0: no iteration */
    /* the iteration with the median run time; with more than MPG_ITERATION_ROWS iterations: the sum of the iterations in the
     * bin of a run time histogram that holds the median */
    struct mpg_iteration_row median;
    size_t n; /* rows; each row sums an equal number of successive iterations, a power of 2; the last row sums the rest */
    struct mpg_iteration_row row[MPG_ITERATION_ROWS];
};

/* Rows of iterations, and the trend of run times. */
struct mpg_efficiency_iterations {
    struct mpg_iterations loops;
    struct mpg_iteration_rows rows;
    bool knows_waits;
    /* growth of an iteration's run time from the first to the last iteration, by the Theil-Sen line through the rows, divided by
     * the median run time; and the 95 % interval of this growth. NAN: fewer than 4 rows */
    double trend, trend_low, trend_high;
};

struct mpg_by_iteration;

/* Returns empty sums for the chosen loop of LOOPS in TRACE, both must outlive the sums. The caller frees the result. NULL with
 * ERR. */
struct mpg_by_iteration *mpg_by_iteration_new(struct mpg_trace *trace, const struct mpg_iterations *loops,
                                              struct mpg_error *err);
/* Adds STEP, of a thread that called MPI_Init; PASSED_NS: time that the step takes in the ideal run. Returns 0, or -1 with
 * ERR. */
int mpg_by_iteration_take(struct mpg_by_iteration *sums, const struct mpg_step *step, double passed_ns, struct mpg_error *err);
/* Adds a wait of RANK in the call whose ENTER step was added last. */
void mpg_by_iteration_wait(struct mpg_by_iteration *sums, int32_t rank, double wait_ns);
/* Ends the sums after the last step. Returns 0, or -1 with ERR: no memory. */
int mpg_by_iteration_end(struct mpg_by_iteration *sums, struct mpg_iteration_rows *rows, struct mpg_error *err);
void mpg_by_iteration_free(struct mpg_by_iteration *sums); /* NULL is allowed */

/* Adds the times of ROW to SUM. */
void mpg_iteration_row_add(struct mpg_iteration_row *sum, const struct mpg_iteration_row *row);
/* Finds the waits of the rows of FOUND, in further passes over TRACE; LENIENT: calls without a partner are not an error.
 * Returns 0, or -1 with ERR: an error of the trace; no memory. */
int mpg_iterations_of_waits(struct mpg_trace *trace, bool lenient, struct mpg_efficiency_iterations *found,
                            struct mpg_error *err);
/* Finds the trend of the rows of FOUND. Returns 0, or -1 with ERR: no memory. */
int mpg_iterations_find_trend(struct mpg_efficiency_iterations *found, struct mpg_error *err);

#endif
