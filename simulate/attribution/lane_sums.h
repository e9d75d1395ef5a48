/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums and differences of vectors of lanes, as needed by attribution in each step. lane_sums.inc defines the functions, and is
 * compiled for several instruction sets (common/isa.h), whose results are bitwise equal. Vectors have N values. A written vector
 * overlaps no other vector. Private to simulate/attribution/. */
#ifndef MPG_LANE_SUMS_H
#define MPG_LANE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpg_lane_sums {
    /* Adds to SUM, for each block of lanes, the sum of VALUES over the block; the sums of successive blocks are STRIDE
     * elements apart. */
    void (*add)(uint32_t n, const double *values, double *sum, size_t stride);
    /* Adds VALUES to SUM as add() does, and to ONTO, lane by lane; then sets VALUES to 0. */
    void (*move)(uint32_t n, double *values, double *onto, double *sum, size_t stride);
    /* Sets TO to A - B - LESS. Returns true if some value of TO is not 0. */
    bool (*difference)(uint32_t n, const double *a, const double *b, double less, double *to);
    /* Sets TO to A - LESS. Returns true if some value of TO is not 0. */
    bool (*copy)(uint32_t n, const double *a, double less, double *to);
    /* Sets in BITS, words of 64 lanes, the bits of lanes with A > B. */
    void (*find_larger)(uint32_t n, const double *a, const double *b, uint64_t *bits);
};

/* Returns the table for mpg_isa(), which is determined once. Thread-safe. */
const struct mpg_lane_sums *mpg_lane_sums(void);

#endif
