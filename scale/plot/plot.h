/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the costs of runs and sites over the number of processes (Vetter and McCracken 2001, figures 1, 2, 3, 5 and 6)
 * by gnuplot, as SVG and PNG. */
#ifndef MPG_SCALE_PLOT_H
#define MPG_SCALE_PLOT_H

#include "common/error.h"
#include "common/option.h"
#include "common/plots/plots.h"
#include "scale/correlate/correlate.h"

/* Draws plots into OPTIONS' folder: 1-time (computation and communication), 2-calls (communication by call), 3-callsites and
 * 5-ranks (for the rows whose names contain a text in SELECT; if empty, the three rows with the largest and the three with the
 * smallest coefficient, and the four rows with the largest shares), and 6-runs (time of the longest rank and perfect scaling,
 * for each program, including programs not compared, and each "size" label). OUTCOME: see mpg_plot_all(). Errors: see
 * mpg_plot_all(); a name in SELECT matches no row. */
int mpg_scale_plot(const struct scale_analysis *a, const struct mpg_option_list *select,
                   const struct mpg_plot_options *options, struct mpg_plot_outcome *outcome, struct mpg_error *err);

#endif
