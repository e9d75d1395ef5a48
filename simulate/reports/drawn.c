/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/drawn.h"

int mpg_report_draw(const char *folder, bool keep, plot_draw *draw, const void *what, struct mpg_error *err)
{
    const struct mpg_plot_options options = {.maker = "mpgsim", .folder = folder, .keep = keep};
    struct mpg_plot_outcome outcome;
    const int status = plot_all(&options, draw, what, &outcome, err);
    return plot_tell(&options, status, &outcome, err);
}
