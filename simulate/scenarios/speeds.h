/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions at other speeds of the machine (simulate/models/speed.h), with the draws of the prediction at the recorded
 * speed. */
#ifndef MPG_SPEEDS_H
#define MPG_SPEEDS_H

#include "simulate/evaluate/driver/simulation.h"
#include "simulate/models/speed.h"

/* The replicas of a run at another speed: one block suffices, since the draws are equal. */
enum { MPG_SPEED_REPLICAS = MPG_REPLICAS_A_BLOCK };

/* A prediction, and the result of mpg_speed_rows() for this prediction. */
struct mpg_speed_row {
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    uint32_t family;        /* as in struct mpg_scenario */
    const double *run_ns;   /* run time of each of options->replicas replicas at the recorded speed, ns; NULL: in another
                             * process */
    double *any_speed_90;   /* result: 90 % of runs are between these two times, ns; unchanged if the speed is unknown */
};

/* Simulates the N predictions ROW of TRACE with computation that takes speed.low and speed.high times as long, all together, and
 * fills the rows' intervals. Collective over the processes of the options. Errors: as of mpg_simulate(). */
int mpg_speed_rows(struct mpg_trace *trace, const struct mpg_speed_row *row, size_t n, struct mpg_error *err);

/* Sets INTERVAL_NS to the interval of 90 % of runs at any SPEED. RUN_NS: run times of REPLICAS replicas at the recorded speed;
 * FAST_NS and SLOW_NS: run times of the first N <= MPG_SPEED_REPLICAS replicas at speed.low and speed.high. Returns 1; 0 if runs
 * take no time; -1 with ERR: out of memory. */
int mpg_speed_find(const struct mpg_launch_speed *speed, const double *run_ns, uint32_t replicas, const double *fast_ns,
                   const double *slow_ns, uint32_t n, double interval_ns[2], struct mpg_error *err);

#endif
