/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws overheads for several replicas. */
#include "simulate/models/overheads.h"

#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"
#include "simulate/models/sizes.h"
#include "simulate/rules.h"

/* Sets O to TARGET and SOURCE. Returns false if TARGET is missing, or SOURCE is missing in spite of a source signature. */
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

/* Takes the times of one-sided operations, unless message times are given on the command line. */
static void take_one_sided(struct mpg_perturbation *p, const struct mpg_network_path *t, const struct mpg_network_path *s)
{
    const bool used = p->latency.n == 0 && p->byte.n == 0 && mpg_rule_holds(MPG_RULE_ONE_SIDED);
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS && used; o++) {
        const struct mpg_one_sided_times *of_s = s ? &s->one_sided[o] : NULL;
        take(p, &t->one_sided[o].call, of_s ? &of_s->call : NULL, &p->overhead[mpg_overhead_call((enum mpg_one_sided)o)]);
        take(p, &t->one_sided[o].complete, of_s ? &of_s->complete : NULL,
             &p->overhead[mpg_overhead_complete((enum mpg_one_sided)o)]);
    }
}

void mpg_perturbation_use_overheads(struct mpg_perturbation *p)
{
    const struct mpg_network_path *t = p->target_path, *s = p->source_path;
    struct mpg_overhead_sizes *send = &p->overhead[MPG_OVERHEAD_SEND];
    if (t)
        take_one_sided(p, t, s);
    if (!t || (p->latency.n > 0 && p->byte.n > 0) || /* message times are given on the command line */
        !mpg_rule_holds(MPG_RULE_OVERHEADS))
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

struct mpg_address mpg_overhead_address(const struct mpg_perturbation *p, enum mpg_overhead which,
                                        const struct mpg_sent_message *m)
{
    const bool starts =
        which == MPG_OVERHEAD_SEND || (which >= MPG_OVERHEAD_ONE_SIDED && (which - MPG_OVERHEAD_ONE_SIDED) % 2 == 0);
    return mpg_sent_message_address(p->seed, m, starts ? MPG_DRAW_SEND : MPG_DRAW_RECEIVE);
}

struct mpg_overhead_at_size mpg_overhead_at_size(const struct mpg_perturbation *p, enum mpg_overhead which,
                                           bool of_source, double bytes, bool further)
{
    const struct mpg_overhead_sizes *o = &p->overhead[which];
    const struct mpg_network_sizes *sizes = of_source ? o->source : o->target;
    /* if the machine's noise comes from a noise record, overheads are drawn without noise */
    const bool recorded = of_source ? o->source_noise : o->target_noise;
    struct mpg_overhead_at_size found = {.interpolation = mpg_interpolation_find(sizes, bytes), .further = further};
    found.max = mpg_interpolation_max(&found.interpolation, recorded);
    if (further) {
        found.empty = mpg_interpolation_find(sizes, 0);
        found.empty_max = mpg_interpolation_max(&found.empty, recorded);
    }
    return found;
}

double mpg_overhead_median(const struct mpg_perturbation *p, enum mpg_overhead which, bool of_source, double bytes,
                           bool further)
{
    if (!(of_source ? p->overhead[which].source : p->overhead[which].target))
        return 0;
    const struct mpg_overhead_at_size o = mpg_overhead_at_size(p, which, of_source, bytes, further);
    const double ns = fmin(mpg_interpolation_quantile(&o.interpolation, -1, 0.5), o.max);
    return further ? fmax(ns - fmin(mpg_interpolation_quantile(&o.empty, -1, 0.5), o.empty_max), 0) : ns;
}

void mpg_overhead_times(const struct mpg_overhead_at_size *o, const struct mpg_quantile_requests *wanted, double *ns)
{
    double empty_ns[MPG_LANES_AT_ONCE];
    mpg_interpolation_quantiles(&o->interpolation, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = ns[w] < o->max ? ns[w] : o->max;
    if (!o->further)
        return;
    mpg_interpolation_quantiles(&o->empty, wanted, empty_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = fmax(ns[w] - fmin(empty_ns[w], o->empty_max), 0);
}

/* FACTOR times the target's overhead. If HAS_LESS, LESS is subtracted, at equal probability u or, if MIN, at u = 0. */
struct cost {
    struct mpg_overhead_at_size target, less;
    bool has_less, min;
    double factor;
};

static void add_cost(const void *cost, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    const struct cost *x = cost;
    const struct mpg_quantile_requests min = {.n = wanted->n, .launch = wanted->launch};
    double ns[MPG_LANES_AT_ONCE], less_ns[MPG_LANES_AT_ONCE];
    mpg_overhead_times(&x->target, wanted, ns);
    if (x->has_less)
        mpg_overhead_times(&x->less, x->min ? &min : wanted, less_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += x->factor * (x->has_less ? ns[w] - less_ns[w] : ns[w]);
}

/* Adds the overhead WHICH of M on the target less that on the source for SOURCE_BYTES. */
static void perturb(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sent_message *m,
                    double source_bytes, uint32_t first, uint32_t n, double *value_ns)
{
    const struct mpg_overhead_sizes *o = &p->overhead[which];
    if (!o->target)
        return;
    const struct mpg_address address = mpg_overhead_address(p, which, m);
    const struct cost x = {.target = mpg_overhead_at_size(p, which, false, m->bytes, m->further),
                           .less = mpg_overhead_at_size(p, which, o->source != NULL, source_bytes, m->further),
                           .has_less = true, .min = !o->source, .factor = 1};
    mpg_add_drawn(p, &address, first, n, add_cost, &x, value_ns);
}

void mpg_perturb_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                          double *value_ns)
{
    perturb(p, which, m, m->bytes, first, n, value_ns);
}

void mpg_perturb_one_sided(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sent_message *m,
                           double traced_bytes, uint32_t first, uint32_t n, double *value_ns)
{
    perturb(p, which, m, traced_bytes, first, n, value_ns);
}

void mpg_add_target_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                             const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                             double *value_ns)
{
    if (!p->overhead[which].target)
        return;
    const struct mpg_address address = mpg_overhead_address(p, which, m);
    const struct cost x = {.target = mpg_overhead_at_size(p, which, false, m->bytes, m->further), .factor = factor};
    mpg_add_drawn(p, &address, first, n, add_cost, &x, value_ns);
}
