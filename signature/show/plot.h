/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signature as plots, drawn by gnuplot (5.0 or later), SVG and PNG of each. */
#ifndef MPG_PLOT_H
#define MPG_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_plot_options {
    const char *folder; /* made if it is not there */
    bool all;           /* every core and number of processes; else the first 8 and 16 */
    bool keep;          /* keep gnuplot's scripts and data beside the plots */
};

struct mpg_plot_outcome {
    size_t plots;
    size_t missing; /* what could not be drawn, a line each, saying why */
    char **why;
    int interrupted; /* when it failed: the signal that ended it, or 0 */
};

/* Draws what SIG holds into OPTIONS' folder. gnuplot is the program that
 * MPGKIT_GNUPLOT names, otherwise the one on PATH. Everything is made in a
 * folder of its own in that folder, checked, and renamed at the end; when it
 * fails nothing is left, not even the folder if it was not there. SIGINT, SIGTERM
 * and SIGHUP end the drawing, too; then the caller raises outcome->interrupted. On
 * success the caller clears OUTCOME. Not thread-safe. Errors: no gnuplot, a folder that cannot be
 * written, gnuplot failed, nothing to draw, out of memory. */
int mpg_plot(const struct mpg_signature *sig, const struct mpg_plot_options *options,
             struct mpg_plot_outcome *outcome, struct mpg_error *err);
void mpg_plot_outcome_clear(struct mpg_plot_outcome *outcome);

#endif
