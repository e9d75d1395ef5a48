/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A histogram of compute intervals with a bounded number of bins of equal ratio (docs/NOISE.md,
 * Interruptions). */
#ifndef MPG_HISTOGRAM_H
#define MPG_HISTOGRAM_H

#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"

/* The maximum number of bins of a histogram, 8 bytes each. */
enum { MPG_HISTOGRAM_BINS = 128 };

struct mpg_histogram_bin {
    uint64_t id : 16;    /* floor(2^octave log2(ns + 1)) */
    uint64_t count : 48; /* number of intervals in the bin, > 0 */
};

/* mpg_histogram_init() makes an empty histogram. */
struct mpg_histogram {
    uint64_t n;        /* number of intervals */
    uint16_t bins, capacity;
    int8_t octave;     /* 2^octave bins per octave; the largest value from 10 to 0 with at most MPG_HISTOGRAM_BINS occupied
                        * bins */
    struct mpg_histogram_bin *bin; /* occupied bins, ascending in id */
};

void mpg_histogram_init(struct mpg_histogram *histogram);
/* Adds an interval of NS, 0 .. 2^63. The histogram does not depend on the order of calls. Error: out of memory. */
int mpg_histogram_add(struct mpg_histogram *histogram, double ns, struct mpg_error *err);
/* Adds all intervals of OTHER; equal to adding these intervals one by one. Error: out of memory. */
int mpg_histogram_merge(struct mpg_histogram *histogram, const struct mpg_histogram *other, struct mpg_error *err);
/* Returns the index of the occupied bin that holds NS, else of the nearest occupied bin below, else 0. HISTOGRAM is not empty. */
uint16_t mpg_histogram_find(const struct mpg_histogram *histogram, double ns);
/* Return the bounds of occupied bin I, ns. */
double mpg_histogram_low(const struct mpg_histogram *histogram, uint16_t i);
double mpg_histogram_high(const struct mpg_histogram *histogram, uint16_t i);
/* Returns the quantile at P (0 < P < 1), ns, linear within a bin; sets *BIN to the bin unless BIN is NULL. HISTOGRAM is not
 * empty. */
double mpg_histogram_quantile(const struct mpg_histogram *histogram, double p, uint16_t *bin);
void mpg_histogram_clear(struct mpg_histogram *histogram);

/* Append HISTOGRAM to BYTES, and read back BYTES into an empty HISTOGRAM. Reading returns -1 if LEFT holds no histogram or memory
 * is short. */
void mpg_histogram_put(struct mpg_bytes *bytes, const struct mpg_histogram *histogram);
int mpg_histogram_get(struct mpg_bytes_left *left, struct mpg_histogram *histogram);

#endif
