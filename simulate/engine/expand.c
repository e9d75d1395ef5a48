/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives by their algorithms' messages, as delays (docs/MODEL.md, section 4, Expanded
 * collectives): of each member how much later it leaves by perturbed messages between late members
 * than by unperturbed ones between members that come as they did.
 *
 * Of n lanes are made 2 n + 1: perturbed; with late members only, which the account needs; and as
 * traced. A slot has the last one's time in slot_base, the others' lateness in slot_value and
 * slot_bare. */
#include <math.h>

#include "simulate/engine/lanes_private.h"
#include "simulate/engine/operations.h"
#include "simulate/engine/trail.h"

struct expanding {
    struct mpg_lanes *l;
    const struct mpg_expanding *c;
    double *lambda, *tau, *ack; /* of the message at hand: 2 n + 1 each */
    double target_scale, source_scale; /* of all that messages cost */
};

static uint32_t all_lanes(const struct mpg_lanes *l)
{
    return 2 * l->n + 1;
}

static size_t stride_of(const struct mpg_lanes *l)
{
    return mpg_expand_stride(all_lanes(l), l->trail ? l->n : 0);
}

/* BASE_NS in all lanes, with what is DELTA in the first n; nothing is less than 0. */
static void put_together(const struct expanding *x, double base_ns, const double *delta,
                         double *value)
{
    const uint32_t n = x->l->n;
    const double traced_ns = x->source_scale * base_ns, scale = x->target_scale;
    for (uint32_t w = 0; w < n; w++) { /* no fmax(): the loop becomes vector code */
        const double ns = base_ns + delta[w];
        value[w] = scale * (ns > 0 ? ns : 0);
    }
    for (uint32_t w = n; w < 2 * n + 1; w++)
        value[w] = traced_ns;
}

/* What perturbs M. */
static const struct mpg_perturbation *way(const struct expanding *x, const struct mpg_message *m)
{
    return way_of(x->l, x->c->world_ranks[m->from], x->c->world_ranks[m->to]);
}

static double traced_flight(const struct expanding *x, const struct mpg_message *m, double bytes)
{
    return flight_ns(x->l, x->c->world_ranks[m->from], x->c->world_ranks[m->to], bytes);
}

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    struct expanding *x = data;
    struct mpg_lanes *l = x->l;
    struct mpg_sending s = sending_expanded(x->c, m);
    const double empty_ns = traced_flight(x, m, 0);
    zero(l->scratch, l->n);
    mpg_perturb_flight(way(x, m), &s, MPG_FLIGHT_LAMBDA, l->first, l->n, l->scratch);
    put_together(x, empty_ns, l->scratch, lambda_ns);
    zero(l->scratch, l->n);
    mpg_perturb_flight(way(x, m), &s, MPG_FLIGHT_TAU, l->first, l->n, l->scratch);
    put_together(x, fmax(traced_flight(x, m, m->bytes) - empty_ns, 0), l->scratch, tau_ns);
    memcpy(x->lambda, lambda_ns, all_lanes(l) * sizeof *lambda_ns);
    memcpy(x->tau, tau_ns, all_lanes(l) * sizeof *tau_ns);
}

static void overhead(const struct expanding *x, enum mpg_overhead which,
                     const struct mpg_message *m, double *overhead_ns)
{
    struct mpg_lanes *l = x->l;
    struct mpg_sending s = sending_expanded(x->c, m);
    const struct mpg_perturbation *p = way(x, m);
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

/* There, and an answer back. */
static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    struct expanding *x = data;
    struct mpg_lanes *l = x->l;
    struct mpg_sending s = sending_expanded(x->c, m);
    zero(l->scratch, l->n);
    mpg_perturb_ack(way(x, m), &s, l->first, l->n, l->scratch);
    put_together(x, traced_flight(x, m, 0), l->scratch, x->ack);
    for (uint32_t w = 0; w < all_lanes(l); w++)
        waiting_ns[w] = x->ack[w] + (x->lambda[w] + x->tau[w]);
    return true;
}

static double gap(void *data, const struct mpg_message *m)
{
    (void)data;
    (void)m;
    return 0;
}

/* kappa, in the first n lanes. */
static void call(void *data, int32_t index, uint32_t number, double *kappa_ns)
{
    const struct expanding *x = data;
    const struct mpg_origin *origin = &x->c->member[index].origin;
    struct mpg_lanes *l = x->l;
    zero(kappa_ns, all_lanes(l));
    mpg_perturb_round_call(l->p, origin->rank, origin->call, origin->index, number, l->first, l->n, kappa_ns);
}

/* The target's arithmetic in the first n lanes, in the others the source's, or the same where there is none. */
static void reduce(void *data, double bytes, double *reduce_ns)
{
    const struct expanding *x = data;
    const struct mpg_perturbation *p = x->l->p;
    const double target_ns = mpg_perturbation_reduction(p, false, bytes), source_ns = mpg_perturbation_reduction(p, true, bytes);
    for (uint32_t w = 0; w < all_lanes(x->l); w++)
        reduce_ns[w] = w < x->l->n ? x->target_scale * target_ns : x->source_scale * source_ns;
}

/* --- slots and times --- */

static void load(const struct mpg_lanes *l, uint32_t slot, double *time)
{
    double base_ns = l->slot_base[slot];
    const double *value = slot_value(l, slot), *bare = slot_bare(l, slot);
    for (uint32_t w = 0; w < l->n; w++) {
        time[w] = base_ns + value[w];
        time[l->n + w] = base_ns + bare[w];
    }
    time[2 * l->n] = base_ns;
}

static void store(struct mpg_lanes *l, uint32_t slot, const double *time)
{
    double base_ns = l->slot_base[slot] = time[2 * l->n];
    double *value = slot_value(l, slot), *bare = slot_bare(l, slot);
    for (uint32_t w = 0; w < l->n; w++) {
        value[w] = time[w] - base_ns;
        bare[w] = time[l->n + w] - base_ns;
    }
}

int mpg_lanes_join_expanded(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
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

/* Times of the slots that the evaluation of a tree's member is about: it, and one other member, and
 * the messages of both. */
struct window {
    struct expanding *x;
    struct times {
        double *time;
        uint32_t slot, number;
        bool used;
    } own, own_message, other, other_message;
    int32_t v;
};

static void write_back(const struct window *window, struct times *t)
{
    if (t->used)
        store(window->x->l, t->slot, t->time);
    t->used = false;
}

/* Where it is asked what values come from, all that was looked at is written; only the member itself goes on from there. */
static void write_all(void *data)
{
    struct window *window = data;
    struct mpg_lanes *l = window->x->l;
    struct times *const all[] = {&window->own, &window->own_message, &window->other, &window->other_message};
    uint32_t slot[4];
    for (int i = 0; i < 4; i++)
        slot[i] = all[i]->slot;
    for (int i = 0; i < 4; i++)
        if (all[i]->used)
            mpg_lanes_came(l, all[i]->slot, all[i]->time, slot);
    for (int i = 0; i < 4; i++) {
        const bool goes_on = i == 0 && all[i]->used;
        if (all[i]->used)
            mpg_lanes_came_end(l, all[i]->slot);
        write_back(window, all[i]);
        all[i]->used = goes_on;
        if (goes_on)
            mpg_lanes_came_begin(l, all[i]->time, 0);
    }
}

static double *look_at(const struct window *window, struct times *t, uint32_t slot)
{
    if (t->used && t->slot == slot)
        return t->time;
    write_back(window, t);
    load(window->x->l, slot, t->time);
    if (window->x->l->trail)
        mpg_lanes_came_begin(window->x->l, t->time, t->number);
    t->slot = slot;
    t->used = true;
    return t->time;
}

static double *value_of(void *data, int32_t v)
{
    struct window *window = data;
    uint32_t slot = member_of(window->x->c, v)->slot;
    return look_at(window, v == window->v ? &window->own : &window->other, slot);
}

static double *message_of(void *data, int32_t v)
{
    struct window *window = data;
    uint32_t slot = member_of(window->x->c, v)->message_slot;
    return look_at(window, v == window->v ? &window->own_message : &window->other_message, slot);
}

/* --- the step --- */

/* Vectors besides those of members: of the message at hand, and of those that are looked at. */
enum { AT_HAND = 3, ROOM = AT_HAND + 4 };

static int make_room(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                     struct mpg_error *err)
{
    uint32_t vectors = ROOM + (s->member < 0 ? (uint32_t)s->expanding->plan.size.p : 0);
    void *base = l->slot_base, *members = l->members;
    int status = mpg_reserve(&base, sizeof *l->slot_base, &l->base_capacity, slots, err);
    l->slot_base = base;
    if (status == 0)
        status = mpg_reserve(&members, stride_of(l) * sizeof *l->members,
                                     &l->members_capacity, vectors, err);
    l->members = members;
    if (status == 0 && !l->expansion)
        l->expansion = mpg_expansion_new(all_lanes(l), l->trail ? l->n : 0, err);
    return status < 0 || !l->expansion ? -1 : 0;
}

static int expand_all(struct mpg_lanes *l, const struct mpg_expanding *c,
                      const struct mpg_message_costs *costs, double *members, struct mpg_error *err)
{
    const size_t stride = stride_of(l);
    const int32_t p = c->plan.size.p;
    void *slots = l->member_slot;
    int status = l->trail ? mpg_reserve(&slots, sizeof *l->member_slot, &l->member_slots, (uint32_t)p, err) : 0;
    l->member_slot = slots;
    if (status < 0)
        return -1;
    for (int32_t i = 0; i < p; i++) {
        load(l, c->member[i].slot, members + (size_t)i * stride);
        if (!l->trail)
            continue;
        mpg_lanes_came_begin(l, members + (size_t)i * stride, (uint32_t)i);
        l->member_slot[i] = c->member[i].slot;
    }
    if (mpg_expand(l->expansion, &c->plan, costs, members, err) < 0)
        return -1;
    for (int32_t i = 0; i < p && l->trail; i++)
        mpg_lanes_came(l, c->member[i].slot, members + (size_t)i * stride, l->member_slot);
    for (int32_t i = 0; i < p && l->trail; i++)
        mpg_lanes_came_end(l, c->member[i].slot);
    for (int32_t i = 0; i < p; i++)
        store(l, c->member[i].slot, members + (size_t)i * stride);
    return 0;
}

int mpg_lanes_expand(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                     struct mpg_error *err)
{
    if (make_room(l, s, slots, err) < 0)
        return -1;
    const size_t n = stride_of(l);
    double *room = l->members;
    const enum mpg_operation operation = mpg_operation_of(s->call);
    const struct mpg_collective_size *size = &s->expanding->plan.size;
    struct expanding x = {l, s->expanding, room, room + n, room + 2 * n,
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
                                            .carried_bytes = x.c->carried_bytes,
                                            .elsewhere = x.c->elsewhere};
    if (s->member < 0)
        return expand_all(l, x.c, &costs, room + ROOM * n, err);
    struct window window = {.x = &x,
                            .v = s->member,
                            .own = {.time = room + AT_HAND * n, .number = 0},
                            .own_message = {.time = room + (AT_HAND + 1) * n, .number = 1},
                            .other = {.time = room + (AT_HAND + 2) * n, .number = 2},
                            .other_message = {.time = room + (AT_HAND + 3) * n, .number = 3}};
    const struct mpg_tree_values values = {&window, value_of, message_of, l->trail ? write_all : NULL};
    int status = mpg_expand_member(l->expansion, &x.c->plan, &costs, s->member, &values, err);
    if (l->trail)
        write_all(&window);
    write_back(&window, &window.own);
    write_back(&window, &window.own_message);
    write_back(&window, &window.other);
    write_back(&window, &window.other_message);
    return status;
}
