/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warning about drawn times with a mean that differs from the mean stated in the signature. Files before version 4 have quantiles
 * at equal steps of probability, too few for a long tail. */
#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "simulate/reports/trace_warnings.h"

/* The distribution with the largest difference between both means. */
struct worst {
    double factor;      /* the larger mean divided by the smaller mean */
    double drawn, stated;
    char name[96];
    const struct mpg_signature *sig;
};

static void look_at(struct worst *worst, const struct mpg_signature *sig, const struct mpg_distribution *d,
                    const char *what, const char *where)
{
    const double tolerated = 1.1; /* maximum factor: an answer in proportion to the mean is then wrong by at most a tenth */
    if (!d || !(d->mean > 0))
        return;
    const double drawn = mpg_distribution_drawn_mean(d);
    const double factor = fmax(drawn / d->mean, drawn > 0 ? d->mean / drawn : INFINITY);
    if (factor <= fmax(tolerated, worst->factor))
        return;
    *worst = (struct worst){.factor = factor, .drawn = drawn, .stated = d->mean, .sig = sig};
    snprintf(worst->name, sizeof worst->name, "%s%s", what, where);
}

static void look_at_sizes(struct worst *worst, const struct mpg_signature *sig,
                          const struct mpg_network_sizes *sizes, const char *what)
{
    char where[48];
    for (size_t i = 0; i < sizes->n; i++) {
        snprintf(where, sizeof where, " of %lld bytes", (long long)sizes->size[i].size_bytes);
        look_at(worst, sig, sizes->size[i].time_ns, what, where);
    }
}

/* Checks message times only: overheads are limited by message times (mpg_bound_overheads()), and drawn means of overheads differ
 * on purpose. */
static void look_at_path(struct worst *worst, const struct mpg_report *r, const struct mpg_signature *sig,
                         const struct mpg_network_path *path)
{
    if (!sig || !path)
        return;
    if (mpg_perturbation_latency_measured(r->p))
        look_at_sizes(worst, sig, &path->latency, "the one-way time");
    if (path->latency.n == 0 && mpg_perturbation_bytes_measured(r->p))
        look_at_sizes(worst, sig, &path->bandwidth, "the transfer");
}

/* Checks the gaps and durations of detours, which only the renewal model draws. */
static void look_at_noise(struct worst *worst, const struct mpg_report *r)
{
    const struct mpg_signature *sig = r->p->target;
    char where[48];
    if (!sig || r->p->noise.n > 0 || r->p->noise_model != MPG_NOISE_RENEWAL)
        return;
    for (size_t i = 0; i < sig->cores; i++) {
        snprintf(where, sizeof where, " of core %d", sig->core[i].core);
        look_at(worst, sig, sig->core[i].gap_ns, "the time between detours", where);
        look_at(worst, sig, sig->core[i].length_ns, "the duration of detours", where);
    }
}

void mpg_warn_means(const struct mpg_report *r, struct mpg_notes *list)
{
    struct worst worst = {.factor = 1};
    char drawn[32], stated[32];
    if (mpg_report_uses_target_path(r)) {
        look_at_path(&worst, r, r->p->target, r->p->target_path);
        look_at_path(&worst, r, r->p->source, r->p->source_path);
    }
    look_at_noise(&worst, r);
    if (!worst.sig)
        return;
    mpg_notes_add(list, "quantiles",
        "%s has a mean of %s in %s, and is drawn with %s: the signature keeps too few quantiles of its tail "
        "(sigmake of the results makes one that keeps enough)",
        worst.name, mpg_units_format_time(stated, sizeof stated, worst.stated),
        worst.sig == r->p->target ? "the signature" : "the source's signature",
        mpg_units_format_time(drawn, sizeof drawn, worst.drawn));
}
