/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plots of a signature. Private to signature/show/. */
#ifndef MPG_PLOT_PRIVATE_H
#define MPG_PLOT_PRIVATE_H

#include "signature/show/plot.h"
#include "signature/show/show.h"

/* Draw what SIG has of each and note what it has not. */
int plot_noise(struct plot_session *session, const struct mpg_signature *sig,
               struct mpg_error *err);
int plot_network(struct plot_session *session, const struct mpg_signature *sig,
                 struct mpg_error *err);
int plot_collectives(struct plot_session *session, const struct mpg_signature *sig,
                     struct mpg_error *err);

#endif
