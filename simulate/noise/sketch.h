/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals that are alike, as a bounded number of bins; and what each of them is work, once the
 * noise that its rank among its likes had is taken out (docs/MODEL.md, Decisions, Alikes). */
#ifndef MPG_SKETCH_H
#define MPG_SKETCH_H

#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "simulate/noise/losses.h"

/* Of a sketch at most; 8 bytes each, and 16 more once it is finished. */
enum { MPG_SKETCH_BINS = 128 };

struct mpg_sketch_bin {
    uint64_t id : 16;    /* floor(2^octave log2(ns + 1)) */
    uint64_t count : 48; /* > 0 */
};

/* Zero-initialised is empty, but for octave and least_ns: mpg_sketch_init(). */
struct mpg_sketch {
    uint64_t n;
    double least_ns;
    uint16_t bins, capacity;
    int8_t octave;              /* bins an octave = 2^octave: the most that leaves no more than
                                   MPG_SKETCH_BINS of them; 10 .. 0 */
    struct mpg_sketch_bin *bin; /* ascending in id */
    /* Filled by mpg_sketch_finish() */
    struct mpg_sketch_loss {
        double low_ns, high_ns;
    } *loss;          /* that the rank of each ranked bin allows */
    uint16_t ranked;  /* bins that noise can have made of the group's work: the first ones */
    double work_ns;   /* of the group */
    double mean_ns;   /* what it loses */
    double middle_ns; /* mean of what the ranked ones lost */
    double follow;    /* how far what is removed follows what they lost, 0 .. 1 */
};

void mpg_sketch_init(struct mpg_sketch *sketch);
/* Takes an interval of NS >= 0, at most 2^63. The sketch does not depend on the order. */
int mpg_sketch_add(struct mpg_sketch *sketch, double ns, struct mpg_error *err);
/* Takes all that OTHER has, which is of at most MPG_SKETCH_BINS intervals. */
int mpg_sketch_merge(struct mpg_sketch *sketch, const struct mpg_sketch *other,
                     struct mpg_error *err);
/* The value below which half of N >= 1 lie, ns: linear within a bin. */
double mpg_sketch_median(const struct mpg_sketch *sketch);
/* Finds what LOSSES' noise took from each of the intervals, N >= 1. */
int mpg_sketch_finish(struct mpg_sketch *sketch, struct mpg_losses *losses, struct mpg_error *err);
/* What NS, one of the intervals that SKETCH was finished with, is without noise. LOST is
 * the part of all time that noise takes, and SCALE how much more or less it took in another
 * measurement of the machine. 0 .. NS. */
double mpg_sketch_work(const struct mpg_sketch *sketch, double ns, double lost, double scale);
void mpg_sketch_clear(struct mpg_sketch *sketch);

/* Puts SKETCH, which is not finished, to BYTES; gets it again, into an empty one: 0, or -1 where there is
 * none, or no memory for it. */
void mpg_sketch_put(struct mpg_bytes *bytes, const struct mpg_sketch *sketch);
int mpg_sketch_get(struct mpg_bytes_left *left, struct mpg_sketch *sketch);

#endif
