/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection of few knots for a piecewise linear inverse CDF of many samples. */
#ifndef MPG_KNOTS_H
#define MPG_KNOTS_H

#include <stddef.h>

#include "common/error.h"

/* An inverse CDF in adjacent pieces: piece i goes linearly from FROM[i] to TO[i], with FROM[i] <= TO[i] <= FROM[i
 * + 1]. For n sorted samples, FROM and TO are the sample array. */
struct mpg_pieces {
    size_t n;                /* number of pieces, >= 1 */
    const double *from, *to;
    const double *until;     /* probability at the end of each piece, ascending, the last 1; NULL: (i + 1) / n */
    size_t samples;          /* number of samples; limits the resolution of the tails to 1 / samples */
};

/* Chooses at most MAX >= 2 knots for PIECES: equidistant in the body; logarithmic in the tails down to a single
 * sample; exact at 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999 and 0.9999. Where mean or variance need more, jumps
 * (two knots of equal probability) and further knots are added. Linear interpolation between the knots then
 * preserves mean - minimum to 0.2 % and variance to 0.4 %, unless MAX is too small.
 *
 * A knot inside a piece has the piece's value, which preserves the probabilities of the samples' values. A knot at
 * p between two pieces is the lower value plus (1 - p) of the distance (definition 7 of Hyndman and Fan, Am. Stat.
 * 50 (1996) 361). Few distinct values are all kept. Probabilities are the shortest decimals that N allows. *KNOTS
 * becomes the number of knots; the caller frees *PROBABILITIES and *QUANTILES. Errors: out of memory. */
int mpg_knots_choose(const struct mpg_pieces *pieces, size_t max, size_t *knots,
                     double **probabilities, double **quantiles, struct mpg_error *err);

#endif
