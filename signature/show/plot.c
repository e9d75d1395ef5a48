/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signature/show/plot.h"

#include "signature/show/plot_private.h"

static int draw(struct plot_session *session, const void *what, struct mpg_error *err)
{
    const struct mpg_signature *sig = what;
    if (plot_noise(session, sig, err) < 0 || plot_network(session, sig, err) < 0 ||
        plot_collectives(session, sig, err) < 0 || plot_sharing(session, sig, err) < 0)
        return -1;
    return session->names > 0 ? 0 : mpg_error_set(err, "%s holds nothing to draw", sig->path);
}

int mpg_plot(const struct mpg_signature *sig, const struct mpg_plot_options *options,
             struct mpg_plot_outcome *outcome, struct mpg_error *err)
{
    return mpg_plot_all(options, draw, sig, outcome, err);
}
