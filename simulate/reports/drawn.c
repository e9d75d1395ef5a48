/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/drawn.h"

#include <signal.h>

#include "common/units.h"

int mpg_report_draw(const char *folder, bool keep, plot_draw *draw, const void *what, struct mpg_error *err)
{
    const struct mpg_plot_options options = {.maker = "mpgsim", .folder = folder, .keep = keep};
    struct mpg_plot_outcome outcome;
    if (plot_all(&options, draw, what, &outcome, err) < 0) {
        if (outcome.interrupted) {
            mpg_error_print("mpgsim", err);
            raise(outcome.interrupted); /* to end as the signal always does */
        }
        return -1;
    }
    for (size_t i = 0; i < outcome.missing; i++)
        fprintf(stderr, "mpgsim: not drawn: %s\n", outcome.why[i]);
    fprintf(stderr, "mpgsim: %zu %s in %s, each as SVG and PNG\n", outcome.plots,
            mpg_units_word(outcome.plots, "plot", "plots"), folder);
    mpg_plot_outcome_clear(&outcome);
    return 0;
}
