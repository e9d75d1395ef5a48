/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of perturb mode (docs/MODEL.md, section 4), and the order of their evaluation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

/* For rarely called functions: kept out of the loop over steps, to save the loop from saving these functions' registers. */
#define NOINLINE __attribute__((noinline))

/* Number of vectors used in perturb mode only. */
enum { VECTORS = 9 };

static void list_vectors(struct mpg_evaluator *l, double **vector[VECTORS])
{
    double **const all[VECTORS] = {&l->result, &l->local, &l->later, &l->answered, &l->all,
                                   &l->others, &l->put,   &l->zeros, &l->left};
    memcpy(vector, all, sizeof all);
}

/* Sets the number of vectors for each slot and stream, as the perturbation needs. LEAVES: call overheads are measured; COVERS:
 * messages cover noise. */
static void use_overheads(struct mpg_evaluator *l, bool leaves, bool covers)
{
    l->leaves = leaves;
    l->covers = covers;
    l->slot_parts = leaves ? DELAY_SLOT_PARTS : SLOT_DRAWN;
    l->stream_parts = covers ? STREAM_NEXT : STREAM_PASSED;
}

struct mpg_evaluator *mpg_delays_new(int32_t ranks, uint32_t lanes, uint32_t first, enum mpg_absorb absorb, bool comparable,
                                     const struct mpg_perturbation *p, struct mpg_floors *floors,
                                     const struct mpg_classes *classes, struct mpg_error *err)
{
    struct mpg_evaluator *l = mpg_evaluator_new(&mpg_delays_mode, ranks, lanes, first);
    double **vector[VECTORS];
    if (!l)
        goto fail;
    l->code = mpg_recurrences();
    l->absorb = absorb;
    l->comparable = comparable;
    l->p = p;
    l->floors = floors;
    l->classes = classes;
    l->computes = mpg_perturbation_changes_computation(p);
    l->one_sided = mpg_perturbation_one_sided_measured(p);
    l->charges = p->call_noise.n > 0 || mpg_perturbation_overheads_measured(p) || mpg_perturbation_call_noise_measured(p);
    l->transmits = p->latency.n > 0 || p->byte.n > 0 || mpg_flight_rule(p) != MPG_FLIGHT_NONE;
    l->has_kappa = p->call_noise.n > 0;
    l->is_plain = true;
    l->cursor_bytes = mpg_perturbation_cursor_bytes(p);
    use_overheads(l, mpg_perturbation_overheads_measured(p), mpg_perturbation_noise_covered(p));
    list_vectors(l, vector);
    const bool all = allocate_vectors(vector, VECTORS, lanes);
    l->sent_left.u = calloc(lanes, sizeof *l->sent_left.u);
    l->quantile_cache = mpg_quantile_cache_new(first, lanes, err);
    l->unjoined = calloc((size_t)ranks, sizeof *l->unjoined);
    l->ahead.follower = calloc((size_t)ranks, sizeof *l->ahead.follower);
    if (all && l->sent_left.u && l->quantile_cache && l->unjoined && l->ahead.follower)
        return l;
fail:
    mpg_evaluator_free(l);
    mpg_error_set(err, "out of memory");
    return NULL;
}

static void free_own(struct mpg_evaluator *l)
{
    double **vector[VECTORS];
    list_vectors(l, vector);
    free_vectors(vector, VECTORS);
    mpg_quantile_cache_free(l->quantile_cache);
    free(l->slot_base);
    free(l->slot_met);
    free(l->slot_left);
    free(l->sent_left.u);
    free(l->floored);
    free(l->entered_ns);
    free(l->unjoined);
    free(l->ahead.follower);
    free(l->edge);
    free(l->before);
    free(l->interval_ns);
}

double mpg_delays_bytes(uint32_t slots, int32_t ranks)
{
    return sizeof(double) * (3.0 * slots + (1.0 + MPG_ACCOUNT_TERMS) * ranks + 1) + mpg_quantile_cache_bytes(ranks);
}

void mpg_delays_use_paths(struct mpg_evaluator *l, const struct mpg_paths *paths)
{
    l->paths = paths;
    l->charges = l->transmits = l->one_sided = true; /* some path class may have overheads and message times */
    use_overheads(l, true, paths->covers);
}

void mpg_delays_use_polling(struct mpg_evaluator *l, int64_t polling_ns)
{
    l->polling_ns = polling_ns;
}

static int reserve_own(struct mpg_evaluator *l, uint32_t streams, uint32_t slots, struct mpg_error *err)
{
    const bool has_before = l->choice && l->polling_ns >= 0;
    if ((l->leaves && mpg_reserve_at(&l->slot_left, sizeof *l->slot_left, &l->left_capacity, slots, err) < 0) ||
        mpg_reserve_at(&l->slot_met, sizeof *l->slot_met, &l->met_capacity, slots, err) < 0 ||
        (l->absorb == MPG_ABSORB_CLOCK &&
         mpg_reserve_at(&l->floored, sizeof *l->floored, &l->floored_capacity, streams, err) < 0) ||
        (mpg_perturbation_call_noise_measured(l->p) &&
         mpg_reserve_at(&l->entered_ns, sizeof *l->entered_ns, &l->entered_capacity, streams, err) < 0) ||
        (has_before &&
         (mpg_reserve_at(&l->before, l->n * sizeof *l->before, &l->before_capacity, streams, err) < 0 ||
          mpg_reserve_at(&l->interval_ns, sizeof *l->interval_ns, &l->interval_capacity, streams, err) < 0)))
        return -1;
    return 0;
}

static inline int reserve(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (reserve_for(l, s, slots, err) < 0)
        return -1;
    if (s->stream >= l->streams) {
        l->streams = s->stream + 1;
        l->unjoined[s->rank]++;
    }
    return 0;
}

/* Returns true if the step ENTER S must be evaluated: a delay is injected into the interval, or later steps need the stream's
 * position in time. */
static inline bool enters(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return l->computes || s->tracer_ns != 0 || l->choice || l->entered_ns;
}

static enum mpg_steps_wanted wants(const struct mpg_evaluator *l)
{
    const bool is_idle = !l->computes && !l->choice && !mpg_perturbation_call_noise_measured(l->p);
    return is_idle ? MPG_STEPS_NOT_IDLE : MPG_STEPS_ALL;
}

static NOINLINE void step_enter(struct mpg_evaluator *l, const struct mpg_step *s)
{
    if (l->n >= MPG_MIN_LANES_AHEAD)
        mpg_delays_look_ahead(l, s->stream);
    double *value = stream_delay(l, s->stream);
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
                             .off_ns = mpg_perturbation_removes_off_cpu(l->p) ? (double)s->off_ns : 0,
                             .visits = s->change->visits,
                             .visit_number = s->change->visit_number,
                             .traced_ns = (double)(s->interval_ns + s->tracer_ns)};
    if (l->entered_ns)
        l->entered_ns[s->stream] = (double)(s->since_ns + s->interval_ns + s->tracer_ns);
    if (!is_polling) {
        if (l->covers)
            x.covered_ns = l->covered_ns[s->stream];
        meet_noise(l, s->stream, &x);
        if (l->classes)
            mpg_classes_find(l->classes, s, &x);
        mpg_perturb_compute(l->p, &x, l->first, l->n, value); /* VALUE: the delay at the interval's begin */
    }
    l->code->enter(l->n, before, l->p->without_tracer ? (double)s->tracer_ns : 0, value, compute);
}

static NOINLINE void step_join(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double *value = stream_delay(l, s->stream);
    const double *other = slot_delay(l, s->slot);
    double *hidden = account_of(l, s->rank, MPG_TERM_HIDDEN);
    double *taken = account_of(l, s->rank, MPG_TERM_PROPAGATED);
    l->unjoined[s->rank]--;
    for (uint32_t w = 0; w < l->n; w++) {
        double less = other[w] > value[w] ? value[w] : other[w];
        value[w] = other[w] > value[w] ? other[w] : value[w];
        hidden[w] += less > 0 ? less : 0;
        taken[w] += less < 0 ? -less : 0;
    }
}

static NOINLINE void step_load(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double *value = stream_delay(l, s->stream);
    double *hidden = account_of(l, s->rank, MPG_TERM_HIDDEN);
    double *taken = account_of(l, s->rank, MPG_TERM_PROPAGATED);
    memcpy(value, slot_delay(l, s->slot), l->n * sizeof *value);
    for (uint32_t w = 0; w < l->n; w++) {
        taken[w] += value[w] > 0 ? value[w] : 0;
        hidden[w] += value[w] < 0 ? -value[w] : 0;
    }
}

/* Closes the account of a rank that ends with unjoined threads (no MPI_Finalize): the difference between the sum of the terms
 * and the net delay counts as hidden, or if negative as propagated. */
static void settle(struct mpg_evaluator *l, int32_t rank)
{
    double *term[MPG_ACCOUNT_TERMS];
    for (uint32_t i = 0; i < MPG_ACCOUNT_TERMS; i++)
        term[i] = account_of(l, rank, i);
    for (uint32_t w = 0; w < l->n; w++) {
        double put_ns = term[MPG_TERM_COMPUTE][w] + term[MPG_TERM_CALL][w] +
                        term[MPG_TERM_MESSAGE][w] + term[MPG_TERM_COLLECTIVE][w];
        double over_ns = put_ns + term[MPG_TERM_PROPAGATED][w] - term[MPG_TERM_WAITED][w] -
                         term[MPG_TERM_HIDDEN][w] - term[MPG_TERM_NET][w];
        term[over_ns > 0 ? MPG_TERM_HIDDEN : MPG_TERM_PROPAGATED][w] += over_ns > 0 ? over_ns : -over_ns;
    }
}

static NOINLINE void step_finish(struct mpg_evaluator *l, const struct mpg_step *s)
{
    l->traced_ns[s->rank] = s->since_ns;
    l->last_stream[s->rank] = s->stream;
    memcpy(account_of(l, s->rank, MPG_TERM_NET), stream_delay(l, s->stream), l->n * sizeof(double));
    if (l->unjoined[s->rank] > 0)
        settle(l, s->rank);
}

/* Evaluates a step other than ENTER and LEAVE. */
static NOINLINE int take_other(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
        memcpy(slot_delay(l, s->slot), stream_delay(l, s->stream), l->n * sizeof(double));
        memcpy(slot_propagated(l, s->slot), stream_delay(l, s->stream), l->n * sizeof(double));
        if (s->joins)
            return mpg_delays_join_expanded(l, s, slots, err);
        break;
    case MPG_STEP_LOAD:
        step_load(l, s);
        break;
    case MPG_STEP_JOIN:
        step_join(l, s);
        break;
    case MPG_STEP_EAGER:
        mpg_delays_eager(l, s);
        return l->choice ? mpg_delays_sent(l, s, err) : 0;
    case MPG_STEP_SYNCHRONOUS:
        mpg_delays_synchronous(l, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        mpg_delays_contribute(l, s);
        break;
    case MPG_STEP_MERGE:
        mpg_delays_merge(l, s);
        break;
    case MPG_STEP_VIEW:
        return mpg_evaluator_view(l, s, err);
    case MPG_STEP_EXPAND:
        return mpg_delays_expand(l, s, err);
    case MPG_STEP_FINISH:
        step_finish(l, s);
        break;
    case MPG_STEP_EXPORT:
        mpg_evaluator_export(l, s);
        break;
    case MPG_STEP_IMPORT:
        mpg_evaluator_import(l, s);
        l->slot_met[s->slot] = false;
        if (l->leaves)
            l->slot_left[s->slot].left = false;
        break;
    default:
        break;
    }
    return 0;
}

static inline int take_step(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (reserve(l, s, slots, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_LEAVE)
        return mpg_delays_leave(l, s, err);
    if (s->kind != MPG_STEP_ENTER)
        return take_other(l, s, slots, err);
    if (enters(l, s))
        step_enter(l, s);
    return 0;
}

static int step(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return take_step(l, s, slots, err);
}

static int take(struct mpg_evaluator *l, const struct mpg_steps *steps, struct mpg_error *err)
{
    const uint32_t slots = steps->slots;
    for (const struct mpg_step *s = steps->step, *end = s + steps->n; s < end; s++)
        if (take_step(l, s, slots, err) < 0)
            return -1;
    return 0;
}

static const uint32_t settled[] = {MPG_TERM_PROPAGATED, MPG_TERM_HIDDEN};

const struct mpg_evaluation mpg_delays_mode = {.step = step,
                                               .take = take,
                                               .wants = wants,
                                               .reserve = reserve_own,
                                               .free = free_own,
                                               .arrivals = &mpg_delays_arrivals,
                                               .tally = mpg_delays_tally,
                                               .settled = settled,
                                               .settled_number = 2,
                                               .record_begin = mpg_record_delays_begin,
                                               .record_end = mpg_record_delays_end,
                                               .run_ns = mpg_record_delays_run,
                                               .expanded_lanes = mpg_delays_expanded_lanes,
                                               .load = mpg_delays_load,
                                               .store = mpg_delays_store,
                                               .record_came = mpg_record_delays_came};
