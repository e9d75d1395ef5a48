/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaving a call: its edges, their slack, what it adds itself, and the account of it
 * (docs/MODEL.md, sections 4 and 8). */
#include <math.h>
#include <stdlib.h>

#include "simulate/engine/lanes_private.h"

struct mpg_lanes_edge {
    double slack_ns, arrival_ns;
    uint32_t i;
};

static bool is_probe(const struct mpg_step *s)
{
    return mpg_call_kind(s->call) == MPG_KIND_PROBE || mpg_call_kind(s->call) == MPG_KIND_MPROBE;
}

/* Whether a send that the traced machine made wait goes at once on the target. */
static bool is_released(const struct mpg_sent *sent)
{
    return sent->blocking && sent->sync_source && !sent->sync_target;
}

static bool releases(const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->sent_number; i++)
        if (is_released(&s->sent[i]))
            return true;
    return false;
}

/* ---- slack ---- */

/* How long before the call's leave the edge's other end was, beyond its floor. */
static double edge_slack(const struct mpg_lanes *l, const struct mpg_step *s,
                         const struct mpg_edge *e)
{
    double floor_ns = 0;
    if (l->absorb != MPG_ABSORB_CLOCK)
        return 0;
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL: /* t(A) = when it can have started + l(d) */
        floor_ns = flight_ns(l, e->source, s->rank, e->bytes);
        break;
    case MPG_EDGE_ENVELOPE:
        floor_ns = flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_ACK:
        if (e->changed)
            return 0;
        floor_ns = flight_ns(l, s->rank, e->source, e->bytes) +
                   flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_MEETING:
        return 0;
    case MPG_EDGE_MET:
    case MPG_EDGE_ROOT:
        if (e->rounds)
            floor_ns = e->rounds * flight_ns(l, e->source, s->rank, e->bytes / e->rounds);
        break;
    case MPG_EDGE_MEMBER:
        floor_ns = flight_ns(l, e->source, s->rank, e->bytes);
        break;
    }
    return fmax(0, s->leave_ns - e->from_ns - floor_ns);
}

static double local_slack(const struct mpg_lanes *l, const struct mpg_step *s)
{
    if (l->absorb == MPG_ABSORB_NONE)
        return 0;
    if (releases(s))
        return (double)s->duration_ns;
    return fmax(0, (double)s->duration_ns - mpg_floor_call(l->floors, s->call, s->bytes));
}

static int find_slacks(struct mpg_lanes *l, const struct mpg_step *s, double *local,
                       struct mpg_error *err)
{
    if (s->edge_number > l->edge_capacity) {
        uint32_t capacity = 2 * s->edge_number;
        void *grown = realloc(l->edge, capacity * sizeof *l->edge);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->edge = grown;
        l->edge_capacity = capacity;
    }
    *local = local_slack(l, s);
    double least = *local;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        l->edge[i] = (struct mpg_lanes_edge){.slack_ns = edge_slack(l, s, &s->edges[i]), .i = i};
        least = fmin(least, l->edge[i].slack_ns);
    }
    if (s->changed) /* what it took on the traced machine does not bind it */
        return 0;
    *local -= least;
    for (uint32_t i = 0; i < s->edge_number; i++)
        l->edge[i].slack_ns -= least;
    return 0;
}

/* ---- messages that arrive after each other ---- */

/* Whether arrivals in S are completed one after the other, at a cost. */
static bool takes_turns(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return s->edge_number > 1 && l->p->overhead[MPG_OVERHEAD_RECEIVE].target && !is_probe(s);
}

static int compare_edges(const void *a, const void *b)
{
    const struct mpg_lanes_edge *x = a, *y = b;
    if (x->arrival_ns != y->arrival_ns)
        return x->arrival_ns < y->arrival_ns ? 1 : -1;
    return x->i < y->i ? 1 : -1;
}

/* The latest first; without clocks that are comparable, the last of the call. */
static void sort_edges(struct mpg_lanes *l, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        l->edge[i].arrival_ns =
            l->comparable && e->kind == MPG_EDGE_ARRIVAL
                ? e->from_ns + flight_ns(l, e->source, s->rank, e->bytes)
                : 0;
    }
    qsort(l->edge, s->edge_number, sizeof *l->edge, compare_edges);
}

/* ---- edges ---- */

/* Whether the call's own kappa is part of an edge of KIND. */
static bool has_kappa(enum mpg_edge_kind kind)
{
    return kind != MPG_EDGE_MEETING && kind != MPG_EDGE_MEMBER && kind != MPG_EDGE_ACK;
}

/* Where the slot's value, a delay of the start on the target, becomes one of the node on the
 * traced machine. */
static double changed_shift(const struct mpg_lanes *l, const struct mpg_step *s,
                            const struct mpg_edge *e)
{
    if (!e->changed)
        return 0;
    if (e->kind == MPG_EDGE_ACK)
        return e->base_ns - s->leave_ns;
    return e->base_ns - e->from_ns - flight_ns(l, e->source, s->rank, e->bytes);
}

/* Adds what an edge of kind ACK has. */
static void add_ack(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_edge *e,
                    double *value)
{
    struct mpg_sending m = sending_of(&e->origin, e->bytes);
    if (e->changed)
        mpg_add_target_ack(l->p, &m, flight_ns(l, s->rank, e->source, 0), l->first, l->n, value);
    else
        mpg_perturb_ack(l->p, &m, l->first, l->n, value);
}

/* The edge's value with its delta but for kappa, into VALUE; returns where it is. */
static const double *edge_value(struct mpg_lanes *l, const struct mpg_step *s,
                                const struct mpg_edge *e, double *value)
{
    bool is_envelope = e->kind == MPG_EDGE_ENVELOPE;
    const double *slot = is_envelope ? slot_bare(l, e->slot) : slot_value(l, e->slot);
    struct mpg_sending m = sending_of(&e->origin, e->bytes);
    double shift = is_envelope ? 0 : changed_shift(l, s, e);
    if (e->kind == MPG_EDGE_MEETING || e->kind == MPG_EDGE_MEMBER)
        return slot;
    for (uint32_t w = 0; w < l->n; w++)
        value[w] = slot[w] + shift;
    switch (e->kind) {
    case MPG_EDGE_ACK:
        add_ack(l, s, e, value);
        break;
    case MPG_EDGE_ENVELOPE:
        mpg_perturb_flight(l->p, &m, MPG_FLIGHT_LAMBDA, l->first, l->n, value);
        break;
    case MPG_EDGE_ROOT:
        mpg_lanes_add_collective(l, e->call, &e->origin, e->rounds, e->bytes, &e->meeting,
                                 e->members, e->contributed_bytes, value);
        break;
    default:
        break;
    }
    return value;
}

/* No message arrives before it can have left: through its edge the call ends no earlier than
 * so long after it might have arrived with nothing put in (negative: before). INFINITY: other
 * edges. */
static double causal_gap(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_edge *e,
                         double slack_ns)
{
    if (e->changed || (e->kind != MPG_EDGE_ARRIVAL && e->kind != MPG_EDGE_ACK))
        return INFINITY;
    int32_t from = e->kind == MPG_EDGE_ACK ? s->rank : e->source;
    int32_t to = e->kind == MPG_EDGE_ACK ? e->source : s->rank;
    double flight = flight_ns(l, from, to, e->bytes);
    if (l->comparable)
        flight = fmax(flight, s->leave_ns - e->from_ns);
    return flight - slack_ns;
}

/* Notes for the account an edge whose value is VALUE: what was put into it, once, and
 * how late it is without that. The draw of an envelope is its message's, and counts where
 * that is received. */
static void note_edge(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_edge *e,
                      double gap_ns, const double *value)
{
    bool is_ack = e->kind == MPG_EDGE_ACK, is_arrival = e->kind == MPG_EDGE_ARRIVAL;
    bool counts_later = e->kind == MPG_EDGE_ENVELOPE || (is_arrival && l->slot_met[e->slot]);
    const double *bare = slot_bare(l, e->slot), *arrival = slot_value(l, e->slot);
    double put_ns = 0;
    for (uint32_t w = 0; w < l->n; w++) {
        double without = bare[w] + (has_kappa(e->kind) ? l->kappa[w] : 0);
        if (counts_later)
            without = value[w];
        else if (is_ack && !e->changed)
            without = fmax(arrival[w], bare[w] - gap_ns);
        l->all[w] = value[w] > l->all[w] ? value[w] : l->all[w];
        l->others[w] = without > l->others[w] ? without : l->others[w];
        l->put[w] += value[w] - without;
        put_ns += value[w] - without;
    }
    struct mpg_lanes_account *a = &l->account[s->rank];
    if (is_arrival || is_ack)
        a->message_ns += put_ns;
    else
        a->collective_ns += put_ns;
    if (is_arrival && is_probe(s)) /* it is received later, with nothing new */
        l->slot_met[e->slot] = true;
}

/* Takes one edge of the call into OUT. LATER: what receives completed after it cost. */
static void take_edge(struct mpg_lanes *l, const struct mpg_step *s,
                      const struct mpg_lanes_edge *edge, const double *later, double *out)
{
    const struct mpg_edge *e = &s->edges[edge->i];
    const double *value = edge_value(l, s, e, l->scratch), *bare = slot_bare(l, e->slot);
    double gap_ns = causal_gap(l, s, e, edge->slack_ns);
    bool has_later = later && e->kind == MPG_EDGE_ARRIVAL;
    for (uint32_t w = 0; w < l->n && value == l->scratch; w++) {
        double v = l->scratch[w] + (has_later ? later[w] : 0);
        v = v > bare[w] - gap_ns ? v : bare[w] - gap_ns;
        l->scratch[w] = v + (has_kappa(e->kind) ? l->kappa[w] : 0);
    }
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = value[w] - edge->slack_ns > out[w] ? value[w] - edge->slack_ns : out[w];
    note_edge(l, s, e, gap_ns, value);
}

static void take_edges(struct mpg_lanes *l, const struct mpg_step *s, double *out)
{
    bool turns = takes_turns(l, s);
    if (turns)
        sort_edges(l, s);
    zero(l->later, turns ? l->n : 0);
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[l->edge[i].i];
        take_edge(l, s, &l->edge[i], turns ? l->later : NULL, out);
        if (turns && e->kind == MPG_EDGE_ARRIVAL) {
            struct mpg_sending m = sending_of(&e->origin, e->bytes);
            mpg_perturb_overhead(l->p, MPG_OVERHEAD_RECEIVE, &m, l->first, l->n, l->later);
        }
    }
}

/* ---- the call itself ---- */

/* Whether the call is kept by sending SENT, as overheads know it. */
static bool costs_sender(const struct mpg_lanes *l, const struct mpg_sent *sent)
{
    const struct mpg_overhead_sizes *o = &l->p->overhead[MPG_OVERHEAD_SEND];
    if (!o->target || is_released(sent))
        return o->target != NULL;
    return !((sent->blocking || o->in_send) && (sent->sync_source || sent->sync_target));
}

/* Adds o_s or o_r of a message: on the TARGET, or what it is more there. */
static void add_overhead(struct mpg_lanes *l, enum mpg_overhead which,
                         const struct mpg_origin *origin, double bytes, bool target, double *value)
{
    struct mpg_sending m = sending_of(origin, bytes);
    if (target)
        mpg_add_target_overhead(l->p, which, &m, l->first, l->n, value);
    else
        mpg_perturb_overhead(l->p, which, &m, l->first, l->n, value);
}

/* What the messages that the call sends and receives cost it. Without a source's, its own
 * floor stands for theirs. */
static void add_overheads(struct mpg_lanes *l, const struct mpg_step *s, double *value)
{
    bool released = releases(s), target = released || !l->p->source, any = false;
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sent *sent = &s->sent[i];
        if (!costs_sender(l, sent))
            continue;
        add_overhead(l, MPG_OVERHEAD_SEND, &sent->origin, sent->bytes, target, value);
        any = true;
    }
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL || is_probe(s) ||
            !l->p->overhead[MPG_OVERHEAD_RECEIVE].target)
            continue;
        add_overhead(l, MPG_OVERHEAD_RECEIVE, &e->origin, e->bytes, target, value);
        any = true;
    }
    if (!any || released || l->p->source || !l->floors)
        return;
    double floor_ns = mpg_floor_call(l->floors, s->call, s->bytes);
    for (uint32_t w = 0; w < l->n; w++)
        value[w] -= floor_ns;
}

/* What the one-sided transfers that the call waits for add to it. */
static void add_round_trip(struct mpg_lanes *l, const struct mpg_step *s, double *value)
{
    struct mpg_sending m = {.rank = s->rank, .call = s->number, .bytes = s->round_trip_bytes};
    double before = sum_of(value, l->n);
    mpg_perturb_flight(l->p, &m, MPG_FLIGHT_WHOLE, l->first, l->n, value);
    double added_ns = sum_of(value, l->n) - before;
    l->account[s->rank].message_ns += added_ns;
    l->account[s->rank].call_ns -= added_ns; /* begin_leaving() puts all of it there */
}

/* Kappa and what else the call itself adds, and where its rank would be with that alone:
 * no call ends before it began. */
static void begin_leaving(struct mpg_lanes *l, const struct mpg_step *s, bool meeting)
{
    const double *value = stream_value(l, s->stream);
    double least = -(double)s->duration_ns, put_ns = 0;
    zero(l->kappa, l->n);
    zero(l->put, l->n);
    if (!meeting)
        mpg_perturb_call(l->p, s->rank, s->number, l->first, l->n, l->kappa);
    if (s->round_trip)
        add_round_trip(l, s, l->kappa);
    memcpy(l->local, l->kappa, l->n * sizeof *l->local);
    if (!meeting)
        add_overheads(l, s, l->local);
    for (uint32_t w = 0; w < l->n; w++) {
        double own = value[w] + (l->local[w] > least ? l->local[w] : least);
        l->own[w] = l->all[w] = l->others[w] = own;
        put_ns += own - value[w];
    }
    l->account[s->rank].call_ns += put_ns;
}

/* The rank's value on leaving its call, from OUT, what its edges give, with slack. */
static void leave_with(struct mpg_lanes *l, const struct mpg_step *s, const double *out)
{
    struct mpg_lanes_account *a = &l->account[s->rank];
    double *value = stream_value(l, s->stream);
    double least = -(double)s->duration_ns;
    for (uint32_t w = 0; w < l->n; w++) {
        double result = out[w] > value[w] + least ? out[w] : value[w] + least;
        double hidden = l->put[w] - (l->all[w] - l->others[w]);
        a->taken_ns += l->others[w] - l->own[w] + (hidden < 0 ? -hidden : 0);
        a->hidden_ns += hidden > 0 ? hidden : 0;
        a->waited_ns += l->all[w] - result;
        value[w] = result;
    }
}

int mpg_lanes_leave(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    double *value = stream_value(l, s->stream), *out = l->result, local = 0;
    bool meeting = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    if (find_slacks(l, s, &local, err) < 0)
        return -1;
    begin_leaving(l, s, meeting);
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = meeting ? -INFINITY : value[w] + l->local[w] - local;
    take_edges(l, s, out);
    leave_with(l, s, out);
    return 0;
}
