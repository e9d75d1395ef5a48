/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of perturb mode, docs/MODEL.md, section 4: what there is to evaluate, in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/engine/lanes_private.h"
#include "simulate/engine/trail.h"

/* Out of the loop over steps: registers that they save are not saved for each step. */
#define APART __attribute__((noinline))

struct mpg_lanes *mpg_lanes_new(int32_t ranks, uint32_t lanes, uint32_t first,
                                enum mpg_absorb absorb, bool comparable,
                                const struct mpg_perturbation *p, struct mpg_floors *floors,
                                struct mpg_error *err)
{
    struct mpg_lanes *l = calloc(1, sizeof *l);
    if (!l)
        goto fail;
    *l = (struct mpg_lanes){
        .ranks = ranks, .n = lanes, .first = first, .code = mpg_recurrences(),
        .absorb = absorb, .comparable = comparable, .p = p,
        .floors = floors, .account_stride = MPG_TERMS, .streams = (uint32_t)ranks,
        .computes = mpg_perturbation_changes_computation(p),
        .charges = p->call_noise.n > 0 || mpg_perturbation_overheads_measured(p) ||
                   mpg_perturbation_call_noise_measured(p),
        .flies = p->latency.n > 0 || p->byte.n > 0 || mpg_flight_rule(p) != MPG_FLIGHT_NONE,
        .leaves = mpg_perturbation_overheads_measured(p),
        .has_kappa = p->call_noise.n > 0,
        .is_plain = true,
        .cursor_bytes = mpg_perturbation_cursor_bytes(p),
        .covers = mpg_perturbation_noise_covered(p)};
    l->last_stream = calloc((size_t)ranks, sizeof *l->last_stream);
    l->scratch = calloc(lanes, sizeof *l->scratch);
    l->result = calloc(lanes, sizeof *l->result);
    l->kappa = calloc(lanes, sizeof *l->kappa);
    l->local = calloc(lanes, sizeof *l->local);
    l->later = calloc(lanes, sizeof *l->later);
    l->answered = calloc(lanes, sizeof *l->answered);
    l->own = calloc(lanes, sizeof *l->own);
    l->all = calloc(lanes, sizeof *l->all);
    l->others = calloc(lanes, sizeof *l->others);
    l->put = calloc(lanes, sizeof *l->put);
    l->zeros = calloc(lanes, sizeof *l->zeros);
    l->left = calloc(lanes, sizeof *l->left);
    l->sent_left.u = calloc(lanes, sizeof *l->sent_left.u);
    l->shapes = mpg_shapes_new(first, lanes, err);
    l->account = calloc((size_t)ranks * MPG_TERMS * lanes, sizeof *l->account);
    l->unjoined = calloc((size_t)ranks, sizeof *l->unjoined);
    l->ahead.follower = calloc((size_t)ranks, sizeof *l->ahead.follower);
    l->traced_ns = calloc((size_t)ranks, sizeof *l->traced_ns);
    l->turn = calloc((size_t)ranks, sizeof *l->turn);
    if (l->last_stream && l->scratch && l->result && l->kappa && l->local && l->later &&
        l->answered && l->own && l->all && l->others && l->put && l->zeros && l->left && l->sent_left.u &&
        l->shapes && l->account && l->unjoined && l->ahead.follower && l->traced_ns && l->turn)
        return l;
fail:
    mpg_lanes_free(l);
    mpg_error_set(err, "out of memory");
    return NULL;
}

double mpg_lanes_bytes(uint32_t slots, int32_t ranks)
{
    return sizeof(double) * (3.0 * slots + (1.0 + MPG_TERMS) * ranks + 1) + mpg_shapes_bytes(ranks);
}

void mpg_lanes_free(struct mpg_lanes *l)
{
    if (!l)
        return;
    free(l->last_stream);
    free(l->stream_value);
    free(l->slot_value);
    free(l->slot_bare);
    free(l->slot_base);
    free(l->members);
    free(l->member_slot);
    mpg_shapes_free(l->shapes);
    mpg_expansion_free(l->expansion);
    free(l->scratch);
    free(l->result);
    free(l->kappa);
    free(l->local);
    free(l->later);
    free(l->answered);
    free(l->slot_met);
    free(l->passed_ns);
    free(l->covered_ns);
    free(l->floored);
    free(l->cursor);
    free(l->entered_ns);
    free(l->own);
    free(l->all);
    free(l->others);
    free(l->put);
    free(l->zeros);
    free(l->left);
    free(l->sent_left.u);
    free(l->slot_left);
    free(l->slot_u);
    free(l->account);
    mpg_lanes_trail_free(l->trail);
    mpg_lanes_tally_free(l);
    free(l->unjoined);
    free(l->ahead.follower);
    free(l->traced_ns);
    free(l->edge);
    free(l->turn);
    mpg_choosing_free(l->choice);
    free(l->before);
    free(l->interval_ns);
    free(l);
}

void mpg_lanes_use_paths(struct mpg_lanes *l, const struct mpg_paths *paths)
{
    l->paths = paths;
    l->charges = l->flies = l->leaves = true; /* some may have overheads, and times */
    l->covers = paths->covers;
}

void mpg_lanes_use_classes(struct mpg_lanes *l, const struct mpg_classes *classes)
{
    l->classes = classes;
}

const double *mpg_lanes_value(const struct mpg_lanes *l, uint32_t stream)
{
    return stream_value(l, stream);
}

const double *mpg_lanes_delay(const struct mpg_lanes *l, int32_t rank)
{
    return l->stream_value + (size_t)l->last_stream[rank] * l->n;
}

int64_t mpg_lanes_traced(const struct mpg_lanes *l, int32_t rank)
{
    return l->traced_ns[rank];
}

const double *mpg_lanes_account(const struct mpg_lanes *l, int32_t rank)
{
    return (l->tally ? l->rank_account : l->account) + (size_t)rank * MPG_TERMS * l->n;
}

static int reserve_values(const struct mpg_lanes *l, double **values, uint32_t *capacity,
                          uint32_t count, struct mpg_error *err)
{
    void *items = *values;
    int status = mpg_reserve(&items, l->n * sizeof **values, capacity, count, err);
    *values = items;
    return status;
}

void mpg_lanes_use_polling(struct mpg_lanes *l, int64_t polling_ns)
{
    l->polling_ns = polling_ns;
}

/* Where streams were before their last interval. */
static int reserve_before(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    void *intervals = l->interval_ns;
    int status = reserve_values(l, &l->before, &l->before_capacity, s->stream + 1, err) < 0 ||
                 mpg_reserve(&intervals, sizeof *l->interval_ns, &l->interval_capacity,
                                     s->stream + 1, err) < 0;
    l->interval_ns = intervals;
    return status ? -1 : 0;
}

/* What step S needs, with SLOTS slots in use; its stream may be a thread that is new. */
static APART int reserve_all(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                       struct mpg_error *err)
{
    const uint32_t streams = s->stream + 1;
    void *met = l->slot_met, *cursor = l->cursor, *left = l->slot_left;
    void *entered = l->entered_ns, *covered = l->covered_ns, *floored = l->floored;
    const bool enters = mpg_perturbation_call_noise_measured(l->p);
    int status =
        reserve_values(l, &l->slot_value, &l->slot_capacity, slots, err) < 0 ||
        reserve_values(l, &l->slot_bare, &l->bare_capacity, slots, err) < 0 ||
        reserve_values(l, &l->stream_value, &l->stream_capacity, streams, err) < 0 ||
        (l->leaves && (reserve_values(l, &l->slot_u, &l->u_capacity, slots, err) < 0 ||
                       mpg_reserve(&left, sizeof *l->slot_left, &l->left_capacity, slots, err) < 0)) ||
        mpg_reserve(&met, sizeof *l->slot_met, &l->met_capacity, slots, err) < 0 ||
        (l->cursor_bytes > 0 && mpg_reserve(&cursor, l->n * l->cursor_bytes, &l->cursor_capacity,
                                                 streams, err) < 0) ||
        (l->absorb == MPG_ABSORB_CLOCK &&
         mpg_reserve(&floored, sizeof *l->floored, &l->floored_capacity, streams, err) < 0) ||
        (enters && mpg_reserve(&entered, sizeof *l->entered_ns, &l->entered_capacity,
                                       streams, err) < 0) ||
        (l->covers && (reserve_values(l, &l->passed_ns, &l->passed_capacity, streams, err) < 0 ||
                       mpg_reserve(&covered, sizeof *l->covered_ns, &l->covered_capacity,
                                           streams, err) < 0));
    l->slot_met = met;
    l->slot_left = left;
    l->cursor = cursor;
    l->entered_ns = entered;
    l->covered_ns = covered;
    l->floored = floored;
    if (status || (l->choice && l->polling_ns >= 0 && reserve_before(l, s, err) < 0))
        return -1;
    l->ready_slots = slots > l->ready_slots ? slots : l->ready_slots;
    l->ready_streams = streams > l->ready_streams ? streams : l->ready_streams;
    if (s->stream >= l->streams) {
        l->streams = s->stream + 1;
        l->unjoined[s->rank]++;
    }
    return 0;
}

/* The same, where it does not have it: a stream is not ready before it is met. */
static inline int reserve(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return slots <= l->ready_slots && s->stream < l->ready_streams ? 0 : reserve_all(l, s, slots, err);
}

/* Whether something is put into the interval S, or somebody asks where it was. */
static inline bool enters(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return l->computes || s->tracer_ns != 0 || l->choice || l->entered_ns;
}

enum mpg_steps_wanted mpg_lanes_wants(const struct mpg_lanes *l)
{
    const bool is_idle = !l->computes && !l->choice && !mpg_perturbation_call_noise_measured(l->p);
    return is_idle && !l->tally && !l->trail ? MPG_STEPS_NOT_IDLE : MPG_STEPS_ALL;
}

static APART void step_enter(struct mpg_lanes *l, const struct mpg_step *s)
{
    if (l->n >= MPG_LANES_AHEAD_LEAST)
        mpg_lanes_look_ahead(l, s->stream);
    double *value = stream_value(l, s->stream);
    double *before = l->scratch, *compute = account_of(l, s->rank, MPG_TERM_COMPUTE);
    copy(before, value, l->n);
    const bool is_polling = polls(l, s);
    if (l->choice && l->polling_ns >= 0) {
        for (uint32_t w = 0; w < l->n; w++)
            l->before[(size_t)s->stream * l->n + w] = is_polling ? value[w] : INFINITY;
        l->interval_ns[s->stream] = (double)s->interval_ns + (double)s->tracer_ns;
    }
    struct mpg_interval x = {.rank = s->rank,
                             .ratio = mpg_perturbation_rho(l->p) * s->change->ratio,
                             .more_ns = mpg_perturbation_rho(l->p) * s->change->more_ns,
                             .call = s->number,
                             .since_ns = (double)s->since_ns,
                             .length_ns = (double)s->interval_ns,
                             .off_ns = mpg_perturbation_removes_off_cpu(l->p) ? (double)s->off_ns : 0};
    if (l->entered_ns)
        l->entered_ns[s->stream] = (double)(s->since_ns + s->interval_ns + s->tracer_ns);
    if (!is_polling) {
        if (l->covers)
            x.covered_ns = l->covered_ns[s->stream];
        meet_noise(l, s->stream, &x);
        if (l->classes)
            mpg_classes_find(l->classes, s, &x);
        mpg_perturb_compute(l->p, &x, l->first, l->n, value); /* from the last call's end on */
    }
    l->code->enter(l->n, before, l->p->without_tracer ? (double)s->tracer_ns : 0, value, compute);
}

static APART void step_join(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream);
    const double *other = slot_value(l, s->slot);
    double *hidden = account_of(l, s->rank, MPG_TERM_HIDDEN);
    double *taken = account_of(l, s->rank, MPG_TERM_TAKEN);
    l->unjoined[s->rank]--;
    for (uint32_t w = 0; w < l->n; w++) {
        double less = other[w] > value[w] ? value[w] : other[w];
        value[w] = other[w] > value[w] ? other[w] : value[w];
        hidden[w] += less > 0 ? less : 0;
        taken[w] += less < 0 ? -less : 0;
    }
}

static APART void step_load(struct mpg_lanes *l, const struct mpg_step *s)
{
    double *value = stream_value(l, s->stream);
    double *hidden = account_of(l, s->rank, MPG_TERM_HIDDEN);
    double *taken = account_of(l, s->rank, MPG_TERM_TAKEN);
    memcpy(value, slot_value(l, s->slot), l->n * sizeof *value);
    for (uint32_t w = 0; w < l->n; w++) {
        taken[w] += value[w] > 0 ? value[w] : 0;
        hidden[w] += value[w] < 0 ? -value[w] : 0;
    }
}

/* A rank without an MPI_Finalize ends in the latest of its threads: what became of the
 * others is hidden behind it. */
static void settle(struct mpg_lanes *l, int32_t rank)
{
    double *term[MPG_TERMS];
    for (int i = 0; i < MPG_TERMS; i++)
        term[i] = account_of(l, rank, (enum mpg_lanes_term)i);
    for (uint32_t w = 0; w < l->n; w++) {
        double put_ns = term[MPG_TERM_COMPUTE][w] + term[MPG_TERM_CALL][w] +
                        term[MPG_TERM_MESSAGE][w] + term[MPG_TERM_COLLECTIVE][w];
        double over_ns = put_ns + term[MPG_TERM_TAKEN][w] - term[MPG_TERM_WAITED][w] -
                         term[MPG_TERM_HIDDEN][w] - term[MPG_TERM_LEFT][w];
        term[over_ns > 0 ? MPG_TERM_HIDDEN : MPG_TERM_TAKEN][w] += over_ns > 0 ? over_ns : -over_ns;
    }
}

static APART void step_finish(struct mpg_lanes *l, const struct mpg_step *s)
{
    l->traced_ns[s->rank] = s->since_ns;
    l->last_stream[s->rank] = s->stream;
    memcpy(account_of(l, s->rank, MPG_TERM_LEFT), stream_value(l, s->stream), l->n * sizeof(double));
    if (l->unjoined[s->rank] > 0)
        settle(l, s->rank);
}

/* A step other than ENTER and LEAVE. */
static APART int take_other(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
        memcpy(slot_value(l, s->slot), stream_value(l, s->stream), l->n * sizeof(double));
        memcpy(slot_bare(l, s->slot), stream_value(l, s->stream), l->n * sizeof(double));
        if (s->joins)
            return mpg_lanes_join_expanded(l, s, slots, err);
        break;
    case MPG_STEP_LOAD:
        step_load(l, s);
        break;
    case MPG_STEP_JOIN:
        step_join(l, s);
        break;
    case MPG_STEP_EAGER:
        mpg_lanes_eager(l, s);
        return l->choice ? mpg_lanes_sent(l, s, err) : 0;
    case MPG_STEP_SYNCHRONOUS:
        mpg_lanes_synchronous(l, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        mpg_lanes_contribute(l, s);
        break;
    case MPG_STEP_MERGE:
        mpg_lanes_merge(l, s);
        break;
    case MPG_STEP_VIEW:
        return mpg_lanes_view(l, s, err);
    case MPG_STEP_EXPAND:
        return mpg_lanes_expand(l, s, slots, err);
    case MPG_STEP_FINISH:
        if (l->tally)
            mpg_lanes_tally_finish(l, s, step_finish);
        else
            step_finish(l, s);
        break;
    default:
        break;
    }
    return 0;
}

static inline int take_step(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (reserve(l, s, slots, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_LEAVE)
        return mpg_lanes_leave(l, s, err);
    if (s->kind != MPG_STEP_ENTER)
        return take_other(l, s, slots, err);
    if (enters(l, s))
        step_enter(l, s);
    return 0;
}

/* What S is about is looked at before it is evaluated. */
static int begin_traced(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return reserve(l, s, slots, err) < 0 ? -1 : mpg_lanes_trail_begin(l, s, err);
}

/* The same for who asks where in the program delays come from. */
static int take_tallied(struct mpg_lanes *l, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct mpg_step *s = &steps->step[i];
        if (mpg_lanes_tally_begin(l, s, err) < 0 || (l->trail && begin_traced(l, s, steps->slots, err) < 0) ||
            take_step(l, s, steps->slots, err) < 0 || (l->trail && mpg_lanes_trail_end(l, s, err) < 0))
            return -1;
        mpg_lanes_tally_end(l, s);
    }
    return l->trail ? mpg_lanes_cut_trail(l, steps, err) : 0;
}

int mpg_lanes_take(struct mpg_lanes *l, const struct mpg_steps *steps, struct mpg_error *err)
{
    if (l->tally)
        return take_tallied(l, steps, err);
    const uint32_t slots = steps->slots;
    for (const struct mpg_step *s = steps->step, *end = s + steps->n; s < end; s++)
        if (take_step(l, s, slots, err) < 0)
            return -1;
    return 0;
}
