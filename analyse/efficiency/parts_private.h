/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of ranks in parts of a run, during summation. Private to analyse/efficiency/. */
#ifndef MPG_EFFICIENCY_PARTS_PRIVATE_H
#define MPG_EFFICIENCY_PARTS_PRIVATE_H

#include "analyse/efficiency/parts.h"

/* A rank's time in a part, ns. */
struct parts_cell {
    double compute_ns, ideal_in_mpi_ns, run_ns;
};

/* State of a rank during the pass over steps. */
struct parts_rank {
    int64_t at_ns;   /* the rank's clock: end of the last interval or call */
    double origin_ns; /* BY_TIME: aligned begin of the first bin */
    uint32_t part;   /* BY_REGION: the part of the current call */
};

struct mpg_parts {
    enum mpg_efficiency_by by;
    struct mpg_trace *trace;             /* BY_REGION */
    const struct mpg_clock_map *clocks;  /* BY_TIME */
    int32_t ranks;
    double width_ns; /* BY_TIME: width of a bin */
    uint32_t n, capacity;
    struct parts_cell *cell; /* [part * ranks + rank]; BY_REGION: part is the region's string number + 1 */
    struct parts_rank *rank;
};

/* Returns RANK's cell of PART, which exists. */
static inline struct parts_cell *parts_at(struct mpg_parts *p, uint32_t part, int32_t rank)
{
    return &p->cell[(size_t)part * (size_t)p->ranks + (size_t)rank];
}

/* Makes at least N parts. Returns 0, or -1 with ERR: no memory. */
int mpg_parts_reserve(struct mpg_parts *parts, uint32_t n, struct mpg_error *err);
/* Adds the computation and the time of all ranks in regions, polling included. Returns 0, or -1 with ERR. */
int mpg_parts_add_regions(struct mpg_parts *parts, struct mpg_error *err);

#endif
