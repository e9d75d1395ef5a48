/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the values of all lanes come from: as path.c has it of one, for simulate/where/trail.h. Of ties it is the rank's own
 * time, then what comes first. */
#include <math.h>
#include <stdlib.h>

#include "simulate/engine/operations.h"
#include "simulate/predict/times_private.h"
#include "simulate/where/trail.h"

/* What the call that is left comes from, lane by lane: nothing but itself, or with what it costs that goes with a parameter;
 * else of an edge its slot, where a sender has met its receiver, or what more there is. */
enum { CODE_OWN, CODE_COSTS, CODE_EDGES, EDGE_PLAIN = 0, EDGE_MET, EDGE_MORE, EDGE_CODES };
enum { NOWHERE = UINT32_MAX };

struct mpg_times_trail {
    struct mpg_trail *trail;
    double *before, *other, *from_ns, *latency, *bytes, *whole, *last_ns, *latest; /* n each */
    uint32_t *code, *last;  /* n each: of the call; the edge whose message decides what is received */
    bool has_terms;         /* latency, bytes or whole are not 0 */
    double costs[MPG_WHERE_TERMS];
    bool *used;             /* a code */
    uint32_t used_capacity;
    uint64_t *waits;        /* words: lanes whose stream may not send yet, or that take the second of two */
    uint32_t streams, finished_capacity;
    bool *finished;         /* a stream */
};

int mpg_times_use_trail(struct mpg_times *t, struct mpg_error *err)
{
    struct mpg_times_trail *x = calloc(1, sizeof *x);
    t->trail = x;
    if (!x)
        return mpg_error_set(err, "out of memory");
    double **const vectors[] = {&x->before, &x->other, &x->from_ns, &x->latency, &x->bytes, &x->whole, &x->last_ns, &x->latest};
    bool all = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        all = (*vectors[i] = calloc(t->n, sizeof **vectors[i])) && all;
    x->code = calloc(t->n, sizeof *x->code);
    x->last = calloc(t->n, sizeof *x->last);
    x->waits = calloc(mpg_trail_words(t->n), sizeof *x->waits);
    if (!all || !x->code || !x->last || !x->waits)
        return mpg_error_set(err, "out of memory");
    t->follows = true;
    return (x->trail = mpg_trail_new(t->tally, err)) ? 0 : -1;
}

void mpg_times_free_trail(struct mpg_times_trail *x)
{
    if (!x)
        return;
    double *const vectors[] = {x->before, x->other, x->from_ns, x->latency, x->bytes, x->whole, x->last_ns, x->latest};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(vectors[i]);
    free(x->code);
    free(x->last);
    free(x->waits);
    free(x->used);
    free(x->finished);
    mpg_trail_free(x->trail);
    free(x);
}

static struct mpg_path_value stream_of(uint32_t stream)
{
    return (struct mpg_path_value){stream, MPG_PATH_STREAM};
}

static struct mpg_path_value next_of(uint32_t stream)
{
    return (struct mpg_path_value){stream, MPG_PATH_NEXT};
}

static struct mpg_path_value slot_of(uint32_t slot, enum mpg_path_part part)
{
    return (struct mpg_path_value){slot, part};
}

/* Lanes in which A is larger than B, into BITS. */
static bool find_larger(uint32_t n, const double *a, const double *b, uint64_t *bits)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < n; k += 64) {
        uint64_t word = 0;
        const uint32_t m = n - k < 64 ? n - k : 64;
        for (uint32_t w = 0; w < m; w++)
            word |= (uint64_t)(a[k + w] > b[k + w]) << w;
        bits[k / 64] = word;
        any |= word;
    }
    return any != 0;
}

/* VALUES of TERM, unless all are 0. */
static void add_term(const struct mpg_times *t, enum mpg_where_term term, const double *values)
{
    bool any = false;
    for (uint32_t w = 0; w < t->n; w++)
        any |= values[w] != 0;
    if (any)
        memcpy(mpg_trail_term(t->trail->trail, term), values, t->n * sizeof *values);
}

/* A further choice of those in BITS. */
static void add_from(const struct mpg_times *t, struct mpg_path_value from, const double *terms, const uint64_t *bits)
{
    uint64_t *words = mpg_trail_from(t->trail->trail, from, terms, NOWHERE);
    if (words)
        memcpy(words, bits, mpg_trail_words(t->n) * sizeof *bits);
}

/* --- computation --- */

void mpg_times_trail_enter(const struct mpg_times *t, const struct mpg_step *s, const double *before, double done_ns)
{
    const double *value = stream_value(t, s->stream, STREAM_TIME);
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_COMPUTATION] = done_ns};
    double *noise = t->trail->other;
    mpg_trail_add(t->trail->trail, stream_of(s->stream), t->tally->at[s->stream]);
    mpg_trail_from(t->trail->trail, stream_of(s->stream), term, NOWHERE);
    if (mpg_perturbation_is_quiet(t->target->noise))
        return;
    for (uint32_t w = 0; w < t->n; w++)
        noise[w] = value[w] - before[w] - done_ns;
    add_term(t, MPG_WHERE_NOISE, noise);
}

/* --- calls --- */

void mpg_times_trail_received(const struct mpg_times *t, const struct mpg_step *s, uint32_t k, uint32_t w)
{
    struct mpg_times_trail *x = t->trail;
    double latest_ns = -INFINITY, later_ns = 0;
    for (uint32_t i = k; i > 0; i--) {
        const struct mpg_arrival *a = &t->arrival[i - 1];
        if (a->time_ns + later_ns > latest_ns) {
            latest_ns = a->time_ns + later_ns;
            x->last[w] = (uint32_t)(a->edge - s->edges);
            x->last_ns[w] = a->time_ns;
        }
        later_ns += mpg_times_receive_ns(t, a->i, a->further)[w];
    }
    if (k > 0 && t->arrived[w] >= t->scratch[w] + t->kappa[w]) { /* nothing that is paid is as late */
        x->last[w] = (uint32_t)(t->arrival[k - 1].edge - s->edges);
        x->last_ns[w] = t->arrived[w];
    }
}

static enum mpg_path_part arrival_part(const struct mpg_step *s)
{
    return mpg_call_is_probe(s->call) ? MPG_PATH_ENVELOPE : MPG_PATH_TIME;
}

/* The same where nothing that is received costs anything. */
void mpg_times_trail_brought(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++)
        x->last_ns[w] = -INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL)
            continue;
        const double *at = slot_value(t, e->slot, arrival_part(s) == MPG_PATH_ENVELOPE ? SLOT_ENVELOPE : SLOT_TIME);
        for (uint32_t w = 0; w < t->n; w++) {
            x->last[w] = at[w] > x->last_ns[w] ? i : x->last[w];
            x->last_ns[w] = at[w] > x->last_ns[w] ? at[w] : x->last_ns[w];
        }
    }
}

/* Of one-sided transfers: as add_round_trip() has it. */
static void find_round_trip(const struct mpg_times *t, const struct mpg_step *s)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    const struct mpg_sending m = {.rank = s->rank, .to = -1, .call = s->number, .bytes = s->round_trip_target_bytes};
    struct mpg_times_trail *x = t->trail;
    mpg_time_flight(p, &m, t->first, t->n, x->latency, x->bytes);
    mpg_time_ack(p, &m, t->first, t->n, x->latency);
    x->costs[MPG_WHERE_MESSAGES] = 2;
    x->costs[MPG_WHERE_SIZE] = m.bytes;
    x->has_terms = true;
}

void mpg_times_trail_own(const struct mpg_times *t, const struct mpg_step *s, double scaled_ns)
{
    const double *value = stream_value(t, s->stream, STREAM_TIME);
    struct mpg_times_trail *x = t->trail;
    if (x->has_terms) {
        zero(x->latency, t->n);
        zero(x->bytes, t->n);
        zero(x->whole, t->n);
    }
    x->has_terms = false;
    memset(x->costs, 0, sizeof x->costs);
    x->costs[MPG_WHERE_SCALED] = scaled_ns;
    if (s->round_trip)
        find_round_trip(t, s);
    const bool costs = scaled_ns != 0 || s->round_trip;
    for (uint32_t w = 0; w < t->n; w++) {
        const bool took = t->best[w] != value[w];
        x->from_ns[w] = value[w];
        x->code[w] = costs && took ? CODE_COSTS : CODE_OWN;
        if (s->round_trip && !took)
            x->latency[w] = x->bytes[w] = 0;
    }
}

void mpg_times_trail_before(const struct mpg_times *t)
{
    memcpy(t->trail->before, t->best, t->n * sizeof *t->best);
}

/* Lane W comes from elsewhere, at AT_NS. */
static void come_from(struct mpg_times_trail *x, uint32_t w, uint32_t code, double at_ns)
{
    x->code[w] = code;
    x->from_ns[w] = at_ns;
    x->latency[w] = x->bytes[w] = x->whole[w] = 0;
}

void mpg_times_trail_message(const struct mpg_times *t)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++)
        if (t->best[w] > x->before[w])
            come_from(x, w, CODE_EDGES + EDGE_CODES * x->last[w] + EDGE_PLAIN, x->last_ns[w]);
}

/* --- what calls wait for --- */

/* What calls' noise comes to in the rounds of a collective, into the other vector. */
static const double *find_rounds_calls(const struct mpg_times *t, const struct mpg_perturbation *p,
                                       const struct mpg_origin *origin, uint32_t rounds)
{
    double *calls = t->trail->other;
    zero(calls, t->n);
    if (p->call_noise.n > 0)
        mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, false, t->first, t->n, calls);
    return calls;
}

/* What mpg_times_add_collective() adds, TOOK_NS in all, into latency, bytes and whole of the lanes where it is more than
 * nothing; TERM has what is alike in them. */
static void find_collective(const struct mpg_times *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                            double bytes, int32_t members, const double *took_ns, double *term)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    struct mpg_times_trail *x = t->trail;
    const double *calls = find_rounds_calls(t, p, origin, rounds);
    x->has_terms = true;
    if (mpg_collective_measured(p, mpg_operation_of(call), members)) {
        term[MPG_WHERE_WHOLES] = 1;
        for (uint32_t w = 0; w < t->n; w++)
            x->whole[w] = took_ns[w] > 0 ? took_ns[w] - calls[w] : x->whole[w];
        return;
    }
    term[MPG_WHERE_MESSAGES] = rounds;
    term[MPG_WHERE_SIZE] = bytes;
    double *empty = x->latest;
    zero(empty, t->n);
    if (bytes > 0)
        mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, true, t->first, t->n, empty);
    for (uint32_t w = 0; w < t->n; w++) {
        if (!(took_ns[w] > 0))
            continue;
        x->latency[w] = (bytes > 0 ? empty[w] : took_ns[w]) - calls[w];
        x->bytes[w] = bytes > 0 ? took_ns[w] - empty[w] : 0;
    }
}

/* The synchronous send that E completes is done. */
static void come_from_ack(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e, uint32_t code)
{
    struct mpg_times_trail *x = t->trail;
    const double *done = mpg_times_sender_done(t, s, e), *met = slot_value(t, e->slot, SLOT_MEET);
    const double *begin = slot_value(t, e->slot, SLOT_BEGIN);
    const bool is_large = e->bytes > (double)t->options.eager_limit_bytes, is_plain = done != t->scratch;
    x->has_terms = x->has_terms || !is_plain;
    for (uint32_t w = 0; w < t->n; w++) {
        if (!(t->best[w] > x->before[w]))
            continue;
        if (is_plain)
            come_from(x, w, code + EDGE_PLAIN, done[w]);
        else if (is_large && done[w] > met[w]) {
            come_from(x, w, code + EDGE_MORE, begin[w]);
            x->bytes[w] = done[w] - begin[w];
        } else {
            come_from(x, w, code + EDGE_MET, met[w]);
            x->latency[w] = done[w] - met[w];
        }
    }
}

static void come_from_root(const struct mpg_times *t, const struct mpg_edge *e, uint32_t code)
{
    struct mpg_times_trail *x = t->trail;
    const double *at = slot_value(t, e->slot, SLOT_TIME);
    double *took = x->last_ns, unused[MPG_WHERE_TERMS];
    for (uint32_t w = 0; w < t->n; w++) {
        const bool comes = t->best[w] > x->before[w], more = comes && t->best[w] > at[w];
        took[w] = more ? fmax(t->scratch[w] - at[w], 0) : 0; /* as it was added */
        if (comes)
            come_from(x, w, code + (took[w] > 0 ? EDGE_MORE : EDGE_PLAIN), at[w]);
    }
    find_collective(t, e->call, &e->origin, e->rounds, e->bytes, e->members, took, unused);
}

void mpg_times_trail_edge(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    struct mpg_times_trail *x = t->trail;
    const uint32_t code = CODE_EDGES + EDGE_CODES * (uint32_t)(e - s->edges);
    const double *at = slot_value(t, e->slot, e->kind == MPG_EDGE_ENVELOPE ? SLOT_ENVELOPE : SLOT_TIME);
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
                come_from(x, w, code + EDGE_PLAIN, at[w]);
}

/* What CODE, of an edge, stands for. */
static struct mpg_path_value describe(const struct mpg_times *t, const struct mpg_step *s, uint32_t code, double *term)
{
    const struct mpg_edge *e = &s->edges[(code - CODE_EDGES) / EDGE_CODES];
    const uint32_t kind = (code - CODE_EDGES) % EDGE_CODES;
    memset(term, 0, MPG_WHERE_TERMS * sizeof *term);
    if (e->kind == MPG_EDGE_ARRIVAL)
        return slot_of(e->slot, arrival_part(s));
    if (e->kind == MPG_EDGE_ENVELOPE)
        return slot_of(e->slot, MPG_PATH_ENVELOPE);
    if (e->kind == MPG_EDGE_ACK && kind == EDGE_MET) {
        term[MPG_WHERE_MESSAGES] = !(e->bytes > (double)t->options.eager_limit_bytes);
        return slot_of(e->slot, MPG_PATH_MEET);
    }
    if (e->kind == MPG_EDGE_ACK && kind == EDGE_MORE)
        return slot_of(e->slot, MPG_PATH_BEGIN);
    if (e->kind == MPG_EDGE_ROOT && kind == EDGE_MORE) {
        const bool measured = mpg_collective_measured(mpg_target_farthest(t->target), mpg_operation_of(e->call), e->members);
        term[MPG_WHERE_WHOLES] = measured;
        term[MPG_WHERE_MESSAGES] = measured ? 0 : e->rounds;
        term[MPG_WHERE_SIZE] = measured ? 0 : e->bytes;
    }
    return slot_of(e->slot, MPG_PATH_TIME);
}

/* Sets the bits of CODE's lanes. */
static void set_bits(const struct mpg_times *t, uint32_t code, uint64_t *words)
{
    for (uint32_t w = 0; words && w < t->n; w++)
        words[w / 64] |= (uint64_t)(t->trail->code[w] == code) << w % 64;
}

int mpg_times_trail_leave(const struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_times_trail *x = t->trail;
    const uint32_t codes = CODE_EDGES + EDGE_CODES * s->edge_number;
    if (mpg_reserve_at(&x->used, sizeof *x->used, &x->used_capacity, codes, err) < 0)
        return -1;
    memset(x->used, 0, codes * sizeof *x->used);
    for (uint32_t w = 0; w < t->n; w++)
        x->used[x->code[w]] = true;
    mpg_trail_add(x->trail, stream_of(s->stream), t->tally->at[s->stream]);
    mpg_trail_from(x->trail, stream_of(s->stream), NULL, NOWHERE);
    if (x->used[CODE_COSTS])
        set_bits(t, CODE_COSTS, mpg_trail_from(x->trail, stream_of(s->stream), x->costs, NOWHERE));
    for (uint32_t c = CODE_EDGES; c < codes; c++) {
        double term[MPG_WHERE_TERMS];
        uint32_t between = NOWHERE;
        if (!x->used[c])
            continue;
        if (t->tally->pairs && mpg_tally_edge(t->tally, s, &s->edges[(c - CODE_EDGES) / EDGE_CODES], &between, err) < 0)
            return -1;
        const struct mpg_path_value from = describe(t, s, c, term);
        set_bits(t, c, mpg_trail_from(x->trail, from, term, between));
    }
    double *call = x->before;
    for (uint32_t w = 0; w < t->n; w++)
        call[w] = t->best[w] - x->from_ns[w];
    if (x->has_terms)
        for (uint32_t w = 0; w < t->n; w++)
            call[w] -= x->latency[w] + x->bytes[w] + x->whole[w];
    add_term(t, MPG_WHERE_CALL, call);
    if (x->has_terms) {
        add_term(t, MPG_WHERE_LATENCY, x->latency);
        add_term(t, MPG_WHERE_BYTES, x->bytes);
        add_term(t, MPG_WHERE_WHOLE, x->whole);
    }
    return 0;
}

/* --- messages --- */

/* Notes, before S's message leaves, which lanes may not send yet; how late it leaves is the other vector. */
static void begin_sending(const struct mpg_times *t, const struct mpg_step *s)
{
    const double *now = stream_value(t, s->stream, STREAM_TIME), *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_times_trail *x = t->trail;
    find_larger(t->n, next, now, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        x->before[w] = now[w] > next[w] ? now[w] : next[w];
}

static bool are_any(const struct mpg_times *t, const uint64_t *bits)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < mpg_trail_words(t->n); k++)
        any |= bits[k];
    return any != 0;
}

/* From where S's message left, with TERMS. */
static void add_leaving(const struct mpg_times *t, const struct mpg_step *s, const double *terms)
{
    mpg_trail_from(t->trail->trail, stream_of(s->stream), terms, NOWHERE);
    if (are_any(t, t->trail->waits))
        add_from(t, next_of(s->stream), terms, t->trail->waits);
}

static void add_next(const struct mpg_times *t, const struct mpg_step *s)
{
    const double *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_times_trail *x = t->trail;
    bool any = are_any(t, x->waits);
    for (uint32_t w = 0; w < t->n; w++) {
        x->other[w] = next[w] - x->before[w];
        any |= x->other[w] != 0;
    }
    if (!any) /* it can send at once, again */
        return;
    mpg_trail_add(x->trail, next_of(s->stream), NOWHERE);
    add_leaving(t, s, NULL);
    add_term(t, MPG_WHERE_BYTES, x->other);
}

static void end_eager(const struct mpg_times *t, const struct mpg_step *s)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1, [MPG_WHERE_SIZE] = s->bytes};
    struct mpg_trail *trail = t->trail->trail;
    mpg_trail_renew(trail, s->slot);
    mpg_trail_add(trail, slot_of(s->slot, MPG_PATH_TIME), NOWHERE);
    add_leaving(t, s, term);
    add_term(t, MPG_WHERE_LATENCY, t->lambda);
    add_term(t, MPG_WHERE_BYTES, t->tau);
    mpg_trail_add(trail, slot_of(s->slot, MPG_PATH_ENVELOPE), NOWHERE);
    mpg_trail_from(trail, slot_of(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
    add_next(t, s);
}

static void end_store(const struct mpg_times *t, const struct mpg_step *s)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1};
    struct mpg_trail *trail = t->trail->trail;
    mpg_trail_renew(trail, s->slot);
    mpg_trail_add(trail, slot_of(s->slot, MPG_PATH_TIME), NOWHERE);
    if (!s->sends) {
        mpg_trail_from(trail, stream_of(s->stream), NULL, NOWHERE);
        return;
    }
    add_leaving(t, s, NULL);
    mpg_trail_add(trail, slot_of(s->slot, MPG_PATH_ENVELOPE), NOWHERE);
    mpg_trail_from(trail, slot_of(s->slot, MPG_PATH_TIME), term, NOWHERE);
    add_term(t, MPG_WHERE_LATENCY, t->lambda);
    add_next(t, s);
}

/* When both ends of a synchronous message have met: the lanes are noted where its sender was the last. */
static void add_met(const struct mpg_times *t, const struct mpg_step *s, bool given)
{
    const double with[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1}, *lambda = t->lambda;
    struct mpg_times_trail *x = t->trail;
    mpg_trail_add(x->trail, slot_of(s->slot, MPG_PATH_MEET), NOWHERE);
    mpg_trail_from(x->trail, slot_of(s->b, MPG_PATH_TIME), given ? with : NULL, NOWHERE);
    add_from(t, slot_of(s->a, MPG_PATH_TIME), with, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = given || (x->waits[w / 64] >> w % 64 & 1) ? lambda[w] : 0;
    add_term(t, MPG_WHERE_LATENCY, x->other);
}

static void end_synchronous(const struct mpg_times *t, const struct mpg_step *s)
{
    const double back[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = -1}, flight[MPG_WHERE_TERMS] = {[MPG_WHERE_SIZE] = s->bytes};
    struct mpg_times_trail *x = t->trail;
    const bool given = t->target->noise->latency.n > 0;
    const struct mpg_path_value met = slot_of(s->slot, MPG_PATH_MEET);
    if (!given)
        for (uint32_t w = 0; w < t->n; w++)
            x->before[w] += t->lambda[w];
    find_larger(t->n, x->before, x->latest, x->waits);
    add_met(t, s, given);
    mpg_trail_add(x->trail, slot_of(s->slot, MPG_PATH_BEGIN), NOWHERE);
    mpg_trail_from(x->trail, met, back, NOWHERE);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = -t->lambda[w];
    add_term(t, MPG_WHERE_LATENCY, x->other);
    mpg_trail_add(x->trail, slot_of(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, met, flight, NOWHERE);
    add_term(t, MPG_WHERE_BYTES, t->tau);
}

/* --- all of it --- */

/* Where there is none other, VALUE is its slot's; WAITS are the lanes that take B, of a MERGE A, and of a JOIN the slot. */
static void end_later(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_times_trail *x = t->trail;
    if (s->kind == MPG_STEP_MERGE) {
        const struct mpg_path_value a = slot_of(s->a, MPG_PATH_TIME), b = slot_of(s->b, MPG_PATH_TIME);
        mpg_trail_renew(x->trail, s->slot);
        mpg_trail_add(x->trail, slot_of(s->slot, MPG_PATH_TIME), NOWHERE);
        mpg_trail_from(x->trail, b, NULL, NOWHERE);
        add_from(t, a, NULL, x->waits);
    } else if (are_any(t, x->waits)) {
        mpg_trail_add(x->trail, stream_of(s->stream), t->tally->at[s->stream]);
        mpg_trail_from(x->trail, stream_of(s->stream), NULL, NOWHERE);
        add_from(t, slot_of(s->slot, MPG_PATH_TIME), NULL, x->waits);
    }
}

static void end_contribute(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_times_trail *x = t->trail;
    double term[MPG_WHERE_TERMS] = {0}, *took = x->last_ns;
    const double *after = slot_value(t, s->slot, SLOT_TIME);
    find_larger(t->n, after, x->before, x->waits);
    for (uint32_t w = 0; w < t->n; w++) {
        took[w] = after[w] - x->before[w];
        x->latency[w] = x->bytes[w] = x->whole[w] = 0;
    }
    mpg_trail_renew(x->trail, s->slot);
    mpg_trail_add(x->trail, slot_of(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, slot_of(s->a, MPG_PATH_TIME), NULL, NOWHERE);
    if (!are_any(t, x->waits))
        return;
    find_collective(t, s->call, &s->origin, s->rounds, s->bytes, s->members, took, term);
    add_from(t, slot_of(s->a, MPG_PATH_TIME), term, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        took[w] = fmax(took[w], 0) - x->latency[w] - x->bytes[w] - x->whole[w];
    add_term(t, MPG_WHERE_CALL, took);
    add_term(t, MPG_WHERE_LATENCY, x->latency);
    add_term(t, MPG_WHERE_BYTES, x->bytes);
    add_term(t, MPG_WHERE_WHOLE, x->whole);
}

static void end_view(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_trail *trail = t->trail->trail;
    if (s->slot == s->a)
        return;
    mpg_trail_renew(trail, s->slot);
    for (enum mpg_path_part part = MPG_PATH_TIME; part <= MPG_PATH_BEGIN; part++)
        if (mpg_trail_has(trail, s->a, part)) {
            mpg_trail_add(trail, slot_of(s->slot, part), NOWHERE);
            mpg_trail_from(trail, slot_of(s->a, part), NULL, NOWHERE);
        }
}

static int note_stream(struct mpg_times_trail *x, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->stream >= x->streams)
        x->streams = s->stream + 1;
    if (s->kind != MPG_STEP_FINISH)
        return 0;
    if (mpg_reserve_at(&x->finished, sizeof *x->finished, &x->finished_capacity, s->stream + 1, err) < 0)
        return -1;
    x->finished[s->stream] = true;
    return 0;
}

int mpg_times_trail_begin(const struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_times_trail *x = t->trail;
    const size_t bytes = t->n * sizeof(double);
    switch (s->kind) {
    case MPG_STEP_STORE:
        if (s->sends)
            begin_sending(t, s);
        break;
    case MPG_STEP_EAGER:
        begin_sending(t, s);
        break;
    case MPG_STEP_SYNCHRONOUS: /* its slots may be written by it */
        memcpy(x->latest, slot_value(t, s->b, SLOT_TIME), bytes);
        memcpy(x->before, slot_value(t, s->a, SLOT_TIME), bytes);
        break;
    case MPG_STEP_CONTRIBUTE:
        memcpy(x->before, slot_value(t, s->a, SLOT_TIME), bytes);
        break;
    case MPG_STEP_MERGE:
        find_larger(t->n, slot_value(t, s->a, SLOT_TIME), slot_value(t, s->b, SLOT_TIME), x->waits);
        break;
    case MPG_STEP_JOIN:
        find_larger(t->n, slot_value(t, s->slot, SLOT_TIME), stream_value(t, s->stream, STREAM_TIME), x->waits);
        break;
    default:
        break;
    }
    return note_stream(x, s, err);
}

void mpg_times_trail_end(const struct mpg_times *t, const struct mpg_step *s)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
        end_store(t, s);
        break;
    case MPG_STEP_LOAD:
        mpg_trail_add(t->trail->trail, stream_of(s->stream), t->tally->at[s->stream]);
        mpg_trail_from(t->trail->trail, slot_of(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
        break;
    case MPG_STEP_EAGER:
        end_eager(t, s);
        break;
    case MPG_STEP_SYNCHRONOUS:
        end_synchronous(t, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        end_contribute(t, s);
        break;
    case MPG_STEP_JOIN:
    case MPG_STEP_MERGE:
        end_later(t, s);
        break;
    case MPG_STEP_VIEW:
        end_view(t, s);
        break;
    default: /* they tell it themselves, or it is not asked for */
        break;
    }
}

/* --- what can still be read --- */

static bool is_finished(const struct mpg_times_trail *x, uint32_t stream)
{
    return stream < x->finished_capacity && x->finished[stream];
}

/* Streams: of those that have ended only the latest can be the longest run's. */
static void mark_streams(const struct mpg_times *t)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++)
        x->latest[w] = 0;
    for (uint32_t i = 0; i < x->streams; i++)
        for (uint32_t w = 0; w < t->n; w++)
            x->latest[w] = fmax(x->latest[w], stream_value(t, i, STREAM_TIME)[w]);
    const uint32_t streams = x->streams > (uint32_t)t->ranks ? x->streams : (uint32_t)t->ranks;
    for (uint32_t i = 0; i < streams; i++) {
        const bool begun = i < x->streams;
        const double *now = begun ? stream_value(t, i, STREAM_TIME) : NULL;
        uint64_t *words = mpg_trail_mark(x->trail, stream_of(i));
        for (uint32_t w = 0; w < t->n && words; w++)
            words[w / 64] |= (uint64_t)(!is_finished(x, i) || now[w] >= x->latest[w]) << w % 64;
        words = begun && !is_finished(x, i) ? mpg_trail_mark(x->trail, next_of(i)) : NULL;
        if (words)
            find_larger(t->n, stream_value(t, i, STREAM_NEXT), now, words);
    }
}

int mpg_times_cut_trail(const struct mpg_times *t, const uint32_t *unused, uint32_t n, struct mpg_error *err)
{
    if (!mpg_trail_cut(t->trail->trail))
        return 0;
    mark_streams(t);
    mpg_trail_mark_slots(t->trail->trail, unused, n);
    return mpg_trail_resolve(t->trail->trail, err);
}

int mpg_times_finish_trail(const struct mpg_times *t, struct mpg_error *err)
{
    struct mpg_times_trail *x = t->trail;
    for (uint32_t w = 0; w < t->n; w++) {
        int32_t longest = 0;
        for (int32_t i = 1; i < t->ranks; i++)
            if (mpg_times_run(t, i)[w] > mpg_times_run(t, longest)[w])
                longest = i;
        x->latest[w] = mpg_times_run(t, longest)[w];
        uint64_t *words = mpg_trail_mark(x->trail, stream_of(t->last_stream[longest]));
        if (words)
            words[w / 64] |= UINT64_C(1) << w % 64;
    }
    return mpg_trail_finish(x->trail, x->latest, err);
}

bool mpg_times_has_trail(const struct mpg_times *t)
{
    return t->trail != NULL;
}
