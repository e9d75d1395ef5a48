/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the fitted distribution families for the message times of target and source. */
#include "simulate/models/path_fits.h"

#include <stdlib.h>

#include "simulate/models/perturbation.h"

/* Returns the best fit for each of SIZES. WHAT: the name of the times, for errors. */
static int choose_all(const struct mpg_signature *sig, const struct mpg_network_path *path,
                      const struct mpg_network_sizes *sizes, const char *what,
                      struct mpg_fitted **fits, struct mpg_error *err)
{
    if (!(*fits = calloc(sizes->n + 1, sizeof **fits)))
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < sizes->n; i++)
        if (mpg_fitted_choose(sizes->size[i].time_ns, &(*fits)[i], err) < 0)
            return mpg_error_prefix(err, "%s: path '%s', %s of %lld bytes", sig->path,
                                    mpg_path_name(path->path), what,
                                    (long long)sizes->size[i].size_bytes);
    return 0;
}

/* Fills FITS for one machine: one-way times if LATENCIES, and transfer times. */
static int use_path(const struct mpg_signature *sig, const struct mpg_network_path *path, bool latencies,
                    bool transfers, struct mpg_path_fits *fits, struct mpg_error *err)
{
    if (latencies && choose_all(sig, path, &path->latency, "latency", &fits->latency, err) < 0)
        return -1;
    return transfers ? choose_all(sig, path, &path->bandwidth, "bandwidth", &fits->bandwidth, err)
                     : 0;
}

/* Fills the fits that P needs. Messages whose protocol changes also need the target's one-way times. */
static int use_both(struct mpg_perturbation *p, struct mpg_error *err)
{
    enum mpg_flight_rule rule = mpg_flight_rule(p);
    bool latencies = rule == MPG_FLIGHT_DIFFERENCE || rule == MPG_FLIGHT_TARGET;
    bool transfers = rule == MPG_FLIGHT_TRANSFER_DIFFERENCE || rule == MPG_FLIGHT_TRANSFER_TARGET;
    bool both = rule == MPG_FLIGHT_DIFFERENCE || rule == MPG_FLIGHT_TRANSFER_DIFFERENCE;
    if (p->latency_model == MPG_TIME_FIT && !latencies)
        return mpg_error_set(err, "%s: --models=latency=fit: there are no latencies to draw from",
                             p->target->path);
    if (rule == MPG_FLIGHT_NONE)
        return mpg_error_set(err, "%s: --models=byte=fit: there are no times of messages to draw from",
                             p->target->path);
    if (use_path(p->target, p->target_path, latencies || mpg_flight_target_known(p), transfers, &p->target_fits, err) < 0)
        return -1;
    return both ? use_path(p->source, p->source_path, latencies, transfers, &p->source_fits, err) : 0;
}

int mpg_perturbation_use_fits(struct mpg_perturbation *p, struct mpg_error *err)
{
    if (p->latency_model != MPG_TIME_FIT && p->byte_model != MPG_TIME_FIT)
        return 0;
    return use_both(p, err);
}

void mpg_perturbation_clear_fits(struct mpg_perturbation *p)
{
    free(p->target_fits.latency);
    free(p->target_fits.bandwidth);
    free(p->source_fits.latency);
    free(p->source_fits.bandwidth);
    p->target_fits = p->source_fits = (struct mpg_path_fits){0};
}
