/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about plots on standard error: the plots drawn and the plots omitted. */
#include <signal.h>

#include "common/plots/plots.h"
#include "common/printable.h"
#include "common/units.h"

int mpg_plot_report(const struct mpg_plot_options *options, int status, struct mpg_plot_outcome *outcome,
                    const struct mpg_error *err)
{
    const char *maker = options->maker;
    if (status < 0) {
        if (outcome->interrupted) {
            mpg_error_print(maker, err);
            raise(outcome->interrupted); /* the shell then sees a program ended by this signal */
        }
        return -1;
    }
    for (size_t i = 0; i < outcome->missing; i++)
        mpg_printable_print_error("%s: not drawn: %s\n", maker, outcome->why[i]);
    mpg_printable_print_error("%s: %zu %s in %s, each as SVG and PNG\n", maker, outcome->plots,
                              mpg_units_word(outcome->plots, "plot", "plots"), options->folder);
    mpg_plot_outcome_clear(outcome);
    return 0;
}

int mpg_plot_and_report(const char *maker, const char *folder, bool keep, plot_draw *draw, const void *what,
                        struct mpg_error *err)
{
    const struct mpg_plot_options options = {.maker = maker, .folder = folder, .keep = keep};
    struct mpg_plot_outcome outcome;
    const int status = mpg_plot_all(&options, draw, what, &outcome, err);
    return mpg_plot_report(&options, status, &outcome, err);
}
