/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the provenance of the value at a call's leave, in each lane. */
#include <math.h>

#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/recorder.h"

/* Codes for the origin of a value: the call's own edge; the begin of the call; a call that is not made; the interval before a
 * call that is not made; the value of an edge's slot; the slot's value without the injected part, if the earliest departure
 * limits the message. */
enum { CODE_OWN, CODE_CLAMP, CODE_VANISHED, CODE_SKIPPED, CODE_EDGES, EDGE_VALUE = 0, EDGE_PROPAGATED, EDGE_CODES };

static const struct mpg_edge *edge_of(const struct mpg_step *s, uint32_t code)
{
    return &s->edges[(code - CODE_EDGES) / EDGE_CODES];
}

void mpg_record_delays_leaving(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    memcpy(x->began, stream_delay(l, s->stream), l->n * sizeof *x->began);
    memcpy(x->from_ns, x->began, l->n * sizeof *x->began);
    zero(x->put, l->n);
    memset(x->code, 0, l->n * sizeof *x->code);
    x->slack_ns = 0;
    x->puts = x->skips = false;
}

/* Records the most frequent case: a call whose only edge is the arrival of a message. */
int mpg_record_delays_receive(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *edge,
                              double local_ns, struct mpg_error *err)
{
    struct mpg_recorder *x = l->recorder;
    const struct mpg_edge *e = &s->edges[0];
    const struct mpg_value stream = mpg_value_stream(s->stream), slot = mpg_value_slot(e->slot, MPG_VALUE_TIME);
    const double own[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_ABSORBED] = -local_ns};
    const double came[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_ABSORBED] = -edge->slack_ns};
    uint32_t between = NOWHERE;
    if (mpg_delays_moves(l, s) || e->kind != MPG_EDGE_ARRIVAL || edge->shift_ns != 0 ||
        !l->code->origin(l->n, l->local, local_ns, (double)s->duration_ns, edge, stream_delay(l, s->stream), x->lane_mask,
                         x->other))
        return 0;
    if (l->tally->pairs && mpg_tally_edge(l->tally, s, e, &between, err) < 0)
        return -1;
    x->is_recorded = true;
    const bool all = mpg_provenance_all(x->lane_mask, l->n);
    mpg_provenance_add(x->provenance, stream, l->tally->at[s->stream]);
    mpg_provenance_from(x->provenance, all ? slot : stream, all ? came : own, all ? between : NOWHERE);
    if (!all && mpg_provenance_any(x->lane_mask, l->n))
        mpg_provenance_add_from(x->provenance, slot, came, between, x->lane_mask);
    if (l->charges)
        mpg_provenance_add_term(x->provenance, MPG_CRITICAL_CALL, x->other);
    return 0;
}

void mpg_record_delays_own(struct mpg_evaluator *l, double slack_ns)
{
    l->recorder->slack_ns = slack_ns;
}

void mpg_record_delays_before(struct mpg_evaluator *l, const double *out)
{
    memcpy(l->recorder->before, out, l->n * sizeof *out);
}

/* Returns the noise of the sending call that is part of the time at which a probe sees the message of E; zeros: none. */
static const double *find_posting(struct mpg_evaluator *l, const struct mpg_edge *e)
{
    double *posting = l->recorder->other;
    if (l->p->call_edges != MPG_CALL_EDGES_PAPER || e->kind != MPG_EDGE_ENVELOPE)
        return l->zeros;
    zero(posting, l->n);
    add_posting(l, e->requested, e->origin.rank, e->origin.call, posting);
    return posting;
}

void mpg_record_delays_edge(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_edge *edge,
                          const struct mpg_lane_edge *e, const double *out)
{
    struct mpg_recorder *x = l->recorder;
    const struct mpg_edge *of = &s->edges[edge->i];
    const uint32_t code = CODE_EDGES + EDGE_CODES * edge->i;
    const double *at = of->kind == MPG_EDGE_ENVELOPE ? slot_propagated(l, of->slot) : slot_delay(l, of->slot);
    const double *posting = find_posting(l, of);
    for (uint32_t w = 0; w < l->n; w++) {
        const double clamp = e->ready || !x->clamps ? -INFINITY : e->left[w] - e->gap_ns;
        const double came = e->value[w] + e->shift_ns;
        if (!(out[w] > x->before[w]))
            continue;
        const bool is_propagated = clamp > came + e->behind[w];
        x->code[w] = code + (is_propagated ? EDGE_PROPAGATED : EDGE_VALUE);
        x->from_ns[w] = is_propagated ? e->propagated[w] : at[w];
        x->put[w] = is_propagated ? clamp - e->slack_ns - e->propagated[w] : came - at[w] - posting[w];
        x->puts = x->puts || x->put[w] != 0;
    }
}

void mpg_record_delays_clamp(struct mpg_evaluator *l, const struct mpg_step *s, const double *out)
{
    struct mpg_recorder *x = l->recorder;
    for (uint32_t w = 0; w < l->n; w++)
        if (x->began[w] - (double)s->duration_ns > out[w]) {
            x->code[w] = CODE_CLAMP;
            x->from_ns[w] = x->began[w];
            x->put[w] = 0;
        }
}

void mpg_record_delays_vanished(struct mpg_evaluator *l, const struct mpg_step *s, const double *gone)
{
    struct mpg_recorder *x = l->recorder;
    for (uint32_t w = 0; w < l->n; w++) {
        if (!l->choice->skips[w])
            continue;
        x->skips = true;
        x->code[w] = gone[w] < x->began[w] - (double)s->duration_ns ? CODE_SKIPPED : CODE_VANISHED;
        x->put[w] = 0;
    }
}

/* Returns true if the value with CODE includes the injected costs of one-sided transfers, which are part of the call's kappa. */
static bool has_trip(const struct mpg_evaluator *l, const struct mpg_step *s, uint32_t code)
{
    if (!mpg_delays_moves(l, s) || (code > CODE_OWN && code < CODE_EDGES))
        return false;
    if (code == CODE_OWN)
        return true;
    switch (edge_of(s, code)->kind) {
    case MPG_EDGE_ARRIVAL:
    case MPG_EDGE_ENVELOPE:
    case MPG_EDGE_ROOT:
    case MPG_EDGE_MET:
        return true;
    default:
        return edge_of(s, code)->expanded;
    }
}

/* Computes the terms that are equal in all lanes with CODE. */
static void describe(const struct mpg_evaluator *l, const struct mpg_step *s, uint32_t code, double *term)
{
    const struct mpg_edge *e = code >= CODE_EDGES ? edge_of(s, code) : NULL;
    memset(term, 0, MPG_ATTRIBUTION_TERMS * sizeof *term);
    if (code == CODE_OWN)
        term[MPG_CRITICAL_ABSORBED] = -l->recorder->slack_ns;
    else if (code == CODE_CLAMP)
        term[MPG_CRITICAL_CALL] = -(double)s->duration_ns;
    else if (code == CODE_VANISHED)
        term[MPG_CRITICAL_ABSORBED] = -(double)s->duration_ns;
    else if (code == CODE_SKIPPED) { /* also removes the interval's noise (add_skipped()) */
        const struct mpg_delay_interval *interval = &l->recorder->interval[s->stream];
        term[MPG_CRITICAL_COMPUTATION] = -interval->more_ns;
        term[MPG_CRITICAL_SCALED] = -interval->length_ns;
        term[MPG_CRITICAL_TRACER] = interval->tracer_ns;
        term[MPG_CRITICAL_ABSORBED] = -(double)s->duration_ns - l->interval_ns[s->stream];
    }
    else if ((code - CODE_EDGES) % EDGE_CODES == EDGE_VALUE) {
        for (uint32_t i = 0; i < s->edge_number; i++)
            if (&s->edges[l->edge[i].i] == e)
                term[MPG_CRITICAL_ABSORBED] = -l->edge[i].slack_ns;
        const bool is_root = e->kind == MPG_EDGE_ROOT;
        term[MPG_CRITICAL_SIZE] = is_root ? e->target_bytes : 0;
        term[MPG_CRITICAL_MESSAGES] = is_root ? e->rounds
                                           : e->kind == MPG_EDGE_ACK || e->kind == MPG_EDGE_ENVELOPE;
    }
    if (s->round_trip && has_trip(l, s, code)) {
        term[MPG_CRITICAL_MESSAGES] += 1;
        term[MPG_CRITICAL_SIZE] += s->round_trip_target_bytes;
    }
}

static struct mpg_value source_of(const struct mpg_step *s, uint32_t code)
{
    const bool is_propagated = code >= CODE_EDGES && ((code - CODE_EDGES) % EDGE_CODES == EDGE_PROPAGATED ||
                                                edge_of(s, code)->kind == MPG_EDGE_ENVELOPE);
    return code < CODE_EDGES ? mpg_value_stream(s->stream)
                             : mpg_value_slot(edge_of(s, code)->slot, is_propagated ? MPG_VALUE_PROPAGATED : MPG_VALUE_TIME);
}

/* Removes the noise of the interval before a call that is not made. */
static void add_skipped(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    const struct mpg_delay_interval *interval = &x->interval[s->stream];
    const double *before = l->before + (size_t)s->stream * l->n;
    for (uint32_t w = 0; w < l->n; w++) {
        const double put_ns = x->began[w] - before[w];
        x->part[w] = x->code[w] == CODE_SKIPPED ? interval->more_ns - interval->tracer_ns - put_ns : 0;
    }
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_NOISE, x->part);
}

/* Adds the origin CODE to the record of S, in the lanes with CODE. */
static int add_code(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t code, struct mpg_error *err)
{
    struct mpg_recorder *x = l->recorder;
    double term[MPG_ATTRIBUTION_TERMS];
    describe(l, s, code, term);
    x->known[code] = mpg_critical_ns(term);
    return mpg_recorder_add_lanes(l, l->choice, s, code >= CODE_EDGES ? edge_of(s, code) : NULL, code, source_of(s, code), term,
                                  err);
}

/* Adds the delay injected into messages, or into collectives, in each lane. */
static void add_injected(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    double *whole = x->other;
    for (uint32_t w = 0; w < l->n; w++) {
        const bool is_root = x->code[w] >= CODE_EDGES && edge_of(s, x->code[w])->kind == MPG_EDGE_ROOT;
        whole[w] = is_root ? x->put[w] : 0;
        x->put[w] = is_root ? 0 : x->put[w];
    }
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_LATENCY, x->put);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_WHOLE, whole);
}

static bool is_gone(uint32_t code)
{
    return code == CODE_VANISHED || code == CODE_SKIPPED;
}

/* Records the own costs of the call; adds the costs of one-sided transfers to `put`. */
static void find_calls(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    const double *value = stream_delay(l, s->stream);
    double *calls = x->before;
    for (uint32_t w = 0; w < l->n && mpg_delays_moves(l, s); w++)
        x->put[w] += has_trip(l, s, x->code[w]) ? x->trip[w] : 0;
    for (uint32_t w = 0; w < l->n; w++)
        calls[w] = is_gone(x->code[w]) ? 0 : value[w] - x->from_ns[w] - x->known[x->code[w]] - x->put[w];
    if (l->charges || s->dropped || mpg_delays_moves(l, s) || mpg_delays_shortens(l, s)) /* the rest is rounding errors */
        mpg_provenance_add_term(x->provenance, MPG_CRITICAL_CALL, calls);
}

/* Adds the cost of a call that does not wait: the only term in the account of the call's step. */
static void add_alone(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_provenance *provenance = l->recorder->provenance;
    if (!l->charges && !mpg_delays_shortens(l, s)) /* the value does not change */
        return;
    mpg_provenance_add(provenance, mpg_value_stream(s->stream), l->tally->at[s->stream]);
    mpg_provenance_from(provenance, mpg_value_stream(s->stream), NULL, NOWHERE);
    mpg_provenance_add_term(provenance, MPG_CRITICAL_CALL, account_of(l, s->rank, MPG_TERM_CALL));
}

int mpg_record_delays_left(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_recorder *x = l->recorder;
    const uint32_t codes = CODE_EDGES + EDGE_CODES * s->edge_number;
    if (x->is_recorded)
        return 0;
    if (!mpg_delays_waits(s) && !s->dropped && !mpg_delays_moves(l, s) && !s->changed && !x->skips) {
        add_alone(l, s);
        return 0;
    }
    if (mpg_reserve_at(&x->used, sizeof *x->used, &x->used_capacity, codes, err) < 0 ||
        mpg_reserve_at(&x->known, sizeof *x->known, &x->known_capacity, codes, err) < 0)
        return -1;
    memset(x->used, 0, codes * sizeof *x->used);
    for (uint32_t w = 0; w < l->n; w++)
        x->used[x->code[w]] = true;
    mpg_provenance_add(x->provenance, mpg_value_stream(s->stream), l->tally->at[s->stream]);
    for (uint32_t c = 0; c < codes; c++)
        if (x->used[c] && add_code(l, s, c, err) < 0)
            return -1;
    if (x->used[CODE_SKIPPED])
        add_skipped(l, s);
    find_calls(l, s);
    if (x->puts || mpg_delays_moves(l, s))
        add_injected(l, s);
    return 0;
}
