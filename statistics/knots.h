/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Few knots for a piecewise linear inverse CDF that stands for many samples. */
#ifndef MPG_KNOTS_H
#define MPG_KNOTS_H

#include <stddef.h>

#include "common/error.h"

/* An inverse CDF in pieces next to each other: piece i goes linearly from FROM[i] to
 * TO[i] >= FROM[i], which is at most FROM[i + 1]. Of N sorted samples, FROM and TO are the
 * same array. */
struct mpg_pieces {
    size_t n;                /* >= 1 */
    const double *from, *to;
    const double *until;     /* probability at the end of each, ascending, the last one 1;
                              * NULL: (i + 1) / n */
    size_t samples;          /* that they stand for: no tail is finer than one of them */
};

/* Chooses at most MOST >= 2 knots for PIECES: equidistant in the body, logarithmic in the
 * tails down to one sample, at 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999 and 0.9999, with jumps
 * (two knots of one probability) and more knots where mean or variance need them: both are
 * then kept, by what lies between the knots, to 0.2 % (the mean's distance from the least
 * value) and 0.4 %, unless MOST is too few. A knot within a piece has its value, so that the
 * probability of what the samples are is kept; one between two, at p, the lower one's plus
 * (1 - p) of the distance, as definition 7 of Hyndman and Fan (Am. Stat. 50 (1996) 361) has
 * it. Few pieces are all kept. Probabilities are decimals as short as N allows.
 * *PROBABILITIES and *QUANTILES become the caller's to free. Errors: out of memory. */
int mpg_knots_choose(const struct mpg_pieces *pieces, size_t most, size_t *knots,
                     double **probabilities, double **quantiles, struct mpg_error *err);

#endif
