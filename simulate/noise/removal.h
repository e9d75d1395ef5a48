/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What interruptions of the source machine took from the compute intervals of a class: the intervals' distribution is that
 * of work, convolved with the record's distribution of losses; the work is found by that (docs/MODEL.md, section 3,
 * Interruptions). */
#ifndef MPG_REMOVAL_H
#define MPG_REMOVAL_H

#include "simulate/noise/histogram.h"
#include "simulate/noise/losses.h"

struct mpg_removal;

/* From HISTOGRAM of N >= 1 intervals, which is copied, and the losses of CORES >= 1 cores, of equal weight. NULL with ERR: out
 * of memory. The caller frees it. */
struct mpg_removal *mpg_removal_new(const struct mpg_histogram *histogram, struct mpg_losses *const *losses, size_t cores,
                                    struct mpg_error *err);
/* Of an interval of NS so many equally likely losses, ascending, ns, 0 .. NS but for a bin's width; an array of
 * MPG_REMOVAL_CELLS. */
enum { MPG_REMOVAL_CELLS = 64 };
const double *mpg_removal_of(const struct mpg_removal *removal, double ns);
/* Time of all its intervals, and the mean of the losses in that, ns. */
double mpg_removal_time_ns(const struct mpg_removal *removal);
double mpg_removal_lost_ns(const struct mpg_removal *removal);
void mpg_removal_free(struct mpg_removal *removal); /* NULL is allowed */

#endif
