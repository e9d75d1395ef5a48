/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the recorder shared by both modes: steps of general kinds, and the values that later steps can still read. */
#include "simulate/evaluate/recorder.h"

#include <math.h>
#include <stdlib.h>

/* Number of vectors, one value for each lane. */
enum { VECTORS = 15 };

static void list_vectors(struct mpg_recorder *x, double **vector[VECTORS])
{
    double **const all[VECTORS] = {&x->before, &x->from_ns, &x->other, &x->began, &x->put, &x->trip, &x->first,
                                   &x->part, &x->latency, &x->bytes, &x->whole, &x->last_ns, &x->latest, &x->messages, &x->size};
    memcpy(vector, all, sizeof all);
}

/* Makes E record provenance. PATH: the critical path of the evaluator's only lane; NULL: all lanes, attributed to places. */
static int use(struct mpg_evaluator *e, struct mpg_critical *path, struct mpg_error *err)
{
    struct mpg_recorder *x = calloc(1, sizeof *x);
    double **vector[VECTORS];
    e->recorder = x;
    if (!x)
        return mpg_error_set(err, "out of memory");
    list_vectors(x, vector);
    const bool all = allocate_vectors(vector, VECTORS, e->n);
    x->code = calloc(e->n, sizeof *x->code);
    x->last = calloc(e->n, sizeof *x->last);
    x->lane_mask = calloc(mpg_provenance_words(e->n), sizeof *x->lane_mask);
    if (!all || !x->code || !x->last || !x->lane_mask)
        return mpg_error_set(err, "out of memory");
    x->tally = path ? path->tally : e->tally;
    x->clamps = e->p && (mpg_perturbation_can_speed_messages(e->p) || (e->paths && e->paths->speeds) || e->p->call_noise.n > 0);
    return (x->provenance = mpg_provenance_new(x->tally, path, err)) ? 0 : -1;
}

int mpg_evaluator_use_recorder(struct mpg_evaluator *e, struct mpg_error *err)
{
    return use(e, NULL, err);
}

int mpg_times_use_path(struct mpg_evaluator *e, struct mpg_critical *path, struct mpg_error *err)
{
    return mpg_critical_restart(path, err) < 0 ? -1 : use(e, path, err);
}

void mpg_recorder_free(struct mpg_recorder *x)
{
    double **vector[VECTORS];
    if (!x)
        return;
    list_vectors(x, vector);
    free_vectors(vector, VECTORS);
    free(x->code);
    free(x->last);
    free(x->lane_mask);
    free(x->used);
    free(x->known);
    free(x->finished);
    free(x->interval);
    mpg_provenance_free(x->provenance);
    free(x);
}

/* --- steps --- */

void mpg_recorder_continue(const struct mpg_evaluator *e, const struct mpg_step *s, const double *terms)
{
    const struct mpg_recorder *x = e->recorder;
    mpg_provenance_add(x->provenance, mpg_value_stream(s->stream), x->tally->at[s->stream]);
    mpg_provenance_from(x->provenance, mpg_value_stream(s->stream), terms, NOWHERE);
}

static int note_stream(struct mpg_recorder *x, const struct mpg_step *s, struct mpg_error *err)
{
    x->streams = s->stream >= x->streams ? s->stream + 1 : x->streams;
    if (s->kind != MPG_STEP_FINISH)
        return 0;
    if (mpg_reserve_at(&x->finished, sizeof *x->finished, &x->ended, s->stream + 1, err) < 0)
        return -1;
    x->finished[s->stream] = true;
    return 0;
}

/* Records the parts of the slot copied by S, a VIEW, as the origins of the view. */
static void end_view(struct mpg_provenance *provenance, const struct mpg_step *s)
{
    if (s->slot == s->a)
        return;
    mpg_provenance_renew(provenance, s->slot);
    for (enum mpg_value_part part = MPG_VALUE_TIME; part <= MPG_VALUE_BEGIN; part++)
        if (mpg_provenance_has(provenance, s->a, part)) {
            mpg_provenance_add(provenance, mpg_value_slot(s->slot, part), NOWHERE);
            mpg_provenance_from(provenance, mpg_value_slot(s->a, part), NULL, NOWHERE);
        }
}

/* Records that S's stream continues from the value of a slot, in all lanes (LOAD) or in the lanes of `lane_mask` (JOIN). */
static void end_load(const struct mpg_evaluator *e, const struct mpg_step *s)
{
    const struct mpg_recorder *x = e->recorder;
    const struct mpg_value slot = mpg_value_slot(s->slot, MPG_VALUE_TIME), stream = mpg_value_stream(s->stream);
    const bool all = s->kind == MPG_STEP_LOAD;
    if (!all && !mpg_provenance_any(x->lane_mask, e->n))
        return;
    mpg_provenance_add(x->provenance, stream, x->tally->at[s->stream]);
    mpg_provenance_from(x->provenance, all ? slot : stream, NULL, NOWHERE);
    if (!all)
        mpg_provenance_add_from(x->provenance, slot, NULL, NOWHERE, x->lane_mask);
}

int mpg_recorder_begin(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_recorder *x = e->recorder;
    if (s->kind == MPG_STEP_JOIN)
        mpg_provenance_find_larger(e->n, slot_value(e, s->slot, SLOT_VALUE), stream_value(e, s->stream, STREAM_VALUE),
                                   x->lane_mask);
    else
        e->mode->record_begin(e, s);
    return note_stream(x, s, err);
}

int mpg_recorder_end(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        end_load(e, s);
        return 0;
    case MPG_STEP_VIEW:
        end_view(e->recorder->provenance, s);
        return 0;
    default:
        return e->mode->record_end(e, s, err);
    }
}

/* --- calls --- */

/* Sets the bits of lanes with CODE; with EDGE, a view, only of lanes in which the message of EDGE is from SOURCE. */
static void set_bits(const struct mpg_evaluator *e, const struct mpg_choosing *choice, const struct mpg_edge *edge, uint32_t code,
                     int32_t source, uint64_t *bits)
{
    const uint32_t *codes = e->recorder->code;
    for (uint32_t w = 0; w < e->n && bits; w++)
        if (codes[w] == code && (!edge || mpg_choosing_source(choice, edge->slot, w, edge->source) == source))
            bits[w / 64] |= UINT64_C(1) << w % 64;
}

/* Returns whether a lane before W has CODE and receives a message from SOURCE by E. */
static bool is_in_earlier_lane(const struct mpg_choosing *choice, const struct mpg_edge *e, const uint32_t *codes,
                               uint32_t code, uint32_t w, int32_t source)
{
    for (uint32_t i = 0; i < w; i++)
        if (codes[i] == code && mpg_choosing_source(choice, e->slot, i, e->source) == source)
            return true;
    return false;
}

int mpg_recorder_add_lanes(const struct mpg_evaluator *e, const struct mpg_choosing *choice, const struct mpg_step *s,
                           const struct mpg_edge *edge, uint32_t code, struct mpg_value from, const double *terms,
                           struct mpg_error *err)
{
    const struct mpg_recorder *x = e->recorder;
    uint32_t between = NOWHERE;
    if (!choice || !x->tally->pairs || !edge || !edge->is_view) {
        if (edge && x->tally->pairs && mpg_tally_edge(x->tally, s, edge, &between, err) < 0)
            return -1;
        set_bits(e, choice, NULL, code, -1, mpg_provenance_from(x->provenance, from, terms, between));
        return 0;
    }
    for (uint32_t w = 0; w < e->n; w++) {
        const int32_t source = mpg_choosing_source(choice, edge->slot, w, edge->source);
        if (x->code[w] != code || is_in_earlier_lane(choice, edge, x->code, code, w, source))
            continue;
        if (mpg_tally_between(x->tally, s->stream, source, s->rank, &between, err) < 0)
            return -1;
        set_bits(e, choice, edge, code, source, mpg_provenance_from(x->provenance, from, terms, between));
    }
    return 0;
}

/* --- values that later steps can still read --- */

static bool is_finished(const struct mpg_recorder *x, uint32_t stream)
{
    return stream < x->ended && x->finished[stream];
}

static bool has_ended(const struct mpg_evaluator *e, int32_t rank)
{
    return is_finished(e->recorder, e->last_stream[rank]);
}

static void mark_lane(struct mpg_provenance *provenance, struct mpg_value value, uint32_t w)
{
    uint64_t *words = mpg_provenance_mark(provenance, value);
    if (words)
        words[w / 64] |= UINT64_C(1) << w % 64;
}

/* Returns, by lane, a lower bound of the end of the longest run: the longest run of the ranks that have ended; in predict mode
 * also the most advanced stream. */
static const double *find_min(const struct mpg_evaluator *e)
{
    struct mpg_recorder *x = e->recorder;
    double *min_ns = x->other;
    for (uint32_t w = 0; w < e->n; w++)
        min_ns[w] = -INFINITY;
    for (uint32_t i = 0; i < x->streams && e->mode->is_times; i++)
        for (uint32_t w = 0; w < e->n; w++)
            min_ns[w] = fmax(min_ns[w], stream_value(e, i, STREAM_VALUE)[w]);
    for (int32_t r = 0; r < e->ranks; r++)
        for (uint32_t w = 0; w < e->n && has_ended(e, r); w++)
            min_ns[w] = fmax(min_ns[w], e->mode->run_ns(e, r, w));
    return min_ns;
}

/* Marks the values that later steps can still read: the values of streams that continue; in predict mode also the earliest
 * time of a stream's next message; and, of the ranks that have ended, the end of the longest run, at which a path can end. */
static void mark_streams(const struct mpg_evaluator *e)
{
    struct mpg_recorder *x = e->recorder;
    const double *min_ns = find_min(e);
    const uint32_t streams = x->streams > (uint32_t)e->ranks ? x->streams : (uint32_t)e->ranks;
    for (uint32_t i = 0; i < streams; i++) {
        uint64_t *words = is_finished(x, i) ? NULL : mpg_provenance_mark(x->provenance, mpg_value_stream(i));
        for (uint32_t w = 0; w < e->n && words; w++)
            words[w / 64] |= UINT64_C(1) << w % 64;
        words = e->mode->is_times && i < x->streams && words ? mpg_provenance_mark(x->provenance, mpg_value_next(i)) : NULL;
        if (words)
            mpg_provenance_find_larger(e->n, stream_value(e, i, STREAM_NEXT), stream_value(e, i, STREAM_VALUE), words);
    }
    for (int32_t r = 0; r < e->ranks; r++) {
        uint64_t *words = has_ended(e, r) ? mpg_provenance_mark(x->provenance, mpg_value_stream(e->last_stream[r])) : NULL;
        for (uint32_t w = 0; w < e->n && words; w++)
            words[w / 64] |= (uint64_t)(e->mode->run_ns(e, r, w) >= min_ns[w]) << w % 64;
    }
}

static void mark_kept(void *evaluator, uint32_t number, uint32_t w, bool propagated)
{
    const struct mpg_evaluator *e = evaluator;
    mark_lane(e->recorder->provenance, mpg_value_kept(number), w);
    if (propagated && !e->mode->is_times)
        mark_lane(e->recorder->provenance, (struct mpg_value){number, MPG_VALUE_KEPT_PROPAGATED}, w);
}

int mpg_recorder_cut(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct mpg_recorder *x = e->recorder;
    x->steps += steps->n;
    if (!steps->reports_unused)
        return 0;
    const uint64_t passed = x->steps;
    x->steps = 0;
    if (!mpg_provenance_cut(x->provenance, passed))
        return 0;
    mark_streams(e);
    if (e->choice)
        mpg_choosing_mark_kept(e->choice, mark_kept, e);
    mpg_provenance_mark_slots(x->provenance, steps->unused, steps->unused_number);
    return mpg_provenance_resolve(x->provenance, err);
}

/* Returns the rank whose run is longest in lane W, among equal runs the first. */
static int32_t find_longest(const struct mpg_evaluator *e, uint32_t w)
{
    int32_t longest = 0;
    for (int32_t i = 1; i < e->ranks; i++)
        longest = e->mode->run_ns(e, i, w) > e->mode->run_ns(e, longest, w) ? i : longest;
    return longest;
}

int mpg_recorder_finish(const struct mpg_evaluator *e, struct mpg_error *err)
{
    struct mpg_recorder *x = e->recorder;
    for (uint32_t w = 0; w < e->n; w++) {
        const int32_t longest = find_longest(e, w);
        x->other[w] = mpg_evaluator_end(e, longest)[w];
        mark_lane(x->provenance, mpg_value_stream(e->last_stream[longest]), w);
    }
    return mpg_provenance_finish(x->provenance, x->other, err);
}

void mpg_times_end_path(const struct mpg_evaluator *e, struct mpg_critical *path)
{
    path->rank = find_longest(e, 0);
    path->stream = e->last_stream[path->rank];
    path->run_ns = *mpg_evaluator_end(e, path->rank);
}

/* --- expanded collectives --- */

void mpg_recorder_came_begin(const struct mpg_evaluator *e, double *value, uint32_t number)
{
    double *from = mpg_value_provenance(value, e->mode->expanded_lanes(e), e->n, MPG_PROVENANCE_ORIGIN);
    memset(from, 0, (size_t)MPG_PROVENANCE_TERMS * e->n * sizeof *from);
    for (uint32_t w = 0; w < e->n; w++)
        from[w] = number;
}

void mpg_recorder_came(const struct mpg_evaluator *e, uint32_t slot, double *value, const uint32_t *from)
{
    const double *number = mpg_value_provenance(value, e->mode->expanded_lanes(e), e->n, MPG_PROVENANCE_ORIGIN);
    mpg_provenance_add_one_of(e->recorder->provenance, mpg_value_slot(slot, MPG_VALUE_MEET), number, from);
    e->mode->record_came(e, value, from);
}

void mpg_recorder_came_end(const struct mpg_evaluator *e, uint32_t slot)
{
    struct mpg_provenance *provenance = e->recorder->provenance;
    mpg_provenance_renew(provenance, slot);
    mpg_provenance_add(provenance, mpg_value_slot(slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(provenance, mpg_value_slot(slot, MPG_VALUE_MEET), NULL, NOWHERE);
}
