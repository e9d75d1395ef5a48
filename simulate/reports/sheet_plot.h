/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of a table of scenarios (mpgsim(1), --plot). */
#ifndef MPG_SHEET_PLOT_H
#define MPG_SHEET_PLOT_H

#include "common/plots/plots.h"
#include "simulate/reports/sheet.h"

/* Draws SHEET, a struct mpg_sheet: if its first column has numbers, run times over them, a line for each value of the
 * others ("sweep"); if it compares signatures, those of its first point by their medians ("machines"), and how surely
 * each is faster than each other ("faster"). Errors: nothing to draw; those of plots. */
int mpg_sheet_draw(struct plot_session *session, const void *sheet, struct mpg_error *err);

#endif
