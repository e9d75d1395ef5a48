/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of ranks that differ from the others of their path class. */
#ifndef MPG_OUTLIERS_H
#define MPG_OUTLIERS_H

#include "bench/harness/classes.h"
#include "bench/harness/ranks.h"
#include "common/error.h"

/* Prints the pairs that are outliers, with hosts and cores, and where there are few
 * enough ranks (24) a map of all with all that marks them. A pair's figure for short
 * messages (up to the eager limit, or 4 KiB), and one for long ones, is the median over
 * cells of its median time against that of its class's pairs, as a logarithm. A pair is
 * marked where a figure is an outlier of its class (mpg_outliers_of_ratios() of
 * statistics/inference.h), FLOOR being what the medians themselves may be wrong by (a
 * part of them, > 0). With fewer than three pairs in a class none is judged. Errors: out
 * of memory. */
int mpg_outliers_print(const struct mpg_class class[MPG_PATHS], const struct mpg_ranks *ranks,
                       double floor, struct mpg_error *err);

#endif
