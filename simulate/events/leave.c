/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEAVE steps: waiting for the inputs of a call, and the end. */
#include <math.h>

#include "simulate/events/costs.h"
#include "simulate/events/steps.h"

/* --- waiting --- */

int mpg_events_steps_begin_wait(struct replica *rep, uint32_t stream, double idle_ns, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    if (l->state == STREAM_WAITS)
        return 0;
    l->state = STREAM_WAITS;
    if (!steps_is_followed(rep, stream))
        return 0;
    struct rank *r = &rep->rank[stream];
    r->free_ns = fmax(r->free_ns, idle_ns);
    r->waits++;
    if (rep->shares && mpg_events_share_leave(rep, (int32_t)stream, idle_ns, err) < 0)
        return -1;
    return mpg_events_serve_next(rep, (int32_t)stream, err);
}

/* Ends the call of STREAM at END_NS. */
static int end_call(struct replica *rep, uint32_t stream, double end_ns, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    if (steps_is_first(rep, stream)) {
        struct rank *r = &rep->rank[stream];
        r->use[l->waits_for] += end_ns - l->own_ns - r->served_ns - r->lost_ns;
        r->served_ns = r->lost_ns = 0;
        if (l->progresses)
            r->progressed_ns = end_ns;
    }
    *mpg_times_stream(rep->times, stream) = end_ns;
    l->left = l->over = false;
    if (mpg_events_steps_drop(rep, stream, end_ns, err) < 0)
        return -1;
    return mpg_events_steps_advance(rep, stream, err);
}

int mpg_events_steps_finish_wait(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    bool has = true;
    if (steps_is_followed(rep, stream) && rep->rank[stream].current) {
        l->over = true; /* the rank finishes the service first */
        return STOPS;
    }
    if (rep->shares && steps_is_first(rep, stream) && mpg_events_share_take(rep, (int32_t)stream, &has, err) < 0)
        return -1;
    if (!has) {
        l->state = STREAM_READY;
        rep->rank[stream].ready_ns = rep->now_ns;
        return STOPS;
    }
    const double came_ns = l->ends_ns - l->rest_ns;
    return end_call(rep, stream, rep->now_ns > came_ns ? fmax(l->ends_ns, rep->now_ns + l->rest_ns) : l->ends_ns, err);
}

/* --- calls --- */

/* Returns the number of values read by S. */
static inline uint32_t inputs_of(const struct mpg_step *s)
{
    return s->kind == MPG_STEP_LEAVE ? s->edge_number : s->kind == MPG_STEP_LOAD || s->kind == MPG_STEP_JOIN;
}

/* Returns value I read by S. */
static inline struct value *input_of(const struct replica *rep, const struct mpg_step *s, uint32_t i)
{
    if (s->kind != MPG_STEP_LEAVE)
        return program_value(&rep->program, s->slot);
    const struct mpg_edge *e = &s->edges[i];
    const bool takes_left = e->expanded || e->kind == MPG_EDGE_ACK;
    return takes_left ? &rep->program.slot[e->slot].left : program_value(&rep->program, e->slot);
}

bool mpg_events_steps_misses(const struct replica *rep, const struct mpg_step *s)
{
    for (uint32_t i = 0, n = inputs_of(s); i < n; i++)
        if (!value_is_known(input_of(rep, s, i)))
            return true;
    return false;
}

int mpg_events_steps_await(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    const double idle_ns = *mpg_times_stream(rep->times, stream) +
                           (steps_is_followed(rep, stream) && s->kind == MPG_STEP_LEAVE ? mpg_events_call_sends_ns(rep, s) : 0);
    for (uint32_t i = 0, n = l->watched == 0 ? inputs_of(s) : 0; i < n; i++) {
        struct value *value = input_of(rep, s, i);
        if (value_is_known(value))
            continue;
        if (mpg_events_program_watch(&rep->program, value, stream, err) < 0)
            return -1;
        l->watched++;
    }
    return mpg_events_steps_begin_wait(rep, stream, idle_ns, err) < 0 ? -1 : STOPS;
}

/* Replaces the meetings' values read by S by the times at which the rank of S may leave. A call completing several requests may
 * read the values of several meetings. Returns the first meeting; NULL: S reads no meeting. */
static const struct meeting *prepare_meetings(struct replica *rep, const struct mpg_step *s)
{
    const struct meeting *first = NULL;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct meeting *m = rep->program.slot[s->edges[i].slot].meeting;
        if (m)
            *mpg_times_slot(rep->times, s->edges[i].slot, MPG_SLOT_TIME) = mpg_events_meeting_end(m, s->rank);
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
static int transfer(struct replica *rep, uint32_t stream, const struct mpg_step *s, double enter_ns, struct mpg_error *err)
{
    const struct mpg_sent_message m = {.rank = s->rank, .to = s->transfer->owner, .call = s->number,
                                  .bytes = s->transfer->put_bytes > 0 ? s->transfer->put_bytes : rep->parameters->request_bytes};
    double *value_ns = mpg_times_stream(rep->times, stream);
    if (rep->counts) {
        *(s->transfer->get_bytes > 0 ? &rep->x->gets : &rep->x->puts) += 1;
        mpg_events_steps_count(rep, s->transfer->put_bytes + s->transfer->get_bytes);
    }
    if (!rep->serves_transfers)
        return 0;
    const double sent_ns = enter_ns + mpg_events_send_overhead_ns(rep, &m);
    *value_ns = fmax(*value_ns, sent_ns);
    if (m.to == m.rank) { /* a copy within one rank, without a request */
        *value_ns = fmax(*value_ns, sent_ns + mpg_events_copy_ns(rep, &m, s->transfer->put_bytes + s->transfer->get_bytes));
        return 0;
    }
    rep->stream[stream].blocks = rep->blocking_get;
    return mpg_events_transfers_start(rep, s, sent_ns, err);
}

/* Evaluates S. The round trip of a transfer is either simulated by requests, and then the evaluator adds none, or added by the
 * evaluator, because each get or put blocks. */
static int take(struct replica *rep, const struct mpg_step *s, struct mpg_error *err)
{
    const bool starts = s->transfer->owner >= 0 && !s->failed;
    const bool round_trip = rep->serves_transfers ? false : rep->blocking_get ? starts : s->round_trip;
    if (!round_trip && !s->round_trip && !(rep->serves_transfers && starts))
        return mpg_events_steps_take(rep, s, err);
    struct mpg_step changed = *s;
    changed.round_trip = round_trip;
    if (rep->serves_transfers)
        changed.transfer = &mpg_no_transfer;
    if (starts && rep->blocking_get)
        changed.round_trip_call = (uint16_t)s->call;
    if (rep->blocking_get)
        changed.round_trip_bytes = changed.round_trip_target_bytes = s->transfer->put_bytes + s->transfer->get_bytes;
    return mpg_events_steps_take(rep, &changed, err);
}

int mpg_events_steps_leave(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    if (mpg_events_steps_misses(rep, s))
        return mpg_events_steps_await(rep, stream, s, err);
    const struct meeting *m = prepare_meetings(rep, s);
    const double enter_ns = *mpg_times_stream(rep->times, stream);
    if (take(rep, s, err) < 0)
        return -1;
    if (s->transfer->owner >= 0 && !s->failed && transfer(rep, stream, s, enter_ns, err) < 0)
        return -1;
    l = &rep->stream[stream];
    l->ends_ns = *mpg_times_stream(rep->times, stream);
    l->progresses = !s->failed && (s->edge_number > 0 || mpg_graph_call_progresses(s->call));
    const bool meets = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    l->own_ns = meets ? enter_ns : fmin(mpg_times_own(rep->times), l->ends_ns);
    if (s->dropped || rep->stream[stream].blocks || (s->transfer->owner >= 0 && !s->failed && rep->serves_transfers))
        l->own_ns = l->ends_ns;
    l->waits_for = use_of(s, m);
    if (steps_is_first(rep, stream))
        rep->rank[stream].use[USE_CALL] += l->own_ns - enter_ns;
    const bool waits = l->state == STREAM_WAITS || l->ends_ns - l->own_ns > ROUNDING_NS;
    if (!steps_is_followed(rep, stream) || !waits)
        return end_call(rep, stream, l->ends_ns, err);
    l->left = true;
    l->rest_ns = l->ends_ns - mpg_events_arrival_ns(rep, s, l->ends_ns);
    const double came_ns = l->ends_ns - l->rest_ns;
    if (mpg_events_steps_begin_wait(rep, stream, enter_ns + mpg_events_call_sends_ns(rep, s), err) < 0)
        return -1;
    if (came_ns > rep->now_ns)
        return mpg_events_replica_schedule(rep, stream, came_ns, err) < 0 ? -1 : STOPS;
    return mpg_events_steps_finish_wait(rep, stream, err);
}

