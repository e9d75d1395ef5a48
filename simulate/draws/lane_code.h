/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to all lanes at once, compiled for several instruction sets (common/isa.h) from one
 * source, lane_code.inc. Every one of them gives the same bits as the scalar definitions named
 * below: nothing is fused, reordered or approximated. */
#ifndef MPG_LANE_CODE_H
#define MPG_LANE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "common/isa.h"
#include "simulate/draws/draws.h"
#include "simulate/draws/lane_table.h"
#include "statistics/distribution.h"

/* Those who draw for any number of lanes do so many at once. */
enum { MPG_LANES_AT_ONCE = 64 };

/* A time at some size, as lanes draw it: by the quantiles at the sizes around it, of each lane's launch. */
struct mpg_lane_time {
    const struct mpg_lane_table *low, *high; /* HIGH NULL: LOW's are it */
    double weight, most; /* of HIGH, 0..1; no more than MOST */
};

/* When nothing interrupts each of some lanes: work that lasts longer than LEAST, FROM[w] .. TO[w]. */
struct mpg_lane_quiet {
    const double *from, *to;
    double least;
};

/* Work that is to be done. */
struct mpg_lane_work {
    const double *each; /* in each lane; NULL: in all of them */
    double all;
};

static inline double mpg_lane_work_in(const struct mpg_lane_work *work, uint32_t lane)
{
    return work->each ? work->each[lane] : work->all;
}

struct mpg_lane_code {
    /* mpg_draw() at A in replicas FIRST .. FIRST + N - 1. */
    void (*draw)(const struct mpg_address *a, uint32_t first, uint32_t n, double *u);
    /* The three draws of the message at A, whose purpose is MPG_DRAW_LATENCY: those for it, for
     * MPG_DRAW_SEND and for MPG_DRAW_RECEIVE. */
    void (*draw_message)(const struct mpg_address *a, uint32_t first, uint32_t n, double *u, double *send,
                         double *receive);
    /* mpg_distribution_quantile() of OF[w], which is prepared, at U[w], in N lanes. */
    void (*quantile)(const struct mpg_distribution *const *of, const double *u, uint32_t n,
                     double *value);
    /* Adds to VALUE[w], of the N lanes from AT on, TARGET's time at U[w] less SOURCE's there (NULL: less
     * LESS[w]; both NULL: as it is). */
    void (*add_time)(const struct mpg_lane_time *target, const struct mpg_lane_time *source,
                     const double *less, uint32_t at, const double *u, uint32_t n, double *value);
    /* U[w], of N lanes, becomes the draw of an element of the row that begins ROW[w] after the first one, whose is ELEMENT,
     * by what it was: ELEMENT[ROW[w]] + (U[w] - 1/2) SHARE. */
    void (*place_in_rows)(const double *element, const uint32_t *row, double share, uint32_t n, double *u);
    /* An interval of LENGTH, of which WORK is to be done, in each of N lanes: those in which work from
     * max(0, SINCE + DELAY[w]) on meets nothing, by QUIET, are lengthened by it; lists the others into LANE
     * and returns how many. */
    uint32_t (*pass)(const struct mpg_lane_quiet *quiet, double since, double length, const struct mpg_lane_work *work,
                     uint32_t n, double *delay, uint32_t *lane);
    /* Adds to DELAY[w], of N lanes, what an interval of LENGTH takes longer where it takes TAKEN[w], which
     * counts as no less than 0. */
    void (*lengthen)(const double *taken, double length, uint32_t n, double *delay);
};

/* That of mpg_isa(), which is asked once. Thread-safe. */
const struct mpg_lane_code *mpg_lane_code(void);
/* That of ISA, or NULL: it was not compiled in. The processor may not have it. */
const struct mpg_lane_code *mpg_lane_code_of(enum mpg_isa isa);

static inline void mpg_draw_lanes(const struct mpg_address *a, uint32_t first, uint32_t n, double *u)
{
    mpg_lane_code()->draw(a, first, n, u);
}

#endif
