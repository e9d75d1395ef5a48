/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives by their algorithms' messages, each of which costs what one between two ranks does
 * (docs/MODEL.md, section 4, Expanded collectives). */
#include "simulate/predict/times_private.h"

struct expanding {
    const struct mpg_times *t;
    const struct mpg_expanding *c;
};

static const struct mpg_perturbation *way_of(const struct expanding *x,
                                             const struct mpg_message *m)
{
    return mpg_target_between(x->t->target, x->c->world_ranks[m->from],
                              x->c->world_ranks[m->to]);
}

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    const struct expanding *x = data;
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(lambda_ns, x->t->n);
    zero(tau_ns, x->t->n);
    mpg_time_flight(way_of(x, m), &s, x->t->first, x->t->n, lambda_ns, tau_ns);
}

static void overhead(const struct expanding *x, const struct mpg_message *m,
                     enum mpg_overhead which, double *overhead_ns)
{
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(overhead_ns, x->t->n);
    mpg_time_overhead(way_of(x, m), which, &s, 1, x->t->first, x->t->n, overhead_ns);
}

static void send(void *data, const struct mpg_message *m, double *overhead_ns)
{
    const struct expanding *x = data;
    const struct mpg_overhead_sizes *o = &way_of(x, m)->overhead[MPG_OVERHEAD_SEND];
    if (o->in_send && m->bytes > x->c->eager_limit_bytes)
        zero(overhead_ns, x->t->n); /* it is known of eager ones only */
    else
        overhead(x, m, MPG_OVERHEAD_SEND, overhead_ns);
}

static void receive(void *data, const struct mpg_message *m, double *overhead_ns)
{
    overhead(data, m, MPG_OVERHEAD_RECEIVE, overhead_ns);
}

static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    const struct expanding *x = data;
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(waiting_ns, x->t->n);
    return mpg_time_in_send(way_of(x, m), &s, x->t->first, x->t->n, waiting_ns);
}

static double gap(void *data, const struct mpg_message *m)
{
    return mpg_time_gap(way_of(data, m), m->bytes);
}

/* --- a member of a tree --- */

static double *value_of(void *data, int32_t v)
{
    const struct expanding *x = data;
    return slot_value(x->t, member_of(x->c, v)->slot, SLOT_TIME);
}

static double *message_of(void *data, int32_t v)
{
    const struct expanding *x = data;
    return slot_value(x->t, member_of(x->c, v)->message_slot, SLOT_TIME);
}

/* --- all members at once --- */

static int expand_all(struct mpg_times *t, const struct mpg_expanding *c,
                      const struct mpg_message_costs *costs, struct mpg_error *err)
{
    void *members = t->members;
    int32_t p = c->plan.size.p;
    int status = mpg_reserve(&members, t->n * sizeof(double), &t->members_capacity,
                                     (uint32_t)p, err);
    t->members = members;
    if (status < 0)
        return -1;
    for (int32_t i = 0; i < p; i++)
        memcpy(t->members + (size_t)i * t->n, slot_value(t, c->member[i].slot, SLOT_TIME),
               t->n * sizeof(double));
    status = mpg_expand(t->expansion, &c->plan, costs, t->members, err);
    for (int32_t i = 0; i < p && status == 0; i++)
        memcpy(slot_value(t, c->member[i].slot, SLOT_TIME), t->members + (size_t)i * t->n,
               t->n * sizeof(double));
    return status;
}

int mpg_times_expand(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct expanding x = {t, s->expanding};
    const struct mpg_message_costs costs = {.data = &x,
                                            .flight = flight,
                                            .send = send,
                                            .receive = receive,
                                            .waiting = waiting,
                                            .gap = gap,
                                            .one_way = t->target->noise->latency.n > 0,
                                            .eager_limit_bytes = x.c->eager_limit_bytes,
                                            .carried_bytes = x.c->carried_bytes,
                                            .elsewhere = x.c->elsewhere};
    const struct mpg_tree_values values = {&x, value_of, message_of};
    if (!t->expansion && !(t->expansion = mpg_expansion_new(t->n, err)))
        return -1;
    if (s->member < 0)
        return expand_all(t, x.c, &costs, err);
    return mpg_expand_member(t->expansion, &x.c->plan, &costs, s->member, &values, err);
}
