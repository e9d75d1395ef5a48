/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outliers among the pairs of a path class. */
#ifndef MPG_OUTLIERS_H
#define MPG_OUTLIERS_H

#include "bench/harness/path_results.h"
#include "bench/harness/ranks.h"
#include "common/error.h"

/* Prints the outlying pairs of each of the MPG_PATHS path classes in CLASS with hosts and cores, and a map of all pairs for up to
 * 24 ranks. A pair has two ratios, for short messages (up to the eager limit, or 4 KiB) and for long messages: the median over
 * its cells of log(median time of the pair / median time of the class). A pair is an outlier if either ratio is an outlier of the
 * class (mpg_outliers_of_ratios() in statistics/inference.h). FLOOR > 0: relative error of the medians. Classes of fewer than
 * three pairs have no outliers. Errors: out of memory. */
int mpg_outliers_print(const struct mpg_path_results class[MPG_PATHS], const struct mpg_ranks *ranks,
                       double floor, struct mpg_error *err);

#endif
