/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --plot: what mpgsim draws, and says of it. */
#ifndef MPG_REPORTS_DRAWN_H
#define MPG_REPORTS_DRAWN_H

#include "common/plots/plots.h"

/* Has DRAW draw WHAT into FOLDER, KEEP as in struct mpg_plot_options, and says on standard error how many plots there
 * are, and which are not. A signal ends the program as it always does. Errors: those of plot_all(). */
int mpg_report_draw(const char *folder, bool keep, plot_draw *draw, const void *what, struct mpg_error *err);

#endif
