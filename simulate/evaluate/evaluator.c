/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the evaluator shared by both modes: values of streams and slots, and the loop over steps with attribution or
 * provenance. */
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

struct mpg_evaluator *mpg_evaluator_new(const struct mpg_evaluation *mode, int32_t ranks, uint32_t lanes, uint32_t first)
{
    struct mpg_evaluator *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    *e = (struct mpg_evaluator){.mode = mode, .ranks = ranks, .n = lanes, .first = first, .account_stride = MPG_ACCOUNT_TERMS,
                                .streams = (uint32_t)ranks, .part_end = ranks};
    e->last_stream = calloc((size_t)ranks, sizeof *e->last_stream);
    e->traced_ns = calloc((size_t)ranks, sizeof *e->traced_ns);
    e->turn = calloc((size_t)ranks, sizeof *e->turn);
    e->account = calloc((size_t)ranks * MPG_ACCOUNT_TERMS * lanes, sizeof *e->account);
    e->scratch = calloc(lanes, sizeof *e->scratch);
    e->kappa = calloc(lanes, sizeof *e->kappa);
    e->own = calloc(lanes, sizeof *e->own);
    if (e->last_stream && e->traced_ns && e->turn && e->account && e->scratch && e->kappa && e->own)
        return e;
    mpg_evaluator_free(e);
    return NULL;
}

void mpg_evaluator_free(struct mpg_evaluator *e)
{
    if (!e)
        return;
    e->mode->free(e);
    free(e->stream);
    free(e->slot);
    free(e->covered_ns);
    free(e->cursor);
    free(e->last_stream);
    free(e->traced_ns);
    free(e->turn);
    free(e->account);
    mpg_evaluator_free_tally(e);
    mpg_recorder_free(e->recorder);
    mpg_choosing_free(e->choice);
    mpg_moved_arrivals_free(e->moves);
    mpg_expansion_free(e->expansion);
    free(e->members);
    free(e->member_slot);
    free(e->scratch);
    free(e->kappa);
    free(e->own);
    free(e);
}

int mpg_evaluator_reserve(struct mpg_evaluator *e, uint32_t streams, uint32_t slots, struct mpg_error *err)
{
    const size_t vector = e->n * sizeof(double);
    if (mpg_reserve_at(&e->stream, e->stream_parts * vector, &e->stream_capacity, streams, err) < 0 ||
        mpg_reserve_at(&e->slot, e->slot_parts * vector, &e->slot_capacity, slots, err) < 0 ||
        (e->covers && mpg_reserve_at(&e->covered_ns, sizeof *e->covered_ns, &e->covered_capacity, streams, err) < 0) ||
        (e->cursor_bytes > 0 &&
         mpg_reserve_at(&e->cursor, e->n * e->cursor_bytes, &e->cursor_capacity, streams, err) < 0) ||
        (e->mode->reserve && e->mode->reserve(e, streams, slots, err) < 0))
        return -1;
    e->ready_slots = slots > e->ready_slots ? slots : e->ready_slots;
    e->ready_streams = streams > e->ready_streams ? streams : e->ready_streams;
    return 0;
}

/* --- results --- */

const double *mpg_evaluator_value(const struct mpg_evaluator *e, uint32_t stream)
{
    return stream_value(e, stream, STREAM_VALUE);
}

/* Returns the evaluator that has the results of RANK. */
static const struct mpg_evaluator *owner_of(const struct mpg_evaluator *e, int32_t rank)
{
    while (e->next_part && (rank < e->part_first || rank >= e->part_end))
        e = e->next_part;
    return e;
}

const double *mpg_evaluator_end(const struct mpg_evaluator *whole, int32_t rank)
{
    const struct mpg_evaluator *e = owner_of(whole, rank);
    return stream_value(e, e->last_stream[rank], STREAM_VALUE);
}

int64_t mpg_evaluator_traced(const struct mpg_evaluator *e, int32_t rank)
{
    return owner_of(e, rank)->traced_ns[rank];
}

const double *mpg_evaluator_account(const struct mpg_evaluator *whole, int32_t rank)
{
    const struct mpg_evaluator *e = owner_of(whole, rank);
    return (e->tally ? e->rank_account : e->account) + (size_t)rank * MPG_ACCOUNT_TERMS * e->n;
}

const struct mpg_choosing *mpg_evaluator_choice(const struct mpg_evaluator *e)
{
    return e->choice;
}

const bool *mpg_evaluator_broken(const struct mpg_evaluator *e)
{
    return e->choice ? mpg_choosing_broken_lanes(e->choice) : NULL;
}

int mpg_evaluator_finish(const struct mpg_evaluator *e, struct mpg_error *err)
{
    if (e->recorder && mpg_recorder_finish(e, err) < 0)
        return -1;
    return e->choice ? mpg_choosing_refusal(e->choice, err) : 0;
}

double mpg_evaluator_noise(const struct mpg_evaluator *e, int32_t rank)
{
    return *account_of(e, rank, e->mode->is_times ? (uint32_t)TERM_NOISE : (uint32_t)MPG_TERM_COMPUTE);
}

/* --- parts of a divided graph --- */

bool mpg_evaluator_is_divisible(const struct mpg_evaluator *e)
{
    return !e->choice && !e->tally && !e->recorder;
}

/* Returns the bytes of a slot's vectors that steps of another part can read. In perturb mode, draws for the receiver's costs are
 * made again there, which is as fast as their transfer. */
static size_t exchanged_bytes(const struct mpg_evaluator *e)
{
    const uint32_t parts = e->mode->is_times ? e->slot_parts : (uint32_t)SLOT_PROPAGATED + 1;
    return (size_t)parts * e->n * sizeof(double);
}

size_t mpg_evaluator_exchange_at(struct mpg_evaluator *e, size_t at)
{
    e->exchange_at = at;
    return exchanged_bytes(e);
}

void mpg_evaluator_own_ranks(struct mpg_evaluator *e, int32_t first, int32_t end, const struct mpg_evaluator *next)
{
    e->part_first = first;
    e->part_end = end;
    e->next_part = next;
    e->streams = (uint32_t)own_ranks(e);
}

bool mpg_evaluator_has(const struct mpg_evaluator *whole, int32_t rank)
{
    const struct mpg_evaluator *e = owner_of(whole, rank);
    return rank >= e->part_first && rank < e->part_end;
}

void mpg_evaluator_export(const struct mpg_evaluator *e, const struct mpg_step *s)
{
    memcpy((char *)s->value + e->exchange_at, slot_value(e, s->slot, SLOT_VALUE), exchanged_bytes(e));
}

void mpg_evaluator_import(struct mpg_evaluator *e, const struct mpg_step *s)
{
    memcpy(slot_value(e, s->slot, SLOT_VALUE), (const char *)s->value + e->exchange_at, exchanged_bytes(e));
}

/* --- steps --- */

enum mpg_steps_wanted mpg_evaluator_wants(const struct mpg_evaluator *e)
{
    return e->tally || e->recorder || !e->mode->wants ? MPG_STEPS_ALL : e->mode->wants(e);
}

bool mpg_evaluator_is_costly(const struct mpg_evaluator *e)
{
    return !e->tally && !e->recorder && (e->mode->is_times || e->n > 1);
}

int mpg_evaluator_take(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err)
{
    return e->tally || e->recorder ? mpg_evaluator_take_one_by_one(e, steps, err) : e->mode->take(e, steps, err);
}
