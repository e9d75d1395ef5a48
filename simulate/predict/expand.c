/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives by their algorithms' messages, each of which costs what one between two ranks does
 * (docs/MODEL.md, section 4, Expanded collectives). */
#include "common/reserve.h"
#include "simulate/engine/operations.h"
#include "simulate/predict/times_private.h"

struct expanding {
    const struct mpg_times *t;
    const struct mpg_expanding *c;
    double scale; /* of all that messages cost */
};

static const struct mpg_perturbation *way_of(const struct expanding *x,
                                             const struct mpg_message *m)
{
    return mpg_target_between(x->t->target, x->c->world_ranks[m->from],
                              x->c->world_ranks[m->to]);
}

static void scale(const struct expanding *x, double *value_ns)
{
    for (uint32_t w = 0; w < x->t->n && x->scale != 1; w++)
        value_ns[w] *= x->scale;
}

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    const struct expanding *x = data;
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(lambda_ns, x->t->n);
    zero(tau_ns, x->t->n);
    mpg_time_flight(way_of(x, m), &s, x->t->first, x->t->n, lambda_ns, tau_ns);
    scale(x, lambda_ns);
    scale(x, tau_ns);
    memcpy(x->t->lambda, lambda_ns, x->t->n * sizeof *lambda_ns);
    memcpy(x->t->tau, tau_ns, x->t->n * sizeof *tau_ns);
}

static void overhead(const struct expanding *x, const struct mpg_message *m,
                     enum mpg_overhead which, double *overhead_ns)
{
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(overhead_ns, x->t->n);
    mpg_time_overhead(way_of(x, m), which, &s, x->scale, x->t->first, x->t->n, overhead_ns);
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

static bool wait_in_send(const struct expanding *x, const struct mpg_message *m, const struct mpg_sending *s, double *waiting_ns)
{
    const bool known = mpg_time_in_send(way_of(x, m), s, x->t->first, x->t->n, waiting_ns);
    scale(x, waiting_ns);
    return known;
}

static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    const struct expanding *x = data;
    struct mpg_sending s = sending_expanded(x->c, m);
    const struct mpg_times *t = x->t;
    zero(waiting_ns, t->n);
    if (!mpg_times_is_answered(t))
        return wait_in_send(x, m, &s, waiting_ns);
    zero(t->answer, t->n);
    mpg_time_ack(way_of(x, m), &s, t->first, t->n, t->answer);
    scale(x, t->answer);
    for (uint32_t w = 0; w < t->n; w++)
        waiting_ns[w] = t->answer[w] + (t->lambda[w] + t->tau[w]);
    return true;
}

static double gap(void *data, const struct mpg_message *m)
{
    const struct expanding *x = data;
    return x->scale * mpg_time_gap(way_of(x, m), m->bytes);
}

static void call(void *data, int32_t index, uint32_t number, double *kappa_ns)
{
    const struct expanding *x = data;
    const struct mpg_origin *origin = &x->c->member[index].origin;
    zero(kappa_ns, x->t->n);
    mpg_perturb_round_call(x->t->target->noise, origin->rank, origin->call, origin->index, number, x->t->first, x->t->n, kappa_ns);
}

static void reduce(void *data, double bytes, double *reduce_ns)
{
    const struct expanding *x = data;
    const double ns = x->scale * mpg_perturbation_reduction(x->t->target->noise, false, bytes);
    for (uint32_t w = 0; w < x->t->n; w++)
        reduce_ns[w] = ns;
}

/* Doubles of a value. */
static size_t stride_of(const struct mpg_times *t)
{
    return mpg_expand_stride(t->n, t->follows ? t->n : 0);
}

/* Room for so many VALUES, and their slots. */
static int reserve(struct mpg_times *t, uint32_t values, struct mpg_error *err)
{
    if (mpg_reserve_at(&t->members, stride_of(t) * sizeof *t->members, &t->members_capacity, values, err) < 0)
        return -1;
    return t->follows ? mpg_reserve_at(&t->member_slot, sizeof *t->member_slot, &t->member_slots, values, err) : 0;
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

/* The same where it is asked what they come from: of the member, of one other, and of the messages of both. */
enum { OWN, OWN_MESSAGE, OTHER, OTHER_MESSAGE, LOOKED_AT };

struct window {
    const struct expanding *x;
    int32_t v;
    bool used[LOOKED_AT];
};

static double *look_at(struct window *window, int which, uint32_t slot)
{
    const struct mpg_times *t = window->x->t;
    double *value = t->members + (size_t)which * stride_of(t);
    if (window->used[which])
        return value;
    window->used[which] = true;
    memcpy(value, slot_value(t, slot, SLOT_TIME), t->n * sizeof *value);
    mpg_times_came_begin(t, value, (uint32_t)which);
    t->member_slot[which] = slot;
    return value;
}

static double *look_at_value(void *data, int32_t v)
{
    struct window *window = data;
    return look_at(window, v == window->v ? OWN : OTHER, member_of(window->x->c, v)->slot);
}

static double *look_at_message(void *data, int32_t v)
{
    struct window *window = data;
    return look_at(window, v == window->v ? OWN_MESSAGE : OTHER_MESSAGE, member_of(window->x->c, v)->message_slot);
}

/* All that was looked at is written; only the member itself goes on from there. */
static void write_all(void *data)
{
    struct window *window = data;
    const struct mpg_times *t = window->x->t;
    for (int i = 0; i < LOOKED_AT; i++)
        if (window->used[i])
            mpg_times_came(t, t->member_slot[i], t->members + (size_t)i * stride_of(t), t->member_slot);
    for (int i = 0; i < LOOKED_AT; i++) {
        if (window->used[i])
            mpg_times_came_end(t, t->member_slot[i], t->members + (size_t)i * stride_of(t));
        window->used[i] = window->used[i] && i == OWN;
    }
    if (window->used[OWN])
        mpg_times_came_begin(t, t->members, OWN);
}

static int expand_member(struct mpg_times *t, const struct mpg_step *s, struct expanding *x,
                         const struct mpg_message_costs *costs, struct mpg_error *err)
{
    struct window window = {.x = x, .v = s->member};
    const struct mpg_tree_values direct = {.data = x, .value = value_of, .message = message_of};
    const struct mpg_tree_values followed = {&window, look_at_value, look_at_message, write_all};
    if (t->follows && reserve(t, LOOKED_AT, err) < 0)
        return -1;
    if (mpg_expand_member(t->expansion, &x->c->plan, costs, s->member, t->follows ? &followed : &direct, err) < 0)
        return -1;
    if (t->follows)
        write_all(&window);
    return 0;
}

/* --- all members at once --- */

static int expand_all(struct mpg_times *t, const struct mpg_expanding *c,
                      const struct mpg_message_costs *costs, struct mpg_error *err)
{
    const size_t stride = stride_of(t);
    const int32_t p = c->plan.size.p;
    if (reserve(t, (uint32_t)p, err) < 0)
        return -1;
    for (int32_t i = 0; i < p; i++) {
        memcpy(t->members + (size_t)i * stride, slot_value(t, c->member[i].slot, SLOT_TIME), t->n * sizeof(double));
        if (!t->follows)
            continue;
        mpg_times_came_begin(t, t->members + (size_t)i * stride, (uint32_t)i);
        t->member_slot[i] = c->member[i].slot;
    }
    if (mpg_expand(t->expansion, &c->plan, costs, t->members, err) < 0)
        return -1;
    for (int32_t i = 0; i < p && t->follows; i++)
        mpg_times_came(t, c->member[i].slot, t->members + (size_t)i * stride, t->member_slot);
    for (int32_t i = 0; i < p && t->follows; i++)
        mpg_times_came_end(t, c->member[i].slot, t->members + (size_t)i * stride);
    for (int32_t i = 0; i < p && !t->follows; i++)
        memcpy(slot_value(t, c->member[i].slot, SLOT_TIME), t->members + (size_t)i * stride, t->n * sizeof(double));
    return 0;
}

int mpg_times_expand(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_perturbation *p = t->target->noise;
    const struct mpg_collective_size *size = &s->expanding->plan.size;
    struct expanding x = {t, s->expanding, mpg_collective_scale(p, mpg_operation_of(s->call), size->p, mpg_plan_bytes(size), false)};
    const struct mpg_message_costs costs = {.data = &x,
                                            .flight = flight,
                                            .send = send,
                                            .receive = receive,
                                            .waiting = waiting,
                                            .gap = gap,
                                            .answers = mpg_times_is_answered(t) ? t->answer : NULL,
                                            .call = p->call_noise.n > 0 ? call : NULL,
                                            .reduce = p->reduces ? reduce : NULL,
                                            .eager_limit_bytes = x.c->eager_limit_bytes,
                                            .carried_bytes = x.c->carried_bytes,
                                            .elsewhere = x.c->elsewhere};
    if (!t->expansion && !(t->expansion = mpg_expansion_new(t->n, t->follows ? t->n : 0, err)))
        return -1;
    if (s->member < 0)
        return expand_all(t, x.c, &costs, err);
    return expand_member(t, s, &x, &costs, err);
}
