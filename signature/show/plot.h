/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of a signature. */
#ifndef MPG_PLOT_H
#define MPG_PLOT_H

#include "common/plots/plots.h"
#include "signature/signature.h"

/* Draws SIG by mpg_plot_all(). Without `all` in OPTIONS only the first 8 cores and 16 process counts. Errors: as
 * mpg_plot_all(); nothing to draw. */
int mpg_plot(const struct mpg_signature *sig, const struct mpg_plot_options *options,
             struct mpg_plot_outcome *outcome, struct mpg_error *err);

#endif
