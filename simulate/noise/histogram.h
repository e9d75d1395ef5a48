/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A histogram of compute intervals with a bounded number of bins of equal ratio (docs/MODEL.md, section 3,
 * Interruptions). */
#ifndef MPG_HISTOGRAM_H
#define MPG_HISTOGRAM_H

#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"

/* The most bins of a histogram; 8 bytes each. */
enum { MPG_HISTOGRAM_BINS = 128 };

struct mpg_histogram_bin {
    uint64_t id : 16;    /* floor(2^octave log2(ns + 1)) */
    uint64_t count : 48; /* > 0 */
};

/* mpg_histogram_init() makes it empty. */
struct mpg_histogram {
    uint64_t n;        /* intervals */
    uint16_t bins, capacity;
    int8_t octave;     /* 2^octave bins an octave, 10 .. 0: the most that leave no more than MPG_HISTOGRAM_BINS occupied */
    struct mpg_histogram_bin *bin; /* occupied bins, ascending in id */
};

void mpg_histogram_init(struct mpg_histogram *histogram);
/* Adds an interval of NS, 0 .. 2^63. The histogram does not depend on the order of calls. Error: out of memory. */
int mpg_histogram_add(struct mpg_histogram *histogram, double ns, struct mpg_error *err);
/* Adds all intervals of OTHER; the result is that of adding them one by one. Error: out of memory. */
int mpg_histogram_merge(struct mpg_histogram *histogram, const struct mpg_histogram *other, struct mpg_error *err);
/* The bin of NS: its place among the occupied bins, or of the nearest occupied bin below (0 if none is). Not of an empty one. */
uint16_t mpg_histogram_find(const struct mpg_histogram *histogram, double ns);
/* Bounds of occupied bin I, ns. */
double mpg_histogram_low(const struct mpg_histogram *histogram, uint16_t i);
double mpg_histogram_high(const struct mpg_histogram *histogram, uint16_t i);
/* The value below which the share P, 0 < P < 1, of the intervals lies, ns: linear within a bin, which goes to *BIN (may be
 * NULL). Not of an empty one. */
double mpg_histogram_quantile(const struct mpg_histogram *histogram, double p, uint16_t *bin);
void mpg_histogram_clear(struct mpg_histogram *histogram);

/* Appends HISTOGRAM to BYTES; reads it again into an empty one: 0, or -1 if LEFT holds none or memory is short. */
void mpg_histogram_put(struct mpg_bytes *bytes, const struct mpg_histogram *histogram);
int mpg_histogram_get(struct mpg_bytes_left *left, struct mpg_histogram *histogram);

#endif
