/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of runs and callsites by the number of processes (Vetter and McCracken 2001, figures 1, 2, 3, 5 and 6),
 * SVG and PNG of each, drawn by gnuplot. */
#ifndef MPG_SCALE_PLOT_H
#define MPG_SCALE_PLOT_H

#include "common/error.h"
#include "common/option.h"
#include "common/plots/plots.h"
#include "scale/correlate/correlate.h"

/* Draws into OPTIONS' folder: 1-time, computation and communication; 2-calls, communication by call;
 * 3-callsites, and 5-ranks, of the rows that SELECT names (parts of their names; none: of the four that correlate most
 * and the four that do least); 6-runs, the longest rank's time beside what perfect scaling would make of it, for each
 * program, those that are not compared, too, and "size" that runs are labelled with. OUTCOME as mpg_plot_all() has it. Errors: of
 * mpg_plot_all(); a name that no row has. */
int mpg_scale_plot(const struct scale_analysis *a, const struct mpg_option_list *select,
                   const struct mpg_plot_options *options, struct mpg_plot_outcome *outcome, struct mpg_error *err);

#endif
