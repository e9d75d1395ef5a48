/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The families fitted to what messages take on a path, for --models=latency=fit and
 * --models=byte=fit (docs/MODEL.md, section 3, Fitted families). */
#ifndef MPG_PATH_FITS_H
#define MPG_PATH_FITS_H

#include "common/error.h"
#include "simulate/draws/fitted.h"
#include "signature/signature.h"

struct mpg_perturbation;

/* What times of messages are drawn from. */
enum mpg_time_model { MPG_TIME_EMPIRICAL, MPG_TIME_FIT };

/* One for each size of the path's latency, of its bandwidth; NULL: they are not asked for. */
struct mpg_path_fits {
    struct mpg_fitted *latency, *bandwidth;
};

/* Chooses those that P's models, paths and rule of flights need. Errors: a model is to be fitted
 * and there are no such times, or one that is needed has no fit; out of memory. */
int mpg_perturbation_use_fits(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_fits(struct mpg_perturbation *p);

#endif
