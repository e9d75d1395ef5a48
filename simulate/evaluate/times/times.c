/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predict mode: computation, messages, and collectives. */
#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

/* Number of vectors used in predict mode only. */
enum { VECTORS = 5 };

static void list_vectors(struct mpg_evaluator *t, double **vector[VECTORS])
{
    double **const all[VECTORS] = {&t->best, &t->lambda, &t->tau, &t->answer, &t->arrived};
    memcpy(vector, all, sizeof all);
}

struct mpg_evaluator *mpg_times_new(int32_t ranks, uint32_t lanes, uint32_t first, const struct mpg_target *target,
                                    const struct mpg_times_options *options, struct mpg_floors *floors,
                                    const struct mpg_classes *classes, struct mpg_error *err)
{
    struct mpg_evaluator *t = mpg_evaluator_new(&mpg_times_mode, ranks, lanes, first);
    double **vector[VECTORS];
    if (!t)
        goto fail;
    t->target = target;
    t->options = *options;
    t->floors = floors;
    t->classes = classes;
    t->covers = mpg_target_covers(target);
    t->cursor_bytes = mpg_perturbation_cursor_bytes(target->noise);
    t->stream_parts = STREAM_PARTS;
    t->slot_parts = TIME_SLOT_PARTS;
    list_vectors(t, vector);
    const bool all = allocate_vectors(vector, VECTORS, lanes);
    t->threads = calloc((size_t)ranks, sizeof *t->threads);
    t->by_message = calloc(lanes, sizeof *t->by_message);
    t->receives = calloc(lanes, sizeof *t->receives);
    if (all && t->threads && t->by_message && t->receives)
        return t;
fail:
    mpg_evaluator_free(t);
    mpg_error_set(err, "out of memory");
    return NULL;
}

static void free_own(struct mpg_evaluator *t)
{
    double **vector[VECTORS];
    list_vectors(t, vector);
    free_vectors(vector, VECTORS);
    free(t->threads);
    free(t->by_message);
    free(t->receives);
    free(t->receive_ns);
    free(t->arrival);
}

double mpg_times_bytes(uint32_t slots, int32_t ranks)
{
    return sizeof(double) * (TIME_SLOT_PARTS * ((double)slots + ranks + 1) + (double)MPG_ACCOUNT_TERMS * ranks);
}

double *mpg_times_slot(struct mpg_evaluator *t, uint32_t slot, enum mpg_slot_part part)
{
    static const enum slot_part parts[] = {[MPG_SLOT_TIME] = SLOT_VALUE, [MPG_SLOT_ENVELOPE] = SLOT_ENVELOPE,
                                           [MPG_SLOT_MET] = SLOT_MEET, [MPG_SLOT_BEGIN] = SLOT_BEGIN};
    return slot_value(t, slot, parts[part]);
}

double *mpg_times_stream(struct mpg_evaluator *t, uint32_t stream)
{
    return stream_value(t, stream, STREAM_VALUE);
}

double mpg_times_own(const struct mpg_evaluator *t)
{
    return t->own[0];
}

double mpg_times_tau(const struct mpg_evaluator *t)
{
    return t->tau[0];
}

/* --- computation --- */

/* Returns whether the interval of S is polling that counts as waiting: short, after an unsuccessful test or MPI_Win_sync that
 * the call repeats. */
static bool is_polling(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    return t->options.polling == MPG_POLLING_WAIT && s->polls &&
           s->interval_ns <= t->options.polling_interval_ns;
}

static void step_enter(struct mpg_evaluator *t, const struct mpg_step *s)
{
    const struct mpg_perturbation *p = t->target->noise;
    double *value = stream_value(t, s->stream, STREAM_VALUE), *before = t->best;
    double work_ns = (double)(s->interval_ns - s->off_ns);
    memcpy(before, value, t->n * sizeof *before);
    if (s->cpu_ns >= 0 && (double)s->cpu_ns < work_ns)
        work_ns = (double)s->cpu_ns;
    if (p->work_alone && s->alone_ns >= 0)
        work_ns = (double)s->alone_ns;
    /* the loop waits for a change of a variable in a window, not for a message */
    const bool polls_memory = is_polling(t, s) && s->to.call == MPG_CALL_Win_sync;
    if (is_polling(t, s) && !polls_memory) {
        for (uint32_t w = 0; w < t->n; w++)
            account_of(t, s->rank, TERM_POLLED)[w] += (double)s->interval_ns;
        if (t->recorder)
            mpg_record_times_polled(t, s);
        return;
    }
    struct mpg_interval x = {.rank = s->rank,
                             .ratio = mpg_perturbation_rho(p) * (s->cpu_ns >= 0 ? s->change->cpu_ratio : s->change->ratio),
                             .more_ns = mpg_perturbation_rho(p) * s->change->more_ns,
                             .call = s->number,
                             .since_ns = (double)s->since_ns,
                             .length_ns = work_ns,
                             .visits = s->change->visits,
                             .visit_number = s->change->visit_number,
                             .traced_ns = (double)(s->interval_ns + s->tracer_ns)};
    if (t->covers)
        x.covered_ns = t->covered_ns[s->stream];
    meet_noise(t, s->stream, &x);
    const double done_ns = fmax(x.ratio * work_ns + x.more_ns, 0);
    if (t->classes && !polls_memory)
        mpg_classes_find(t->classes, s, &x);
    for (uint32_t w = 0; w < t->n; w++)
        value[w] -= x.since_ns;
    if (!polls_memory)
        mpg_perturb_compute(p, &x, t->first, t->n, value); /* VALUE: begin of the interval, relative to the begin in the trace */
    for (uint32_t w = 0; w < t->n; w++)
        value[w] += x.since_ns + (polls_memory ? done_ns : work_ns);
    if (t->recorder)
        mpg_record_times_enter(t, s, before, done_ns);
    if (!is_of_first_thread(t, s))
        return;
    double *compute = account_of(t, s->rank, TERM_COMPUTE), *noise = account_of(t, s->rank, TERM_NOISE);
    const bool quiet = mpg_perturbation_is_quiet(p); /* differences are rounding errors */
    for (uint32_t w = 0; w < t->n; w++) {
        compute[w] += done_ns;
        noise[w] += quiet ? 0 : value[w] - before[w] - done_ns;
    }
}

/* --- messages --- */

/* Writes the departure of S's message into OUT, and advances the earliest departure of the stream's next message. */
static void leave_for(struct mpg_evaluator *t, const struct mpg_step *s, double *out)
{
    const double *now = stream_value(t, s->stream, STREAM_VALUE);
    double *next = stream_value(t, s->stream, STREAM_NEXT);
    const struct mpg_perturbation *p = mpg_target_between(t->target, s->rank, s->receiver);
    const double gap_ns = p->parameters ? 0 : mpg_time_gap(p, s->bytes);
    for (uint32_t w = 0; w < t->n; w++) {
        out[w] = now[w] > next[w] ? now[w] : next[w];
        next[w] = out[w] + gap_ns;
    }
    if (p->parameters) { /* the sender's processor sends messages in sequence */
        const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
        mpg_time_overhead(p, MPG_OVERHEAD_SEND, &m, 1, t->first, t->n, next);
    }
}

/* Writes lambda and tau of S's message into t->lambda and t->tau. */
static void find_flight(struct mpg_evaluator *t, const struct mpg_step *s)
{
    struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    zero(t->lambda, t->n);
    zero(t->tau, t->n);
    mpg_time_flight(mpg_target_between(t->target, s->rank, s->receiver), &m, t->first, t->n,
                    t->lambda, t->tau);
}

static void step_eager(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *arrival = slot_value(t, s->slot, SLOT_VALUE);
    find_flight(t, s);
    leave_for(t, s, arrival);
    memcpy(slot_value(t, s->slot, SLOT_BEGIN), arrival, t->n * sizeof *arrival);
    for (uint32_t w = 0; w < t->n; w++)
        arrival[w] += t->lambda[w] + t->tau[w];
    memcpy(slot_value(t, s->slot, SLOT_ENVELOPE), arrival, t->n * sizeof *arrival);
}

uint32_t mpg_times_progress_slot(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    return s->progress_slot != s->b &&
                   mpg_time_overlaps(mpg_target_between(t->target, s->rank, s->receiver), MPG_OVERLAP_RECEIVE, s->bytes)
               ? s->b
               : s->progress_slot;
}

static void step_synchronous(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *arrival = slot_value(t, s->slot, SLOT_VALUE);
    double *met = slot_value(t, s->slot, SLOT_MEET);
    double *begin = slot_value(t, s->slot, SLOT_BEGIN), *envelope = slot_value(t, s->slot, SLOT_ENVELOPE);
    const double *left = slot_value(t, s->a, SLOT_VALUE), *posted = slot_value(t, mpg_times_progress_slot(t, s), SLOT_VALUE);
    find_flight(t, s);
    for (uint32_t w = 0; w < t->n; w++) {
        const double announced = left[w] + t->lambda[w];
        met[w] = announced > posted[w] ? announced : posted[w];
        begin[w] = met[w] - t->lambda[w];
        arrival[w] = met[w] + t->tau[w];
        envelope[w] = announced;
    }
}

/* Stores the departure of S's message, and the arrival of the message's envelope, which can be probed before the message meets
 * the receive. */
static void store_sending(struct mpg_evaluator *t, const struct mpg_step *s, double *out)
{
    double *envelope = slot_value(t, s->slot, SLOT_ENVELOPE);
    find_flight(t, s);
    leave_for(t, s, out);
    for (uint32_t w = 0; w < t->n; w++)
        envelope[w] = out[w] + t->lambda[w];
}

static void step_store(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *out = slot_value(t, s->slot, SLOT_VALUE);
    if (s->sends)
        store_sending(t, s, out);
    else
        memcpy(out, stream_value(t, s->stream, STREAM_VALUE), t->n * sizeof *out);
}

/* --- collectives --- */

void mpg_times_add_rounds(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                          double bytes, bool has_message, double *value)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    const enum mpg_overhead fence = mpg_overhead_complete(MPG_ONE_SIDED_FENCE);
    struct mpg_sent_message m = {.rank = origin->rank, .to = -1, .call = origin->call, .bytes = bytes};
    if (has_message && call == MPG_CALL_Win_fence && rounds > 0 && mpg_one_sided_known(p, fence)) {
        mpg_time_overhead(p, fence, &m, 1, t->first, t->n, value);
        m.bytes = 0;
        mpg_time_overhead(p, fence, &m, rounds - 1, t->first, t->n, value);
        has_message = false;
    }
    mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, bytes, has_message, t->first, t->n, value);
}

void mpg_times_add_collective(const struct mpg_evaluator *t, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              const struct mpg_origin *meeting, int32_t members, double bytes_each,
                              double *value)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    enum mpg_operation operation = mpg_operation_whole(call);
    bool measured = mpg_collective_measured(p, operation, members, bytes_each);
    memcpy(t->tau, value, t->n * sizeof *value);
    if (measured)
        mpg_time_collective(p, operation, members, bytes_each, meeting->rank, meeting->call,
                         meeting->index, t->first, t->n, value);
    mpg_times_add_rounds(t, call, origin, rounds, bytes, !measured, value);
    for (uint32_t w = 0; w < t->n; w++) /* kappas can be negative */
        value[w] = fmax(value[w], t->tau[w]);
}

static void step_contribute(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *out = slot_value(t, s->slot, SLOT_VALUE);
    memmove(out, slot_value(t, s->a, SLOT_VALUE), t->n * sizeof *out);
    mpg_times_add_collective(t, s->call, &s->origin, s->rounds, s->bytes, &s->meeting, s->members,
                             s->contributed_bytes, out);
}

static void step_merge(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *out = slot_value(t, s->slot, SLOT_VALUE);
    const double *a = slot_value(t, s->a, SLOT_VALUE), *b = slot_value(t, s->b, SLOT_VALUE);
    for (uint32_t w = 0; w < t->n; w++)
        out[w] = a[w] > b[w] ? a[w] : b[w];
}

/* --- threads, and the end --- */

static void step_load(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *value = stream_value(t, s->stream, STREAM_VALUE);
    memcpy(value, slot_value(t, s->slot, SLOT_VALUE), t->n * sizeof *value);
}

static void step_join(struct mpg_evaluator *t, const struct mpg_step *s)
{
    double *value = stream_value(t, s->stream, STREAM_VALUE);
    const double *other = slot_value(t, s->slot, SLOT_VALUE);
    for (uint32_t w = 0; w < t->n; w++)
        value[w] = other[w] > value[w] ? other[w] : value[w];
}

static void step_finish(struct mpg_evaluator *t, const struct mpg_step *s)
{
    t->traced_ns[s->rank] = s->since_ns;
    t->last_stream[s->rank] = s->stream;
    const double *value = stream_value(t, s->stream, STREAM_VALUE);
    for (uint32_t w = 0; w < t->n; w++) {
        double sum_ns = 0;
        for (enum times_term i = TERM_COMPUTE; i <= TERM_COLLECTIVE; i++)
            sum_ns += account_of(t, s->rank, i)[w];
        account_of(t, s->rank, TERM_RUN)[w] = value[w];
        /* in a rank of one thread the difference is only rounding */
        account_of(t, s->rank, TERM_THREAD)[w] = t->threads[s->rank] ? value[w] - sum_ns : 0;
    }
}

int mpg_times_step(struct mpg_evaluator *t, const struct mpg_step *s, uint32_t slots,
                   struct mpg_error *err)
{
    if (reserve_for(t, s, slots, err) < 0)
        return -1;
    t->threads[s->rank] = t->threads[s->rank] || s->stream >= (uint32_t)own_ranks(t);
    switch (s->kind) {
    case MPG_STEP_ENTER:
        step_enter(t, s);
        break;
    case MPG_STEP_STORE:
        step_store(t, s);
        break;
    case MPG_STEP_LOAD:
        step_load(t, s);
        break;
    case MPG_STEP_JOIN:
        step_join(t, s);
        break;
    case MPG_STEP_EAGER:
        step_eager(t, s);
        return t->choice ? mpg_times_sent(t, s, err) : 0;
    case MPG_STEP_SYNCHRONOUS:
        step_synchronous(t, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        step_contribute(t, s);
        break;
    case MPG_STEP_MERGE:
        step_merge(t, s);
        break;
    case MPG_STEP_EXPAND:
        return mpg_times_expand(t, s, err);
    case MPG_STEP_LEAVE:
        return mpg_times_leave(t, s, err);
    case MPG_STEP_EXPORT:
        mpg_evaluator_export(t, s);
        break;
    case MPG_STEP_IMPORT:
        mpg_evaluator_import(t, s);
        break;
    case MPG_STEP_FINISH:
        step_finish(t, s);
        break;
    case MPG_STEP_VIEW:
        return mpg_evaluator_view(t, s, err);
    }
    return 0;
}

static int take(struct mpg_evaluator *t, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (mpg_times_step(t, &steps->step[i], steps->slots, err) < 0)
            return -1;
    return 0;
}

static void tally(struct mpg_evaluator *t, const struct mpg_step *s)
{
    const uint32_t place = t->tally->at[s->stream];
    if (s->kind == MPG_STEP_ENTER) {
        mpg_evaluator_move(t, s->rank, TERM_COMPUTE, place);
        mpg_evaluator_move(t, s->rank, TERM_NOISE, place);
        mpg_evaluator_move(t, s->rank, TERM_POLLED, place);
    } else if (s->kind == MPG_STEP_LEAVE) {
        mpg_evaluator_move(t, s->rank, TERM_CALL, place);
        mpg_evaluator_move(t, s->rank, TERM_MESSAGE, place);
        mpg_evaluator_move(t, s->rank, TERM_COLLECTIVE, place);
    }
}

static const uint32_t settled[] = {TERM_THREAD};

const struct mpg_evaluation mpg_times_mode = {.is_times = true,
                                              .step = mpg_times_step,
                                              .take = take,
                                              .free = free_own,
                                              .arrivals = &mpg_times_arrivals,
                                              .tally = tally,
                                              .settled = settled,
                                              .settled_number = 1,
                                              .record_begin = mpg_record_times_begin,
                                              .record_end = mpg_record_times_end,
                                              .run_ns = mpg_record_times_run,
                                              .expanded_lanes = mpg_times_expanded_lanes,
                                              .load = mpg_times_load,
                                              .store = mpg_times_store,
                                              .record_came = mpg_record_times_came};
