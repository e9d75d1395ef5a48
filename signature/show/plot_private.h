/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of a signature; private to signature/show/. */
#ifndef MPG_PLOT_PRIVATE_H
#define MPG_PLOT_PRIVATE_H

#include "signature/show/plot.h"
#include "signature/show/show.h"

/* Draw the plots of noise, of messages and of collectives, and note missing data in SESSION. Errors: as mpg_plot_start() and
 * mpg_plot_finish(). */
int plot_noise(struct plot_session *session, const struct mpg_signature *sig,
               struct mpg_error *err);
int plot_network(struct plot_session *session, const struct mpg_signature *sig,
                 struct mpg_error *err);
int plot_collectives(struct plot_session *session, const struct mpg_signature *sig,
                     struct mpg_error *err);

/* Draws the sharing curves, if SIG has sharing curves. Errors: as the functions above. */
int plot_sharing(struct plot_session *session, const struct mpg_signature *sig,
                 struct mpg_error *err);

#endif
