/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removal of the source machine's noise from a compute-interval class. The distribution of intervals is the distribution of work
 * convolved with the record's distribution of losses; deconvolution yields the work (docs/NOISE.md, Interruptions). */
#ifndef MPG_REMOVAL_H
#define MPG_REMOVAL_H

#include "simulate/noise/histogram.h"
#include "simulate/noise/losses.h"

struct mpg_removal;

/* Returns the removal for HISTOGRAM (copied; at least one interval), with the losses of CORES >= 1 cores of equal weight. NULL
 * with ERR: out of memory. The caller frees the removal. */
struct mpg_removal *mpg_removal_new(const struct mpg_histogram *histogram, struct mpg_losses *const *losses, size_t cores,
                                    struct mpg_error *err);
/* Returns MPG_REMOVAL_CELLS equally likely losses of an interval of NS, ascending, ns, 0 to NS plus a bin's width. The array
 * belongs to REMOVAL. */
enum { MPG_REMOVAL_CELLS = 64 };
const double *mpg_removal_of(const struct mpg_removal *removal, double ns);
/* Return the time of all intervals, and the mean of the losses, ns. */
double mpg_removal_time_ns(const struct mpg_removal *removal);
double mpg_removal_lost_ns(const struct mpg_removal *removal);
void mpg_removal_free(struct mpg_removal *removal); /* NULL is allowed */

#endif
