/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates collectives as the messages of their algorithms, in delays (docs/MODEL.md, section 4, Expanded collectives). A
 * member's delay is the difference of two evaluations: perturbed messages between late members, and unperturbed messages
 * between members that arrive as in the trace.
 *
 * An evaluation for n lanes has 2 n + 1 lanes: n perturbed lanes, n lanes with late members but unperturbed messages (for the
 * account), and a lane as traced. A slot holds the traced time in slot_base, and the delays of the first two groups in
 * slot_value and slot_propagated. */
#include <math.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/recorder.h"

struct expanding {
    struct mpg_evaluator *l;
    const struct mpg_expanding *c;
    double *lambda, *tau, *ack; /* of the current message: 2 n + 1 values each */
    double target_scale, source_scale; /* factors for all message costs, on the target and on the source */
};

uint32_t mpg_delays_expanded_lanes(const struct mpg_evaluator *l)
{
    return 2 * l->n + 1;
}

/* Writes to VALUE: for perturbed lanes BASE_NS plus DELTA, but at least 0, times target_scale; for unperturbed lanes BASE_NS
 * times source_scale. */
static void put_together(const struct expanding *x, double base_ns, const double *delta,
                         double *value)
{
    const uint32_t n = x->l->n;
    const double traced_ns = x->source_scale * base_ns, scale = x->target_scale;
    for (uint32_t w = 0; w < n; w++) { /* without fmax() the compiler vectorises the loop */
        const double ns = base_ns + delta[w];
        value[w] = scale * (ns > 0 ? ns : 0);
    }
    for (uint32_t w = n; w < 2 * n + 1; w++)
        value[w] = traced_ns;
}

/* Returns the perturbation of message M. */
static const struct mpg_perturbation *path_costs_of(const struct expanding *x, const struct mpg_message *m)
{
    return path_costs_between(x->l, x->c->world_ranks[m->from], x->c->world_ranks[m->to]);
}

static double traced_flight(const struct expanding *x, const struct mpg_message *m, double bytes)
{
    return flight_ns(x->l, x->c->world_ranks[m->from], x->c->world_ranks[m->to], bytes);
}

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    struct expanding *x = data;
    struct mpg_evaluator *l = x->l;
    struct mpg_sent_message s = sending_expanded(x->c, m);
    const double empty_ns = traced_flight(x, m, 0);
    zero(l->scratch, l->n);
    mpg_perturb_flight(path_costs_of(x, m), &s, MPG_FLIGHT_LAMBDA, l->first, l->n, l->scratch);
    put_together(x, empty_ns, l->scratch, lambda_ns);
    zero(l->scratch, l->n);
    mpg_perturb_flight(path_costs_of(x, m), &s, MPG_FLIGHT_TAU, l->first, l->n, l->scratch);
    put_together(x, fmax(traced_flight(x, m, m->bytes) - empty_ns, 0), l->scratch, tau_ns);
    memcpy(x->lambda, lambda_ns, mpg_delays_expanded_lanes(l) * sizeof *lambda_ns);
    memcpy(x->tau, tau_ns, mpg_delays_expanded_lanes(l) * sizeof *tau_ns);
}

static void overhead(const struct expanding *x, enum mpg_overhead which,
                     const struct mpg_message *m, double *overhead_ns)
{
    struct mpg_evaluator *l = x->l;
    struct mpg_sent_message s = sending_expanded(x->c, m);
    const struct mpg_perturbation *p = path_costs_of(x, m);
    bool known = !p->overhead[which].in_send || m->bytes <= x->c->eager_limit_bytes;
    zero(l->scratch, l->n);
    if (known)
        mpg_perturb_overhead(p, which, &s, l->first, l->n, l->scratch);
    put_together(x, known ? mpg_overhead_median(p, which, true, s.bytes, s.further) : 0, l->scratch, overhead_ns);
}

static void send(void *data, const struct mpg_message *m, double *overhead_ns)
{
    overhead(data, MPG_OVERHEAD_SEND, m, overhead_ns);
}

static void receive(void *data, const struct mpg_message *m, double *overhead_ns)
{
    overhead(data, MPG_OVERHEAD_RECEIVE, m, overhead_ns);
}

/* Writes to WAITING_NS the time of M plus the time of an answer back to the sender. */
static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    struct expanding *x = data;
    struct mpg_evaluator *l = x->l;
    struct mpg_sent_message s = sending_expanded(x->c, m);
    zero(l->scratch, l->n);
    mpg_perturb_ack(path_costs_of(x, m), &s, l->first, l->n, l->scratch);
    put_together(x, traced_flight(x, m, 0), l->scratch, x->ack);
    for (uint32_t w = 0; w < mpg_delays_expanded_lanes(l); w++)
        waiting_ns[w] = x->ack[w] + (x->lambda[w] + x->tau[w]);
    return true;
}

static double gap(void *data, const struct mpg_message *m)
{
    (void)data;
    (void)m;
    return 0;
}

/* Draws kappa of a round in the first n lanes, and writes 0 in the remaining lanes. */
static void call(void *data, int32_t index, uint32_t number, double *kappa_ns)
{
    const struct expanding *x = data;
    const struct mpg_origin *origin = &x->c->member[index].origin;
    struct mpg_evaluator *l = x->l;
    zero(kappa_ns, mpg_delays_expanded_lanes(l));
    mpg_perturb_round_call(l->p, origin->rank, origin->call, origin->index, number, l->first, l->n, kappa_ns);
}

/* Writes the costs of reductions to REDUCE_NS: the target's in the first n lanes, the source's in the remaining lanes. */
static void reduce(void *data, double bytes, double *reduce_ns)
{
    const struct expanding *x = data;
    const struct mpg_perturbation *p = x->l->p;
    const double target_ns = mpg_perturbation_reduction(p, false, bytes), source_ns = mpg_perturbation_reduction(p, true, bytes);
    for (uint32_t w = 0; w < mpg_delays_expanded_lanes(x->l); w++)
        reduce_ns[w] = w < x->l->n ? x->target_scale * target_ns : x->source_scale * source_ns;
}

/* --- slots and times --- */

void mpg_delays_load(const struct mpg_evaluator *l, uint32_t slot, double *time)
{
    double base_ns = l->slot_base[slot];
    const double *value = slot_delay(l, slot), *propagated = slot_propagated(l, slot);
    for (uint32_t w = 0; w < l->n; w++) {
        time[w] = base_ns + value[w];
        time[l->n + w] = base_ns + propagated[w];
    }
    time[2 * l->n] = base_ns;
}

void mpg_delays_store(struct mpg_evaluator *l, uint32_t slot, const double *time)
{
    double base_ns = l->slot_base[slot] = time[2 * l->n];
    double *value = slot_delay(l, slot), *propagated = slot_propagated(l, slot);
    for (uint32_t w = 0; w < l->n; w++) {
        value[w] = time[w] - base_ns;
        propagated[w] = time[l->n + w] - base_ns;
    }
}

int mpg_delays_join_expanded(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots,
                            struct mpg_error *err)
{
    void *base = l->slot_base;
    int status = mpg_reserve(&base, sizeof *l->slot_base, &l->base_capacity, slots, err);
    l->slot_base = base;
    if (status < 0)
        return -1;
    l->slot_base[s->slot] = l->absorb == MPG_ABSORB_CLOCK  ? s->enter_ns
                            : l->absorb == MPG_ABSORB_WAIT ? -(double)s->duration_ns
                                                           : 0;
    return 0;
}

int mpg_delays_expand(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    const enum mpg_operation operation = mpg_operation_of(s->call);
    const struct mpg_collective_size *size = &s->expanding->plan.size;
    if (mpg_reserve_at(&l->slot_base, sizeof *l->slot_base, &l->base_capacity, l->ready_slots, err) < 0 ||
        mpg_evaluator_ready(l, s, err) < 0)
        return -1;
    struct expanding x = {l, s->expanding, mpg_evaluator_scratch(l, 0), mpg_evaluator_scratch(l, 1), mpg_evaluator_scratch(l, 2),
                          mpg_collective_scale(l->p, operation, size->p, mpg_plan_bytes(size), false),
                          mpg_collective_scale(l->p, operation, size->p, mpg_plan_bytes(size), true)};
    const struct mpg_message_costs costs = {.data = &x,
                                            .flight = flight,
                                            .send = send,
                                            .receive = receive,
                                            .waiting = waiting,
                                            .answers = x.ack,
                                            .gap = gap,
                                            .call = l->p->call_noise.n > 0 ? call : NULL,
                                            .reduce = l->p->reduces ? reduce : NULL,
                                            .eager_limit_bytes = x.c->eager_limit_bytes,
                                            .weak_bytes = x.c->weak_bytes,
                                            .elsewhere = x.c->elsewhere};
    return mpg_evaluator_expand(l, s, &costs, err);
}
