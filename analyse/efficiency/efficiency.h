/* SPDX-License-Identifier: GPL-3.0-or-later */
/* POP's efficiencies of a run (Rosas, Giménez, Labarta 2014, Scalability prediction for fundamental performance factors,
 * Supercomputing Frontiers and Innovations 1 (2); POP, Standard Metrics for Performance Assessment):
 *
 *   parallel efficiency      = mean C / T          = load balance x communication efficiency
 *   load balance             = mean C / max C
 *   communication efficiency = max C / T           = serialization x transfer
 *   serialization            = max C / T_ideal
 *   transfer                 = T_ideal / T, or of a traced run T_disturbed / T, and
 *   noise                    = T_ideal / T_disturbed: POP's transfer is transfer x noise
 *
 * C is the computation of a rank, T the run time, T_ideal the run time on a network without latency and with infinite
 * bandwidth, T_disturbed is T_ideal with recording and off-CPU time included. For traced and predicted runs. */
#ifndef MPG_EFFICIENCY_H
#define MPG_EFFICIENCY_H

#include <stdbool.h>
#include <stdint.h>

/* The times from which efficiencies of a run, or of a part of a run, follow; ns, at least 0. */
struct mpg_efficiency {
    int32_t ranks;
    double mean_compute_ns, max_compute_ns; /* C: mean and maximum over ranks */
    double run_ns;                          /* T */
    double ideal_ns;                        /* T_ideal; NAN: unknown */
    double disturbed_ns;                    /* T_disturbed; 0: unknown */
};

/* Fractions, usually from 0 to 1. NAN: undefined (0 / 0, or T_ideal is unknown; noise: T_disturbed is unknown). */
struct mpg_efficiency_ratios {
    double parallel, load_balance, communication, serialization, transfer, noise;
};

/* Returns the times of a run of RANKS ranks with the computation COMPUTE_NS of each rank. */
struct mpg_efficiency mpg_efficiency_of(int32_t ranks, const double *compute_ns, double run_ns, double ideal_ns);
struct mpg_efficiency_ratios mpg_efficiency_ratios(const struct mpg_efficiency *efficiency);

/* Relation between problem size and process count in several runs of a program. */
enum mpg_efficiency_scaling {
    MPG_EFFICIENCY_FIXED, /* one problem for all counts (strong scaling) */
    MPG_EFFICIENCY_SCALED /* a problem in proportion to the count (weak scaling) */
};

/* Returns the computation scaling of RUN against REFERENCE, the run with the fewest ranks: total computation of REFERENCE
 * over total computation of RUN; with SCALED (weak scaling) mean computation per rank instead. NAN: RUN has no computation.
 * Global efficiency is parallel efficiency times computation scaling. */
double mpg_efficiency_computation_scaling(const struct mpg_efficiency *reference, const struct mpg_efficiency *run,
                                          enum mpg_efficiency_scaling scaling);

#endif
