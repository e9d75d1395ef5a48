/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the provenance of the value at a call's leave, in each lane. */
#include <math.h>

#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/recorder.h"

/* Codes for the origin of a lane's value: the call alone; the call with costs that depend on a parameter; or an edge, with the
 * value of the edge's slot, the time of the match of sender and receiver, or a time added after the match. Candidates that are
 * received early count as edges after the edges of the step. */
enum { CODE_OWN, CODE_COSTS, CODE_EDGES, EDGE_PLAIN = 0, EDGE_MET, EDGE_MORE, EDGE_CODES };

/* Returns the number of A as an edge: edges of S come first, then candidates. */
static uint32_t number_of(const struct mpg_step *s, const struct mpg_arrival *a)
{
    if (!a->early)
        return (uint32_t)(a->edge - s->edges);
    uint32_t i = 0;
    while (s->alternatives->candidates[i].arrival != a->edge)
        i++;
    return s->edge_number + i;
}

static const struct mpg_edge *edge_of(const struct mpg_step *s, uint32_t code)
{
    const uint32_t i = (code - CODE_EDGES) / EDGE_CODES;
    return i < s->edge_number ? &s->edges[i] : s->alternatives->candidates[i - s->edge_number].arrival;
}

void mpg_record_times_received(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t k, uint32_t w)
{
    struct mpg_recorder *x = t->recorder;
    double latest_ns = -INFINITY, later_ns = 0;
    for (uint32_t i = k; i > 0; i--) {
        const struct mpg_arrival *a = &t->arrival[i - 1];
        if (a->time_ns + later_ns > latest_ns) {
            latest_ns = a->time_ns + later_ns;
            x->last[w] = number_of(s, a);
            x->last_ns[w] = a->time_ns;
        }
        later_ns += mpg_times_receive_ns(t, a->i, a->further)[w];
    }
    if (k > 0 && t->arrived[w] >= t->scratch[w] + t->kappa[w]) { /* no receive ends later than the last arrival */
        x->last[w] = number_of(s, &t->arrival[k - 1]);
        x->last_ns[w] = t->arrived[w];
    }
}

static enum mpg_value_part arrival_part(const struct mpg_step *s)
{
    return mpg_call_is_probe(s->call) ? MPG_VALUE_ENVELOPE : MPG_VALUE_TIME;
}

/* Finds the last arrival in each lane if no received message has a cost. */
void mpg_record_times_brought(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    struct mpg_recorder *x = t->recorder;
    for (uint32_t w = 0; w < t->n; w++)
        x->last_ns[w] = -INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL)
            continue;
        const double *at = slot_value(t, e->slot, arrival_part(s) == MPG_VALUE_ENVELOPE ? SLOT_ENVELOPE : SLOT_VALUE);
        for (uint32_t w = 0; w < t->n; w++) {
            x->last[w] = at[w] > x->last_ns[w] ? i : x->last[w];
            x->last_ns[w] = at[w] > x->last_ns[w] ? at[w] : x->last_ns[w];
        }
    }
}

/* Computes the latency and bytes of measured cost C of S: the time of the smallest size of a completing call is latency, the
 * time that depends on the size is bytes. */
static void find_measured(const struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_one_sided_cost *c)
{
    const struct mpg_perturbation *p = mpg_times_one_sided_costs(t, s, c);
    struct mpg_sent_message m = mpg_one_sided_message(s, c);
    struct mpg_recorder *x = t->recorder;
    mpg_time_overhead(p, c->which, &m, 1, t->first, t->n, x->bytes);
    m.bytes = 0;
    mpg_time_overhead(p, c->which, &m, -1, t->first, t->n, x->bytes);
    if (c->completes)
        mpg_time_overhead(p, c->which, &m, 1, t->first, t->n, x->latency);
    x->costs[MPG_CRITICAL_MESSAGES] += c->completes;
    x->costs[MPG_CRITICAL_SIZE] += c->bytes;
    x->has_terms = true;
}

/* Computes the costs of one-sided operations that add_one_sided() adds. Returns true if there are any. */
static bool find_one_sided(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    const struct mpg_sent_message m = {.rank = s->rank, .to = -1, .call = s->number, .bytes = s->round_trip_target_bytes};
    struct mpg_recorder *x = t->recorder;
    struct mpg_one_sided_cost cost[MPG_ONE_SIDED_COSTS];
    const uint32_t n = mpg_may_be_one_sided(s) ? mpg_one_sided_costs(s, cost) : 0;
    bool any = false, completed = !s->round_trip;
    for (uint32_t i = 0; i < n; i++) {
        if (!mpg_one_sided_known(mpg_times_one_sided_costs(t, s, &cost[i]), cost[i].which))
            continue;
        find_measured(t, s, &cost[i]);
        any = true;
        completed = completed || cost[i].completes;
    }
    if (completed)
        return any;
    mpg_time_flight(p, &m, t->first, t->n, x->latency, x->bytes);
    mpg_time_ack(p, &m, t->first, t->n, x->latency);
    x->costs[MPG_CRITICAL_MESSAGES] = 2;
    x->costs[MPG_CRITICAL_SIZE] = m.bytes;
    x->has_terms = true;
    return true;
}

void mpg_record_times_own(const struct mpg_evaluator *t, const struct mpg_step *s, double scaled_ns)
{
    const double *value = stream_value(t, s->stream, STREAM_VALUE);
    struct mpg_recorder *x = t->recorder;
    if (x->has_terms) {
        zero(x->latency, t->n);
        zero(x->bytes, t->n);
        zero(x->whole, t->n);
    }
    if (x->holds) {
        zero(x->messages, t->n);
        zero(x->size, t->n);
    }
    x->has_terms = x->holds = false;
    memset(x->costs, 0, sizeof x->costs);
    x->costs[MPG_CRITICAL_SCALED] = scaled_ns;
    const bool moves = find_one_sided(t, s), costs = scaled_ns != 0 || moves;
    for (uint32_t w = 0; w < t->n; w++) {
        const bool took = t->best[w] != value[w];
        x->from_ns[w] = value[w];
        x->code[w] = costs && took && !(scaled_ns != 0 && t->receives[w]) ? CODE_COSTS : CODE_OWN;
        if (moves && !took)
            x->latency[w] = x->bytes[w] = 0;
    }
}

void mpg_record_times_before(const struct mpg_evaluator *t)
{
    memcpy(t->recorder->before, t->best, t->n * sizeof *t->best);
}

/* Stores that the value of lane W comes from another node, at AT_NS. */
static void note_origin(struct mpg_recorder *x, uint32_t w, uint32_t code, double at_ns)
{
    x->code[w] = code;
    x->from_ns[w] = at_ns;
    x->latency[w] = x->bytes[w] = x->whole[w] = x->messages[w] = x->size[w] = 0;
}

/* Splits TOOK_NS, the time in lane W of the synchronous send E to a waiting receiver, into latency and bytes by SHARE: this
 * time changes with the one-way times of messages. */
static void split_held(struct mpg_recorder *x, const struct mpg_edge *e, const struct mpg_held_share *share, uint32_t w,
                       double took_ns)
{
    x->latency[w] = share->latency * took_ns;
    x->bytes[w] = took_ns - x->latency[w];
    x->messages[w] = share->per_ns * took_ns;
    x->size[w] = share->per_ns * took_ns * e->bytes;
    x->holds = true;
}

void mpg_record_times_message(const struct mpg_evaluator *t)
{
    struct mpg_recorder *x = t->recorder;
    for (uint32_t w = 0; w < t->n; w++)
        if (t->best[w] > x->before[w])
            note_origin(x, w, CODE_EDGES + EDGE_CODES * x->last[w] + EDGE_PLAIN, x->last_ns[w]);
}

/* --- waits of calls --- */

/* Stores that the completion of the synchronous send of E ends the call. */
static void come_from_ack(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e, uint32_t code)
{
    struct mpg_recorder *x = t->recorder;
    const double *done = mpg_times_sender_done(t, s, e), *met = slot_value(t, e->slot, SLOT_MEET);
    const double *begin = slot_value(t, e->slot, SLOT_BEGIN), *arrived = slot_value(t, e->slot, SLOT_VALUE);
    const bool is_answered = mpg_times_is_answered(t);
    const bool is_large = e->bytes > (double)t->options.eager_limit_bytes, is_plain = done != t->scratch;
    const struct mpg_held_share share =
        is_large && !is_plain ? mpg_time_held_share(mpg_times_path_costs(t, s, e), e->bytes) : (struct mpg_held_share){0, 0};
    x->has_terms = x->has_terms || !is_plain;
    for (uint32_t w = 0; w < t->n; w++) {
        if (!(t->best[w] > x->before[w]))
            continue;
        if (is_plain)
            note_origin(x, w, code + EDGE_PLAIN, done[w]);
        else if (is_answered) {
            note_origin(x, w, code + EDGE_PLAIN, arrived[w]);
            x->latency[w] = done[w] - arrived[w];
        } else if (is_large && done[w] > met[w]) {
            note_origin(x, w, code + EDGE_MORE, begin[w]);
            split_held(x, e, &share, w, done[w] - begin[w]);
        } else {
            note_origin(x, w, code + EDGE_MET, met[w]);
            x->latency[w] = done[w] - met[w];
        }
    }
}

static void come_from_root(const struct mpg_evaluator *t, const struct mpg_edge *e, uint32_t code)
{
    struct mpg_recorder *x = t->recorder;
    const double *at = slot_value(t, e->slot, SLOT_VALUE);
    double *took = x->last_ns, unused[MPG_ATTRIBUTION_TERMS];
    for (uint32_t w = 0; w < t->n; w++) {
        const bool comes = t->best[w] > x->before[w], more = comes && t->best[w] > at[w];
        took[w] = more ? fmax(t->scratch[w] - at[w], 0) : 0; /* the added time */
        if (comes)
            note_origin(x, w, code + (took[w] > 0 ? EDGE_MORE : EDGE_PLAIN), at[w]);
    }
    mpg_record_times_collective(t, e->call, &e->origin, e->rounds, e->bytes, e->members, e->contributed_bytes, took, unused);
}

void mpg_record_times_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    struct mpg_recorder *x = t->recorder;
    const uint32_t code = CODE_EDGES + EDGE_CODES * (uint32_t)(e - s->edges);
    const double *at = slot_value(t, e->slot, e->kind == MPG_EDGE_ENVELOPE ? SLOT_ENVELOPE : SLOT_VALUE);
    bool any = false;
    for (uint32_t w = 0; w < t->n; w++)
        any = any || t->best[w] > x->before[w];
    if (!any)
        return;
    if (e->kind == MPG_EDGE_ACK)
        come_from_ack(t, s, e, code);
    else if (e->kind == MPG_EDGE_ROOT)
        come_from_root(t, e, code);
    else
        for (uint32_t w = 0; w < t->n; w++)
            if (t->best[w] > x->before[w])
                note_origin(x, w, code + EDGE_PLAIN, at[w]);
}

/* Returns the value from which the leave comes in lanes with CODE, a code of an edge, and sets TERM. */
static struct mpg_value describe(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t code, double *term)
{
    const struct mpg_edge *e = edge_of(s, code);
    const uint32_t kind = (code - CODE_EDGES) % EDGE_CODES;
    memset(term, 0, MPG_ATTRIBUTION_TERMS * sizeof *term);
    if (e->kind == MPG_EDGE_ARRIVAL)
        return mpg_value_slot(e->slot, arrival_part(s));
    if (e->kind == MPG_EDGE_ENVELOPE)
        return mpg_value_slot(e->slot, MPG_VALUE_ENVELOPE);
    if (e->kind == MPG_EDGE_ACK && kind == EDGE_MET) {
        term[MPG_CRITICAL_MESSAGES] = !(e->bytes > (double)t->options.eager_limit_bytes);
        return mpg_value_slot(e->slot, MPG_VALUE_MEET);
    }
    if (e->kind == MPG_EDGE_ACK && kind == EDGE_PLAIN)
        term[MPG_CRITICAL_MESSAGES] = mpg_times_is_answered(t);
    if (e->kind == MPG_EDGE_ACK && kind == EDGE_MORE)
        return mpg_value_slot(e->slot, MPG_VALUE_BEGIN);
    if (e->kind == MPG_EDGE_ROOT && kind == EDGE_MORE) {
        term[MPG_CRITICAL_MESSAGES] = e->rounds;
        term[MPG_CRITICAL_SIZE] = e->bytes;
    }
    return mpg_value_slot(e->slot, MPG_VALUE_TIME);
}

/* Records, in lanes that do not make the call, that the value does not change. */
static void stay(const struct mpg_evaluator *t)
{
    struct mpg_recorder *x = t->recorder;
    for (uint32_t w = 0; w < t->n; w++)
        if (t->choice->skips[w])
            note_origin(x, w, CODE_OWN, t->best[w]);
}

int mpg_record_times_leave(const struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_recorder *x = t->recorder;
    const uint32_t candidates = t->choice && t->choice->early ? s->alternatives->candidate_number : 0;
    const uint32_t codes = CODE_EDGES + EDGE_CODES * (s->edge_number + candidates);
    if (t->choice)
        stay(t);
    if (mpg_reserve_at(&x->used, sizeof *x->used, &x->used_capacity, codes, err) < 0)
        return -1;
    memset(x->used, 0, codes * sizeof *x->used);
    for (uint32_t w = 0; w < t->n; w++)
        x->used[x->code[w]] = true;
    mpg_provenance_add(x->provenance, mpg_value_stream(s->stream), x->tally->at[s->stream]);
    mpg_provenance_from(x->provenance, mpg_value_stream(s->stream), NULL, NOWHERE);
    if (x->used[CODE_COSTS] &&
        mpg_recorder_add_lanes(t, NULL, s, NULL, CODE_COSTS, mpg_value_stream(s->stream), x->costs, err) < 0)
        return -1;
    for (uint32_t c = CODE_EDGES; c < codes; c++) {
        double term[MPG_ATTRIBUTION_TERMS];
        if (!x->used[c])
            continue;
        const struct mpg_value from = describe(t, s, c, term);
        if (mpg_recorder_add_lanes(t, t->choice, s, edge_of(s, c), c, from, term, err) < 0)
            return -1;
    }
    double *call = x->before;
    for (uint32_t w = 0; w < t->n; w++)
        call[w] = t->best[w] - x->from_ns[w];
    if (x->has_terms)
        for (uint32_t w = 0; w < t->n; w++)
            call[w] -= x->latency[w] + x->bytes[w] + x->whole[w];
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_CALL, call);
    if (x->has_terms) { /* terms in ascending order, as mpg_provenance_add_term() requires */
        mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, x->latency);
        if (x->holds)
            mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_MESSAGES, x->messages);
        mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_BYTES, x->bytes);
        if (x->holds)
            mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_SIZE, x->size);
        mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_WHOLE, x->whole);
    }
    return 0;
}
