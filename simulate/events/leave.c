/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEAVE steps: waiting for the inputs of a call, and the end. */
#include <math.h>

#include "simulate/events/costs.h"
#include "simulate/events/steps.h"

/* --- waiting --- */

int mpg_events_steps_begin_wait(struct world *w, uint32_t lane, double idle_ns, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    if (l->state == STREAM_WAITS)
        return 0;
    l->state = STREAM_WAITS;
    if (!steps_is_followed(w, lane))
        return 0;
    struct rank *r = &w->rank[lane];
    r->free_ns = fmax(r->free_ns, idle_ns);
    r->waits++;
    if (w->shares && mpg_events_share_leave(w, (int32_t)lane, idle_ns, err) < 0)
        return -1;
    return mpg_events_serve_next(w, (int32_t)lane, err);
}

/* Ends the call of LANE at END_NS. */
static int end_call(struct world *w, uint32_t lane, double end_ns, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    if (steps_is_first(w, lane)) {
        struct rank *r = &w->rank[lane];
        r->use[l->waits_for] += end_ns - l->own_ns - r->served_ns - r->lost_ns;
        r->served_ns = r->lost_ns = 0;
    }
    *mpg_times_stream(w->times, lane) = end_ns;
    l->left = l->over = false;
    if (mpg_events_steps_drop(w, lane, end_ns, err) < 0)
        return -1;
    return mpg_events_steps_advance(w, lane, err);
}

int mpg_events_steps_finish_wait(struct world *w, uint32_t lane, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    bool has = true;
    if (steps_is_followed(w, lane) && w->rank[lane].current) {
        l->over = true; /* the rank finishes the service first */
        return STOPS;
    }
    if (w->shares && steps_is_first(w, lane) && mpg_events_share_take(w, (int32_t)lane, &has, err) < 0)
        return -1;
    if (!has) {
        l->state = STREAM_READY;
        w->rank[lane].ready_ns = w->now_ns;
        return STOPS;
    }
    const double came_ns = l->ends_ns - l->rest_ns;
    return end_call(w, lane, w->now_ns > came_ns ? fmax(l->ends_ns, w->now_ns + l->rest_ns) : l->ends_ns, err);
}

/* --- calls --- */

uint32_t mpg_events_steps_missing(const struct world *w, const struct mpg_step *s)
{
    if (s->kind == MPG_STEP_LOAD || s->kind == MPG_STEP_JOIN)
        return program_value(&w->program, s->slot)->known ? NO_SLOT : s->slot;
    for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++)
        if (!program_value(&w->program, s->edges[i].slot)->known)
            return s->edges[i].slot;
    return NO_SLOT;
}

int mpg_events_steps_await(struct world *w, uint32_t lane, const struct mpg_step *s, uint32_t slot, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    const double idle_ns = *mpg_times_stream(w->times, lane) +
                           (steps_is_followed(w, lane) && s->kind == MPG_STEP_LEAVE ? mpg_events_call_sends_ns(w, s) : 0);
    if (!l->watches && mpg_events_program_watch(&w->program, slot, lane, err) < 0)
        return -1;
    l->watches = true;
    return mpg_events_steps_begin_wait(w, lane, idle_ns, err) < 0 ? -1 : STOPS;
}

/* Replaces the values of meetings that S reads by the times at which the rank of S may leave. A call that completes several
 * requests may read several. Returns the first meeting; NULL: S reads no meeting. */
static const struct meeting *prepare_meetings(struct world *w, const struct mpg_step *s)
{
    const struct meeting *first = NULL;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct meeting *m = w->program.slot[s->edges[i].slot].meeting;
        if (m)
            *mpg_times_slot(w->times, s->edges[i].slot, MPG_SLOT_TIME) = mpg_events_meeting_end(m, s->rank);
        first = first ? first : m;
    }
    return first;
}

static enum use use_of(const struct mpg_step *s, const struct meeting *m)
{
    for (uint32_t i = 0; i < s->edge_number && !m; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL || s->edges[i].kind == MPG_EDGE_ENVELOPE ||
            s->edges[i].kind == MPG_EDGE_ACK)
            return USE_MESSAGE;
    return m ? USE_BARRIER : s->edge_number > 0 ? USE_COLLECTIVE : USE_MESSAGE;
}

/* Starts the transfer of S if the owner serves transfers; else the evaluator has accounted for the transfer. */
static int transfer(struct world *w, uint32_t lane, const struct mpg_step *s, double enter_ns, struct mpg_error *err)
{
    const struct mpg_sent_message m = {.rank = s->rank, .to = s->transfer->owner, .call = s->number,
                                  .bytes = s->transfer->put_bytes > 0 ? s->transfer->put_bytes : w->parameters->request_bytes};
    double *value_ns = mpg_times_stream(w->times, lane);
    if (w->counts) {
        *(s->transfer->get_bytes > 0 ? &w->x->gets : &w->x->puts) += 1;
        mpg_events_steps_count(w, s->transfer->put_bytes + s->transfer->get_bytes);
    }
    if (!w->serves_transfers)
        return 0;
    const double sent_ns = enter_ns + mpg_events_send_overhead_ns(w, &m);
    *value_ns = fmax(*value_ns, sent_ns);
    if (m.to == m.rank) { /* a copy within one rank, without a request */
        *value_ns = fmax(*value_ns, sent_ns + mpg_events_copy_ns(w, &m, s->transfer->put_bytes + s->transfer->get_bytes));
        return 0;
    }
    w->lane[lane].blocks = w->blocking_get;
    return mpg_events_transfers_start(w, s, sent_ns, err);
}

/* Evaluates S without the evaluator's own round trip if requests replace the round trip, and with a round trip if each get
 * or put blocks. */
static int take(struct world *w, const struct mpg_step *s, struct mpg_error *err)
{
    const bool starts = s->transfer->owner >= 0 && !s->failed;
    const bool round_trip = w->serves_transfers ? false : w->blocking_get ? starts : s->round_trip;
    if (!round_trip && !s->round_trip)
        return mpg_events_steps_take(w, s, err);
    struct mpg_step changed = *s;
    changed.round_trip = round_trip;
    if (w->blocking_get)
        changed.round_trip_bytes = changed.round_trip_target_bytes = s->transfer->put_bytes + s->transfer->get_bytes;
    return mpg_events_steps_take(w, &changed, err);
}

int mpg_events_steps_leave(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    const uint32_t missing = mpg_events_steps_missing(w, s);
    if (missing != NO_SLOT)
        return mpg_events_steps_await(w, lane, s, missing, err);
    const struct meeting *m = prepare_meetings(w, s);
    const double enter_ns = *mpg_times_stream(w->times, lane);
    if (take(w, s, err) < 0)
        return -1;
    if (s->transfer->owner >= 0 && !s->failed && transfer(w, lane, s, enter_ns, err) < 0)
        return -1;
    l = &w->lane[lane];
    l->ends_ns = *mpg_times_stream(w->times, lane);
    const bool meets = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    l->own_ns = meets ? enter_ns : fmin(mpg_times_own(w->times), l->ends_ns);
    if (s->dropped || w->lane[lane].blocks || (s->transfer->owner >= 0 && !s->failed && w->serves_transfers))
        l->own_ns = l->ends_ns;
    l->waits_for = use_of(s, m);
    if (steps_is_first(w, lane))
        w->rank[lane].use[USE_CALL] += l->own_ns - enter_ns;
    const bool waits = l->state == STREAM_WAITS || l->ends_ns - l->own_ns > ROUNDING_NS;
    if (!steps_is_followed(w, lane) || !waits)
        return end_call(w, lane, l->ends_ns, err);
    l->left = true;
    l->rest_ns = l->ends_ns - mpg_events_arrival_ns(w, s, l->ends_ns);
    const double came_ns = l->ends_ns - l->rest_ns;
    if (mpg_events_steps_begin_wait(w, lane, enter_ns + mpg_events_call_sends_ns(w, s), err) < 0)
        return -1;
    if (came_ns > w->now_ns)
        return mpg_events_world_go(w, lane, came_ns, err) < 0 ? -1 : STOPS;
    return mpg_events_steps_finish_wait(w, lane, err);
}

