/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps but calls that are left, and what can still be read. */
#include "simulate/engine/trail.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/engine/operations.h"

int mpg_lanes_use_trail(struct mpg_lanes *l, struct mpg_error *err)
{
    struct mpg_lanes_trail *x = calloc(1, sizeof *x);
    l->trail = x;
    if (!x)
        return mpg_error_set(err, "out of memory");
    double **const vectors[] = {&x->before, &x->began, &x->from_ns, &x->put, &x->trip, &x->other, &x->first};
    bool all = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        all = (*vectors[i] = calloc(l->n, sizeof **vectors[i])) && all;
    x->code = calloc(l->n, sizeof *x->code);
    x->clamps = mpg_perturbation_can_speed_messages(l->p) || (l->paths && l->paths->speeds) || l->p->call_noise.n > 0;
    x->firsts = calloc(mpg_trail_words(l->n), sizeof *x->firsts);
    if (!all || !x->code || !x->firsts)
        return mpg_error_set(err, "out of memory");
    return (x->trail = mpg_trail_new(l->tally, err)) ? 0 : -1;
}

void mpg_lanes_trail_free(struct mpg_lanes_trail *x)
{
    if (!x)
        return;
    double *const vectors[] = {x->before, x->began, x->from_ns, x->put, x->trip, x->other, x->first};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(vectors[i]);
    free(x->code);
    free(x->firsts);
    free(x->known);
    free(x->used);
    free(x->finished);
    mpg_moves_free(x->moves);
    free(x->interval);
    free(x->part);
    mpg_trail_free(x->trail);
    free(x);
}

int mpg_lanes_trail_choose(struct mpg_lanes *l, struct mpg_error *err)
{
    struct mpg_lanes_trail *x = l->trail;
    x->clamps = true; /* when what goes by another request could start */
    x->part = calloc(l->n, sizeof *x->part);
    if (!x->part)
        return mpg_error_set(err, "out of memory");
    return (x->moves = mpg_moves_new(l->n, err)) ? 0 : -1;
}

bool mpg_lanes_has_trail(const struct mpg_lanes *l)
{
    return l->trail != NULL;
}

/* --- computation --- */

static void keep(const struct mpg_lanes *l, double *to, const double *from)
{
    memcpy(to, from, l->n * sizeof *to);
}

/* S's stream goes on from where it was, by TERMS. */
static void go_on(struct mpg_lanes *l, const struct mpg_step *s, const double *terms)
{
    mpg_trail_add(l->trail->trail, mpg_path_stream(s->stream), l->tally->at[s->stream]);
    mpg_trail_from(l->trail->trail, mpg_path_stream(s->stream), terms, NOWHERE);
}

/* What an interval is made of, beside what noise adds; QUIET: nothing; CUT: it gains less than its options say. */
struct made {
    struct mpg_lanes_interval of;
    bool quiet, cut;
};

static struct made interval_of(const struct mpg_lanes *l, const struct mpg_step *s)
{
    const bool quiet = mpg_perturbation_is_quiet(l->p);
    const double rho = mpg_perturbation_rho(l->p), length_ns = (double)s->interval_ns;
    if (polls(l, s))
        return (struct made){.of = {.tracer_ns = l->p->without_tracer ? (double)s->tracer_ns : 0}, .quiet = true};
    const double off_ns = mpg_perturbation_removes_off_cpu(l->p) ? (double)s->off_ns : 0;
    const double more_ns = (rho * s->change->ratio == 1 && s->change->more_ns == 0
                                ? 0
                                : (rho * s->change->ratio - 1) * (length_ns - off_ns) + rho * s->change->more_ns) -
                           (quiet ? off_ns : 0);
    const bool cut = quiet && more_ns < -length_ns;
    return (struct made){.of = {length_ns, cut ? -length_ns : more_ns, l->p->without_tracer ? (double)s->tracer_ns : 0},
                         .quiet = quiet,
                         .cut = cut};
}

static int end_enter(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_lanes_trail *x = l->trail;
    const struct made m = interval_of(l, s);
    const double more_ns = m.cut ? 0 : m.of.more_ns;
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_COMPUTATION] = more_ns,
                                          [MPG_WHERE_SCALED] = m.of.length_ns,
                                          [MPG_WHERE_TRACER] = -m.of.tracer_ns};
    go_on(l, s, term);
    if (!m.quiet || m.cut) /* the step's account has nothing else */
        mpg_trail_add_difference(x->trail, m.cut ? MPG_WHERE_COMPUTATION : MPG_WHERE_NOISE,
                                 account_of(l, s->rank, MPG_TERM_COMPUTE), NULL, more_ns - m.of.tracer_ns);
    if (!l->choice)
        return 0;
    if (mpg_reserve_at(&x->interval, sizeof *x->interval, &x->intervals, s->stream + 1, err) < 0)
        return -1;
    x->interval[s->stream] = m.of;
    return 0;
}

/* --- messages --- */

/* Who takes S's message, which is followed, may do so when its slot is another's. */
static void keep_arrival(const struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_trail *trail = l->trail->trail;
    const uint32_t number = mpg_choosing_kept(l->choice, s->message);
    mpg_trail_add(trail, mpg_path_kept(number), NOWHERE);
    mpg_trail_from(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
    mpg_trail_add(trail, (struct mpg_path_value){number, MPG_PATH_KEPT_BARE}, NOWHERE);
    mpg_trail_from(trail, mpg_path_slot(s->slot, MPG_PATH_BARE), NULL, NOWHERE);
}

static void end_eager(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_lanes_trail *x = l->trail;
    const struct mpg_path_value stream = mpg_path_stream(s->stream);
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1, [MPG_WHERE_SIZE] = s->target_bytes};
    const double *value = slot_value(l, s->slot), *bare = slot_bare(l, s->slot), *sent = stream_value(l, s->stream);
    const bool posts = l->p->call_edges == MPG_CALL_EDGES_PAPER;
    mpg_trail_renew(x->trail, s->slot);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, stream, term, NOWHERE);
    for (uint32_t w = 0; w < l->n && posts; w++) /* l->local as mpg_lanes_eager() left it */
        x->other[w] = sent[w] + l->local[w];
    if (posts)
        mpg_trail_add_term(x->trail, MPG_WHERE_CALL, l->local);
    mpg_trail_add_difference(x->trail, MPG_WHERE_LATENCY, value, posts ? x->other : sent, 0);
    if (!x->clamps)
        return;
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_BARE), NOWHERE);
    mpg_trail_from(x->trail, stream, NULL, NOWHERE);
    if (posts)
        mpg_trail_add_difference(x->trail, MPG_WHERE_CALL, bare, sent, 0);
    if (l->choice && s->is_followed)
        keep_arrival(l, s);
}

/* PART of S's message is VALUE, and comes from who posted its receive, or, in lanes of `firsts`, from its sender, by
 * POSTED and SENT and what else there is, which is put in where it FLIES. */
static void add_met(struct mpg_lanes *l, const struct mpg_step *s, enum mpg_path_part part, const double *value,
                    const struct mpg_lanes_met *met, bool flies)
{
    struct mpg_lanes_trail *x = l->trail;
    const double size = flies ? s->target_bytes : 0;
    const double by_poster[MPG_WHERE_TERMS] = {[MPG_WHERE_SIZE] = size, [MPG_WHERE_ABSORBED] = -met->poster_slack_ns};
    const double by_sender[MPG_WHERE_TERMS] = {
        [MPG_WHERE_MESSAGES] = flies, [MPG_WHERE_SIZE] = size, [MPG_WHERE_ABSORBED] = -met->sender_slack_ns};
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, part), NOWHERE);
    mpg_trail_from(x->trail, mpg_path_slot(s->b, MPG_PATH_TIME), by_poster, NOWHERE);
    if (mpg_trail_any(x->firsts, l->n))
        mpg_trail_add_from(x->trail, mpg_path_slot(s->a, MPG_PATH_TIME), by_sender, NOWHERE, x->firsts);
    for (uint32_t w = 0; w < l->n; w++) {
        const bool first = x->firsts[w / 64] >> w % 64 & 1;
        const double from = first ? x->before[w] - met->sender_slack_ns : x->from_ns[w] - met->poster_slack_ns;
        const double calls = first ? met->sending[w] : met->posting[w];
        x->other[w] = flies ? calls : value[w] - from;
        x->put[w] = flies ? value[w] - (from + calls) : 0;
    }
    mpg_trail_add_term(x->trail, MPG_WHERE_CALL, x->other);
    mpg_trail_add_term(x->trail, MPG_WHERE_LATENCY, x->put);
}

void mpg_lanes_trail_met(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_lanes_met *met)
{
    struct mpg_lanes_trail *x = l->trail;
    mpg_trail_renew(x->trail, s->slot);
    for (uint32_t w = 0; w < l->n; w++) { /* without what is put in; first, as that reads slots that are written over */
        x->first[w] = s->changed ? INFINITY : x->before[w] - met->sender_slack_ns + fmax(met->sending[w], 0);
        x->other[w] = x->from_ns[w] - met->poster_slack_ns + fmax(met->posting[w], 0);
    }
    mpg_trail_find_larger(l->n, x->first, x->other, x->firsts);
    struct mpg_lanes_met bare = *met;
    bare.sender_slack_ns = s->changed ? 0 : met->sender_slack_ns;
    add_met(l, s, MPG_PATH_BARE, slot_bare(l, s->slot), &bare, false);
    for (uint32_t w = 0; w < l->n; w++) {
        const double first = x->before[w] - met->sender_slack_ns + met->sending[w] + met->lambda[w];
        x->other[w] = x->from_ns[w] - met->poster_slack_ns + met->posting[w];
        const bool is_eager = met->eager && met->eager[w] > (first > x->other[w] ? first : x->other[w]) + met->tau[w];
        x->first[w] = is_eager ? INFINITY : first;
    }
    mpg_trail_find_larger(l->n, x->first, x->other, x->firsts);
    add_met(l, s, MPG_PATH_TIME, slot_value(l, s->slot), met, true);
}

/* --- collectives, slots --- */

static void end_contribute(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_lanes_trail *x = l->trail;
    const bool measured = mpg_collective_measured(l->p, mpg_operation_whole(s->call), s->members, s->contributed_bytes);
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_WHOLES] = measured,
                                          [MPG_WHERE_MESSAGES] = measured ? 0 : s->rounds,
                                          [MPG_WHERE_SIZE] = measured ? 0 : s->target_bytes};
    mpg_trail_renew(x->trail, s->slot);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, mpg_path_slot(s->a, MPG_PATH_TIME), term, NOWHERE);
    mpg_trail_add_term(x->trail, MPG_WHERE_WHOLE, l->scratch); /* as mpg_lanes_contribute() left it */
}

/* What slack takes off A, and off B, that S merges. */
static void find_shifts(const struct mpg_lanes *l, const struct mpg_step *s, double shift_ns[2])
{
    for (int i = 0; i < 2; i++)
        shift_ns[i] = l->absorb == MPG_ABSORB_CLOCK ? s->shift[i].clock : l->absorb == MPG_ABSORB_WAIT ? s->shift[i].wait : 0;
}

static void begin_merge(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_lanes_trail *x = l->trail;
    double shift_ns[2];
    find_shifts(l, s, shift_ns);
    for (uint32_t w = 0; w < l->n; w++) {
        x->first[w] = slot_value(l, s->a)[w] - shift_ns[0];
        x->other[w] = slot_value(l, s->b)[w] - shift_ns[1];
    }
    mpg_trail_find_larger(l->n, x->first, x->other, x->firsts);
}

static void end_merge(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_lanes_trail *x = l->trail;
    double shift_ns[2];
    find_shifts(l, s, shift_ns);
    const double of_a[MPG_WHERE_TERMS] = {[MPG_WHERE_ABSORBED] = -shift_ns[0]};
    const double of_b[MPG_WHERE_TERMS] = {[MPG_WHERE_ABSORBED] = -shift_ns[1]};
    mpg_trail_renew(x->trail, s->slot);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, mpg_path_slot(s->b, MPG_PATH_TIME), of_b, NOWHERE);
    mpg_trail_add_from(x->trail, mpg_path_slot(s->a, MPG_PATH_TIME), of_a, NOWHERE, x->firsts);
}

static void end_view(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_trail *trail = l->trail->trail;
    if (s->slot == s->a)
        return;
    mpg_trail_renew(trail, s->slot);
    for (enum mpg_path_part part = MPG_PATH_TIME; part <= MPG_PATH_BARE; part++)
        if (mpg_trail_has(trail, s->a, part)) {
            mpg_trail_add(trail, mpg_path_slot(s->slot, part), NOWHERE);
            mpg_trail_from(trail, mpg_path_slot(s->a, part), NULL, NOWHERE);
        }
}

/* S's slot is its stream's value. */
static void end_store(struct mpg_lanes *l, const struct mpg_step *s)
{
    struct mpg_trail *trail = l->trail->trail;
    mpg_trail_renew(trail, s->slot);
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(trail, mpg_path_stream(s->stream), NULL, NOWHERE);
    if (!s->sends)
        return;
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_BARE), NOWHERE); /* for probes */
    mpg_trail_from(trail, mpg_path_stream(s->stream), NULL, NOWHERE);
}

/* S's stream takes its slot, in all lanes, or those of `firsts`. */
static void end_load(struct mpg_lanes *l, const struct mpg_step *s, bool all)
{
    struct mpg_trail *trail = l->trail->trail;
    const struct mpg_path_value slot = mpg_path_slot(s->slot, MPG_PATH_TIME);
    mpg_trail_add(trail, mpg_path_stream(s->stream), l->tally->at[s->stream]);
    mpg_trail_from(trail, all ? slot : mpg_path_stream(s->stream), NULL, NOWHERE);
    if (!all)
        mpg_trail_add_from(trail, slot, NULL, NOWHERE, l->trail->firsts);
}

/* --- all of it --- */

static int note_stream(struct mpg_lanes_trail *x, const struct mpg_step *s, struct mpg_error *err)
{
    x->streams = s->stream >= x->streams ? s->stream + 1 : x->streams;
    if (s->kind != MPG_STEP_FINISH)
        return 0;
    if (mpg_reserve_at(&x->finished, sizeof *x->finished, &x->ended, s->stream + 1, err) < 0)
        return -1;
    x->finished[s->stream] = true;
    return 0;
}

int mpg_lanes_trail_begin(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_lanes_trail *x = l->trail;
    switch (s->kind) {
    case MPG_STEP_SYNCHRONOUS: /* its slots may be written by it */
        keep(l, x->before, slot_value(l, s->a));
        keep(l, x->from_ns, slot_value(l, s->b));
        break;
    case MPG_STEP_MERGE:
        begin_merge(l, s);
        break;
    case MPG_STEP_JOIN:
        mpg_trail_find_larger(l->n, slot_value(l, s->slot), stream_value(l, s->stream), x->firsts);
        break;
    case MPG_STEP_LEAVE:
        x->told = false;
        if (s->dropped || s->round_trip)
            mpg_lanes_trail_leaving(l, s);
        break;
    default:
        break;
    }
    return note_stream(x, s, err);
}

int mpg_lanes_trail_end(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return end_enter(l, s, err);
    case MPG_STEP_STORE:
        end_store(l, s);
        break;
    case MPG_STEP_LOAD:
        end_load(l, s, true);
        break;
    case MPG_STEP_JOIN:
        end_load(l, s, false);
        break;
    case MPG_STEP_EAGER:
        end_eager(l, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        end_contribute(l, s);
        break;
    case MPG_STEP_MERGE:
        end_merge(l, s);
        break;
    case MPG_STEP_VIEW:
        end_view(l, s);
        break;
    case MPG_STEP_LEAVE:
        return mpg_lanes_trail_left(l, s, err);
    default: /* it tells it itself, or it is not asked for */
        break;
    }
    return 0;
}

/* --- what can still be read --- */

static bool is_finished(const struct mpg_lanes_trail *x, uint32_t stream)
{
    return stream < x->ended && x->finished[stream];
}

/* How long the run of RANK is, but for the same in all ranks: no number is lost in it. */
static double run_ns(const struct mpg_lanes *l, int32_t rank, uint32_t w)
{
    return (double)l->traced_ns[rank] + mpg_lanes_delay(l, rank)[w];
}

static bool has_ended(const struct mpg_lanes *l, int32_t rank)
{
    return is_finished(l->trail, l->last_stream[rank]);
}

/* Of those that have ended only the longest can be where a path ends. */
static void find_longest(struct mpg_lanes *l)
{
    struct mpg_lanes_trail *x = l->trail;
    for (uint32_t w = 0; w < l->n; w++)
        x->other[w] = -INFINITY;
    for (int32_t r = 0; r < l->ranks; r++)
        for (uint32_t w = 0; w < l->n && has_ended(l, r); w++)
            x->other[w] = fmax(x->other[w], run_ns(l, r, w));
}

static void mark_streams(struct mpg_lanes *l)
{
    struct mpg_lanes_trail *x = l->trail;
    const uint32_t streams = x->streams > (uint32_t)l->ranks ? x->streams : (uint32_t)l->ranks;
    find_longest(l);
    for (uint32_t i = 0; i < streams; i++) {
        uint64_t *words = is_finished(x, i) ? NULL : mpg_trail_mark(x->trail, mpg_path_stream(i));
        for (uint32_t w = 0; w < l->n && words; w++)
            words[w / 64] |= UINT64_C(1) << w % 64;
    }
    for (int32_t r = 0; r < l->ranks; r++) {
        uint64_t *words = has_ended(l, r) ? mpg_trail_mark(x->trail, mpg_path_stream(l->last_stream[r])) : NULL;
        for (uint32_t w = 0; w < l->n && words; w++)
            words[w / 64] |= (uint64_t)(run_ns(l, r, w) >= x->other[w]) << w % 64;
    }
}

static void mark_kept(void *lanes, uint32_t number, uint32_t w, bool bare)
{
    const struct mpg_lanes *l = lanes;
    uint64_t *words = mpg_trail_mark(l->trail->trail, mpg_path_kept(number));
    if (words)
        words[w / 64] |= UINT64_C(1) << w % 64;
    words = bare ? mpg_trail_mark(l->trail->trail, (struct mpg_path_value){number, MPG_PATH_KEPT_BARE}) : NULL;
    if (words)
        words[w / 64] |= UINT64_C(1) << w % 64;
}

int mpg_lanes_cut_trail(struct mpg_lanes *l, const struct mpg_steps *steps, struct mpg_error *err)
{
    l->trail->steps += steps->n;
    if (!steps->tells_unused)
        return 0;
    const uint64_t passed = l->trail->steps;
    l->trail->steps = 0;
    if (!mpg_trail_cut(l->trail->trail, passed))
        return 0;
    mark_streams(l);
    if (l->choice)
        mpg_choosing_mark_kept(l->choice, mark_kept, l);
    mpg_trail_mark_slots(l->trail->trail, steps->unused, steps->unused_number);
    return mpg_trail_resolve(l->trail->trail, err);
}

int mpg_lanes_finish_trail(const struct mpg_lanes *l, struct mpg_error *err)
{
    struct mpg_lanes_trail *x = l->trail;
    for (uint32_t w = 0; w < l->n; w++) {
        int32_t longest = 0;
        for (int32_t i = 1; i < l->ranks; i++)
            longest = run_ns(l, i, w) > run_ns(l, longest, w) ? i : longest;
        x->other[w] = mpg_lanes_delay(l, longest)[w];
        uint64_t *words = mpg_trail_mark(x->trail, mpg_path_stream(l->last_stream[longest]));
        if (words)
            words[w / 64] |= UINT64_C(1) << w % 64;
    }
    return mpg_trail_finish(x->trail, x->other, err);
}
