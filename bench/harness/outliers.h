/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outliers among the pairs of a path class. */
#ifndef MPG_OUTLIERS_H
#define MPG_OUTLIERS_H

#include "bench/harness/path_results.h"
#include "bench/harness/ranks.h"
#include "common/error.h"

/* Prints outlying pairs with hosts and cores, and a map of all pairs for up to 24 ranks. The ratios of a pair, for
 * short messages (up to the eager limit, or 4 KiB) and for long messages, are the medians over cells of log(median
 * time of the pair / median time of the class). A pair is an outlier if a ratio is an outlier of its class
 * (mpg_outliers_of_ratios() in statistics/inference.h). FLOOR > 0: relative error of the medians. Classes of fewer
 * than three pairs have no outliers. Errors: out of memory. */
int mpg_outliers_print(const struct mpg_path_results class[MPG_PATHS], const struct mpg_ranks *ranks,
                       double floor, struct mpg_error *err);

#endif
