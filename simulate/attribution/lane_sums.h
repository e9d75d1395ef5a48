/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums and differences of vectors of lanes that asking for places adds to each step. They stand in lane_sums.inc, once, and are
 * compiled for several instruction sets (common/isa.h), each of which gives the same bits. Vectors have N values; none overlaps
 * another one that is written. Private to simulate/attribution/. */
#ifndef MPG_LANE_SUMS_H
#define MPG_LANE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpg_lane_sums {
    /* Adds VALUES to SUM, that of each block of lanes to one, STRIDE from the one before. */
    void (*add)(uint32_t n, const double *values, double *sum, size_t stride);
    /* The same, and to ONTO, lane by lane; VALUES are 0 then. */
    void (*move)(uint32_t n, double *values, double *onto, double *sum, size_t stride);
    /* TO is A - B - LESS. Whether any of it is not 0. */
    bool (*difference)(uint32_t n, const double *a, const double *b, double less, double *to);
    /* The same without B. */
    bool (*copy)(uint32_t n, const double *a, double less, double *to);
    /* In which lanes A is larger than B, into words of 64 BITS. */
    void (*find_larger)(uint32_t n, const double *a, const double *b, uint64_t *bits);
};

/* That of mpg_isa(), which is asked once. Thread-safe. */
const struct mpg_lane_sums *mpg_lane_sums(void);

#endif
