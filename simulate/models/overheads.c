/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawing overheads for a vector of lanes. */
#include "simulate/models/overheads.h"

#include <math.h>

#include "simulate/models/perturbation.h"
#include "simulate/models/sizes.h"

/* Sets O if the target has TARGET and, if there is a source, that has SOURCE. */
static bool take(const struct mpg_perturbation *p, const struct mpg_network_sizes *target,
                 const struct mpg_network_sizes *source, struct mpg_overhead_sizes *o)
{
    if (!target || target->n == 0 || (p->source && (!source || source->n == 0)))
        return false;
    o->target = target;
    o->source = p->source ? source : NULL;
    o->target_noise = p->noise.n == 0 && p->target_cores > 0;
    o->source_noise = p->noise.n == 0 && p->source_cores > 0;
    return true;
}

void mpg_perturbation_use_overheads(struct mpg_perturbation *p)
{
    const struct mpg_network_path *t = p->target_path, *s = p->source_path;
    struct mpg_overhead_sizes *send = &p->overhead[MPG_OVERHEAD_SEND];
    if (!t || (p->latency.n > 0 && p->byte.n > 0)) /* messages are the command line's */
        return;
    if (!take(p, &t->send_overhead, s ? &s->send_overhead : NULL, send))
        send->in_send = take(p, &t->sender, s ? &s->sender : NULL, send);
    take(p, &t->receive_overhead, s ? &s->receive_overhead : NULL,
         &p->overhead[MPG_OVERHEAD_RECEIVE]);
}

bool mpg_overheads_of_both(const struct mpg_perturbation *p)
{
    const struct mpg_overhead_sizes *send = &p->overhead[MPG_OVERHEAD_SEND];
    return send->source && !send->in_send && p->overhead[MPG_OVERHEAD_RECEIVE].source &&
           p->source_path->latency.n > 0;
}

struct mpg_overhead_sizes mpg_overhead_unchanged(const struct mpg_perturbation *p,
                                                 enum mpg_overhead which)
{
    struct mpg_overhead_sizes o = p->overhead[which];
    o.target = o.source;
    o.target_noise = o.source_noise;
    return o;
}

static struct mpg_address address_of(const struct mpg_perturbation *p, enum mpg_overhead which,
                                     const struct mpg_sending *m)
{
    return (struct mpg_address){
        .seed = p->seed,
        .call = m->call,
        .rank = m->rank,
        .index = m->index,
        .purpose = which == MPG_OVERHEAD_SEND ? MPG_DRAW_SEND : MPG_DRAW_RECEIVE};
}

/* o(d; u) of one machine, or what a message costs that is completed with another one of the same
 * rank: o(d; u) - o(0; u), no less than 0. */
struct overhead {
    struct mpg_spot whole, empty;
    double whole_most, empty_most; /* noise apart */
    bool further;
};

static struct overhead find_overhead(const struct mpg_network_sizes *sizes, bool recorded,
                                     const struct mpg_sending *m)
{
    struct overhead o = {.whole = mpg_spot_find(sizes, m->bytes), .further = m->further};
    o.whole_most = mpg_spot_most(&o.whole, recorded);
    if (o.further) {
        o.empty = mpg_spot_find(sizes, 0);
        o.empty_most = mpg_spot_most(&o.empty, recorded);
    }
    return o;
}

static double overhead_ns(const struct overhead *o, double launch, double u)
{
    double ns = fmin(mpg_spot_quantile(&o->whole, launch, u), o->whole_most);
    if (!o->further)
        return ns;
    return fmax(ns - fmin(mpg_spot_quantile(&o->empty, launch, u), o->empty_most), 0);
}

double mpg_overhead_of_source(const struct mpg_perturbation *p, enum mpg_overhead which,
                              const struct mpg_sending *m)
{
    const struct mpg_overhead_sizes *o = &p->overhead[which];
    if (!o->source)
        return 0;
    struct overhead source = find_overhead(o->source, o->source_noise, m);
    return overhead_ns(&source, -1, 0.5);
}

void mpg_perturb_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                          const struct mpg_sending *m, uint32_t first, uint32_t n,
                          double *value_ns)
{
    const struct mpg_overhead_sizes *o = &p->overhead[which];
    if (!o->target)
        return;
    struct mpg_address address = address_of(p, which, m);
    struct overhead target = find_overhead(o->target, o->target_noise, m), source = target;
    if (o->source)
        source = find_overhead(o->source, o->source_noise, m);
    for (uint32_t w = 0; w < n; w++) {
        double u = mpg_draw(&address, first + w), launch = mpg_perturbation_launch(p, first + w);
        value_ns[w] +=
            overhead_ns(&target, launch, u) - overhead_ns(&source, launch, o->source ? u : 0);
    }
}

void mpg_add_target_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                             const struct mpg_sending *m, uint32_t first, uint32_t n,
                             double *value_ns)
{
    const struct mpg_overhead_sizes *o = &p->overhead[which];
    if (!o->target)
        return;
    struct mpg_address address = address_of(p, which, m);
    struct overhead target = find_overhead(o->target, o->target_noise, m);
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += overhead_ns(&target, mpg_perturbation_launch(p, first + w),
                                   mpg_draw(&address, first + w));
}
