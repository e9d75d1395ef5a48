/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of the messages of expanded collectives, in times (docs/MODEL.md, section 4, Expanded collectives). */
#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/evaluator_private.h"

static const struct mpg_perturbation *path_of(const struct mpg_times_expanding *x,
                                             const struct mpg_message *m)
{
    return mpg_target_between(x->t->target, x->c->world_ranks[m->from],
                              x->c->world_ranks[m->to]);
}

static void scale(const struct mpg_times_expanding *x, double factor, double *value_ns)
{
    for (uint32_t w = 0; w < x->t->n && factor != 1; w++)
        value_ns[w] *= factor;
}

/* --- costs --- */

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    const struct mpg_times_expanding *x = data;
    struct mpg_sent_message s = sending_expanded(x->c, m);
    zero(lambda_ns, x->t->n);
    zero(tau_ns, x->t->n);
    mpg_time_flight(path_of(x, m), &s, x->t->first, x->t->n, lambda_ns, tau_ns);
    scale(x, x->scale, lambda_ns);
    scale(x, x->byte_scale, tau_ns);
    memcpy(x->t->lambda, lambda_ns, x->t->n * sizeof *lambda_ns);
    memcpy(x->t->tau, tau_ns, x->t->n * sizeof *tau_ns);
}

static void overhead(const struct mpg_times_expanding *x, const struct mpg_message *m,
                     enum mpg_overhead which, double *overhead_ns)
{
    struct mpg_sent_message s = sending_expanded(x->c, m);
    zero(overhead_ns, x->t->n);
    mpg_time_overhead(path_of(x, m), which, &s, x->scale, x->t->first, x->t->n, overhead_ns);
}

static void send(void *data, const struct mpg_message *m, double *overhead_ns)
{
    const struct mpg_times_expanding *x = data;
    const struct mpg_overhead_sizes *o = &path_of(x, m)->overhead[MPG_OVERHEAD_SEND];
    if (o->in_send && m->bytes > x->c->eager_limit_bytes)
        zero(overhead_ns, x->t->n); /* only overheads of eager messages are known */
    else
        overhead(x, m, MPG_OVERHEAD_SEND, overhead_ns);
}

static void receive(void *data, const struct mpg_message *m, double *overhead_ns)
{
    overhead(data, m, MPG_OVERHEAD_RECEIVE, overhead_ns);
}

static bool wait_in_send(const struct mpg_times_expanding *x, const struct mpg_message *m, const struct mpg_sent_message *s,
                         double *waiting_ns)
{
    const bool known = mpg_time_in_send(path_of(x, m), s, x->t->first, x->t->n, waiting_ns);
    scale(x, x->byte_scale, waiting_ns);
    return known;
}

static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    const struct mpg_times_expanding *x = data;
    struct mpg_sent_message s = sending_expanded(x->c, m);
    const struct mpg_evaluator *t = x->t;
    zero(waiting_ns, t->n);
    if (!mpg_times_is_answered(t))
        return wait_in_send(x, m, &s, waiting_ns);
    zero(t->answer, t->n);
    mpg_time_ack(path_of(x, m), &s, t->first, t->n, t->answer);
    scale(x, x->scale, t->answer);
    for (uint32_t w = 0; w < t->n; w++)
        waiting_ns[w] = t->answer[w] + (t->lambda[w] + t->tau[w]);
    return true;
}

static void held(void *data, const struct mpg_message *m, double *latency, double *per_ns)
{
    const struct mpg_held_share share = mpg_time_held_share(path_of(data, m), m->bytes);
    *latency = share.latency;
    *per_ns = share.per_ns;
}

static double gap(void *data, const struct mpg_message *m)
{
    const struct mpg_times_expanding *x = data;
    return x->byte_scale * mpg_time_gap(path_of(x, m), m->bytes);
}

static void call(void *data, int32_t index, uint32_t number, double *kappa_ns)
{
    const struct mpg_times_expanding *x = data;
    const struct mpg_origin *origin = &x->c->member[index].origin;
    zero(kappa_ns, x->t->n);
    mpg_perturb_round_call(x->t->target->noise, origin->rank, origin->call, origin->index, number, x->t->first, x->t->n,
                           kappa_ns);
}

static void reduce(void *data, double bytes, double *reduce_ns)
{
    const struct mpg_times_expanding *x = data;
    const double ns = x->scale * mpg_perturbation_reduction(x->t->target->noise, false, bytes);
    for (uint32_t w = 0; w < x->t->n; w++)
        reduce_ns[w] = ns;
}

/* --- slots --- */

uint32_t mpg_times_expanded_lanes(const struct mpg_evaluator *t)
{
    return t->n;
}

void mpg_times_load(const struct mpg_evaluator *t, uint32_t slot, double *value)
{
    memcpy(value, slot_value(t, slot, SLOT_VALUE), t->n * sizeof *value);
}

void mpg_times_store(struct mpg_evaluator *t, uint32_t slot, const double *value)
{
    memcpy(slot_value(t, slot, SLOT_VALUE), value, t->n * sizeof *value);
}

/* --- the step --- */

struct mpg_message_costs mpg_times_expanding_costs(struct mpg_times_expanding *x, const struct mpg_evaluator *t,
                                                   const struct mpg_step *s)
{
    const struct mpg_perturbation *p = t->target->noise;
    const struct mpg_collective_size *size = &s->expanding->plan.size;
    const double factor = mpg_collective_scale(p, mpg_operation_of(s->call), size->p, mpg_plan_bytes(size), false);
    *x = (struct mpg_times_expanding){t, s->expanding, factor, factor};
    return (struct mpg_message_costs){.data = x,
                                      .flight = flight,
                                      .send = send,
                                      .receive = receive,
                                      .waiting = waiting,
                                      .held = held,
                                      .gap = gap,
                                      .answers = mpg_times_is_answered(t) ? t->answer : NULL,
                                      .call = p->call_noise.n > 0 ? call : NULL,
                                      .reduce = p->reduces ? reduce : NULL,
                                      .eager_limit_bytes = x->c->eager_limit_bytes,
                                      .weak_bytes = x->c->weak_bytes,
                                      .elsewhere = x->c->elsewhere};
}

int mpg_times_expand(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_times_expanding x;
    const struct mpg_message_costs costs = mpg_times_expanding_costs(&x, t, s);
    return mpg_evaluator_ready(t, s, err) < 0 ? -1 : mpg_evaluator_expand(t, s, &costs, err);
}
