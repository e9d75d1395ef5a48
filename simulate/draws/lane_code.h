/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector functions over lanes (one lane a replica), compiled for several instruction sets (common/isa.h) from lane_code.inc.
 * All give bit for bit the results of the scalar functions named below: no operation is fused, reordered or approximated. */
#ifndef MPG_LANE_CODE_H
#define MPG_LANE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "common/isa.h"
#include "simulate/draws/draws.h"
#include "simulate/draws/lane_table.h"
#include "statistics/distribution.h"

/* The number of lanes in one call. */
enum { MPG_LANES_AT_ONCE = 64 };

/* A time at one message size, drawn by each lane from its launch's quantiles at the two measured sizes around it. */
struct mpg_lane_time {
    /* tables at the measured sizes below and above the message's; high NULL: only low applies */
    const struct mpg_lane_table *low, *high;
    double weight, max;  /* weight of HIGH, 0 to 1; upper limit of the time, ns */
};

/* For each lane w a time span without interruption, FROM[w] to TO[w], ns after MPI_Init. Used only for work longer than MIN,
 * ns. */
struct mpg_lane_quiet {
    const double *from, *to;
    double min;
};

/* The work of an interval in each lane, ns. */
struct mpg_lane_work {
    const double *each; /* work of each lane; NULL: all lanes have the work ALL */
    double all;
};

/* Returns the work of LANE. */
static inline double mpg_lane_work_in(const struct mpg_lane_work *work, uint32_t lane)
{
    return work->each ? work->each[lane] : work->all;
}

struct mpg_lane_code {
    /* Writes mpg_draw() at A for replicas FIRST to FIRST + N - 1. */
    void (*draw)(const struct mpg_address *a, uint32_t first, uint32_t n, double *u);
    /* Writes the three draws of the message at A: for MPG_DRAW_LATENCY, which is A's purpose, MPG_DRAW_SEND and
     * MPG_DRAW_RECEIVE. */
    void (*draw_message)(const struct mpg_address *a, uint32_t first, uint32_t n, double *u, double *send,
                         double *receive);
    /* Writes mpg_distribution_quantile() of OF[w], whose table exists, at U[w] for N lanes. */
    void (*quantile)(const struct mpg_distribution *const *of, const double *u, uint32_t n,
                     double *value);
    /* Adds to VALUE[w], for N lanes from AT on, the time of TARGET at U[w], less the time of SOURCE at U[w] or, if SOURCE is
     * NULL, less LESS[w]. If both are NULL, nothing is subtracted. */
    void (*add_time)(const struct mpg_lane_time *target, const struct mpg_lane_time *source,
                     const double *less, uint32_t at, const double *u, uint32_t n, double *value);
    /* Replaces U[w] of N lanes by ELEMENT[ROW[w]] + (U[w] - 1/2) SHARE, a draw near element ROW[w] of ELEMENT. */
    void (*place_in_rows)(const double *element, const uint32_t *row, double share, uint32_t n, double *u);
    /* Evaluates an interval of LENGTH with WORK in N lanes. If the work, which begins at max(0, SINCE + DELAY[w]), lies in
     * the lane's time without interruption, adds the work minus LENGTH to DELAY[w]. Lists the other lanes in LANE and returns
     * their number. */
    uint32_t (*pass)(const struct mpg_lane_quiet *quiet, double since, double length, const struct mpg_lane_work *work,
                     uint32_t n, double *delay, uint32_t *lane);
    /* Adds max(0, TAKEN[w]) - LENGTH to DELAY[w] of N lanes. */
    void (*lengthen)(const double *taken, double length, uint32_t n, double *delay);
};

/* Returns the functions for mpg_isa(), which is called once. Thread-safe. */
const struct mpg_lane_code *mpg_lane_code(void);
/* Returns the functions for ISA, which the processor may lack; NULL: not compiled. */
const struct mpg_lane_code *mpg_lane_code_of(enum mpg_isa isa);

/* Writes mpg_draw() at A for replicas FIRST to FIRST + N - 1 into U, by the code for mpg_isa(). */
static inline void mpg_draw_lanes(const struct mpg_address *a, uint32_t first, uint32_t n, double *u)
{
    mpg_lane_code()->draw(a, first, n, u);
}

#endif
