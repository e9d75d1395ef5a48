/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution families fitted to the message times of a path, for --models=latency=fit and --models=byte=fit
 * (docs/MODEL.md, section 3, Fitted families). */
#ifndef MPG_PATH_FITS_H
#define MPG_PATH_FITS_H

#include "common/error.h"
#include "simulate/draws/fitted.h"
#include "signature/signature.h"

struct mpg_perturbation;

/* The distribution from which message times are drawn. */
enum mpg_time_model { MPG_TIME_EMPIRICAL, MPG_TIME_FIT };

/* One fit for each measured size of the path's latencies and of its transfer times; NULL: not requested. */
struct mpg_path_fits {
    struct mpg_fitted *latency, *bandwidth;
};

/* Fills P's fits for P's models and paths. Errors: a fitted model is requested, and the signature lacks times or a family that
 * fits; out of memory. */
int mpg_perturbation_use_fits(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_fits(struct mpg_perturbation *p);

#endif
