/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes at which ranks meet: arrivals of messages, and meetings of collectives. */
#include <math.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/recorder.h"
#include "simulate/models/resize.h"

/* ---- messages ---- */

/* Adds PART of the time of a message whose protocol changes. The result is an absolute time, expressed as a delay relative to
 * the message's earliest start on the target. */
static void add_target_flight(struct mpg_evaluator *l, const struct mpg_step *s,
                              enum mpg_flight_part part, double *out)
{
    struct mpg_sent_message m = sending_of(&s->origin, s->target_bytes);
    double floor_ns = part & MPG_FLIGHT_TAU ? flight_ns(l, s->rank, s->receiver, s->target_bytes) : 0;
    double empty_ns = flight_ns(l, s->rank, s->receiver, 0);
    if (part == MPG_FLIGHT_LAMBDA)
        floor_ns = empty_ns;
    else if (part == MPG_FLIGHT_TAU)
        floor_ns -= empty_ns;
    mpg_add_target_flight(path_costs_between(l, s->rank, s->receiver), &m, part, floor_ns, l->first, l->n, out);
}

void mpg_delays_eager(struct mpg_evaluator *l, const struct mpg_step *s)
{
    const double *sent = stream_delay(l, s->stream);
    double *out = slot_delay(l, s->slot);
    double *propagated = slot_propagated(l, s->slot), *posting = posts_kappa(l) ? l->local : l->zeros;
    l->slot_met[s->slot] = false;
    if (posting == l->local) {
        zero(posting, l->n);
        add_posting(l, s->requested, s->origin.rank, s->origin.call, posting);
    }
    l->code->send(l->n, sent, posting, s->changed, out, propagated);
    if (s->changed) {
        add_target_flight(l, s, MPG_FLIGHT_WHOLE, out);
        return;
    }
    const struct mpg_perturbation *path_costs = path_costs_between(l, s->rank, s->receiver);
    const struct mpg_sent_message m = sending_of(&s->origin, s->target_bytes);
    if (l->transmits)
        mpg_quantile_cache_perturb_flight(l->quantile_cache, path_costs, &m, out, &l->sent_left, slot_left(l, s->slot));
    if (s->bytes != s->target_bytes)
        mpg_resize_flight(path_costs, &m, s->bytes, l->first, l->n, out);
}

/* For S, a message enlarged by hypotheses beyond the eager limit: sets l->later to the arrival of S if sent as an eager
 * message, as a delay relative to the earliest start on the target. SENT: delay of the departure; SENDING: the sender's costs,
 * ns. */
static void find_eager(struct mpg_evaluator *l, const struct mpg_step *s, const double *sent, const double *sending)
{
    const struct mpg_perturbation *path_costs = path_costs_between(l, s->rank, s->receiver);
    const struct mpg_sent_message m = sending_of(&s->origin, s->target_bytes);
    const double there_ns = s->sender_ns + flight_ns(l, s->rank, s->receiver, s->bytes);
    const double shift_ns = there_ns - fmax(s->sender_ns, s->poster_ns);
    zero(l->later, l->n);
    mpg_perturb_flight(path_costs, &m, MPG_FLIGHT_WHOLE, l->first, l->n, l->later);
    mpg_resize_flight(path_costs, &m, s->bytes, l->first, l->n, l->later);
    for (uint32_t w = 0; w < l->n; w++)
        l->later[w] += sent[w] + sending[w] + shift_ns;
}

void mpg_delays_synchronous(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double *out = slot_delay(l, s->slot), *propagated = slot_propagated(l, s->slot);
    double *lambda = l->scratch, *tau = l->result, *sending = l->kappa, *posting = l->local;
    const double *sent = slot_delay(l, s->a), *posted = slot_delay(l, s->b);
    struct mpg_sent_message m = sending_of(&s->origin, s->target_bytes);
    double sender_slack = 0, poster_slack = 0;
    if (l->absorb == MPG_ABSORB_CLOCK) {
        /* if the message's protocol changes, lambda is the whole time of the target's envelope */
        double there_ns = s->sender_ns;
        if (!s->changed)
            there_ns += envelope_ns(l, s->rank, s->receiver, s->bytes);
        double later_ns = fmax(there_ns, s->poster_ns);
        sender_slack = later_ns - there_ns;
        poster_slack = later_ns - s->poster_ns;
    }
    l->slot_met[s->slot] = false;
    zero(lambda, l->n);
    zero(tau, l->n);
    zero(sending, l->n);
    zero(posting, l->n);
    add_posting(l, s->requested, s->origin.rank, s->origin.call, sending);
    add_posting(l, s->posted, s->receiver, s->poster, posting);
    if (s->changed) {
        add_target_flight(l, s, MPG_FLIGHT_LAMBDA, lambda);
        add_target_flight(l, s, MPG_FLIGHT_TAU, tau);
        for (uint32_t w = 0; w < l->n; w++) /* a message does not arrive before the receive is posted */
            tau[w] = fmax(tau[w], 0);
    } else {
        const struct mpg_perturbation *path_costs = path_costs_between(l, s->rank, s->receiver);
        mpg_perturb_flight(path_costs, &m, MPG_FLIGHT_LAMBDA, l->first, l->n, lambda);
        mpg_perturb_flight(path_costs, &m, MPG_FLIGHT_TAU, l->first, l->n, tau);
        mpg_resize_flight(path_costs, &m, s->bytes, l->first, l->n, tau);
    }
    if (s->grows)
        find_eager(l, s, sent, sending);
    for (uint32_t w = 0; w < l->n; w++) {
        double by_sender = sent[w] - sender_slack, by_poster = posted[w] - poster_slack;
        double left = by_sender + fmax(sending[w], 0), met = by_poster + fmax(posting[w], 0);
        propagated[w] = s->changed ? sent[w] : left > met ? left : met;
        by_sender += sending[w] + lambda[w];
        by_poster += posting[w];
        out[w] = (by_sender > by_poster ? by_sender : by_poster) + tau[w];
        out[w] = s->grows && l->later[w] > out[w] ? l->later[w] : out[w];
    }
    if (l->recorder) {
        const struct mpg_delay_met met = {lambda, tau, sending, posting, s->grows ? l->later : NULL, sender_slack, poster_slack};
        mpg_record_delays_met(l, s, &met);
    }
}

/* ---- collectives ---- */

void mpg_delays_add_collective(struct mpg_evaluator *l, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              double target_bytes, const struct mpg_origin *meeting, int32_t members,
                              double bytes_each, double *value)
{
    enum mpg_operation operation = mpg_operation_whole(call);
    const enum mpg_overhead fence = mpg_overhead_complete(MPG_ONE_SIDED_FENCE);
    bool measured = mpg_collective_measured(l->p, operation, members, bytes_each);
    if (call == MPG_CALL_Win_fence && rounds > 0 && mpg_one_sided_known(l->p, fence)) {
        struct mpg_sent_message m = {.rank = origin->rank, .to = -1, .call = origin->call, .bytes = target_bytes};
        mpg_perturb_one_sided(l->p, fence, &m, bytes, l->first, l->n, value);
        m.bytes = 0;
        for (uint32_t i = 1; i < rounds; i++)
            mpg_perturb_one_sided(l->p, fence, &m, 0, l->first, l->n, value);
        mpg_perturb_rounds(l->p, origin->rank, origin->call, origin->index, rounds, target_bytes, false, l->first, l->n, value);
        return;
    }
    if (measured)
        mpg_perturb_collective(l->p, operation, members, bytes_each, meeting->rank, meeting->call,
                            meeting->index, l->first, l->n, value);
    mpg_perturb_rounds(l->p, origin->rank, origin->call, origin->index, rounds, target_bytes, !measured,
                       l->first, l->n, value);
    mpg_resize_rounds(l->p, origin->rank, origin->call, origin->index, rounds, bytes, target_bytes, l->first,
                      l->n, value);
}

void mpg_delays_contribute(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double *out = slot_delay(l, s->slot), *delta = l->scratch;
    const double *in = slot_delay(l, s->a);
    zero(delta, l->n);
    mpg_delays_add_collective(l, s->call, &s->origin, s->rounds, s->bytes, s->target_bytes, &s->meeting,
                             s->members, s->contributed_bytes, delta);
    memcpy(slot_propagated(l, s->slot), in, l->n * sizeof *in);
    for (uint32_t w = 0; w < l->n; w++)
        out[w] = in[w] + delta[w];
}

void mpg_delays_merge(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double *out = slot_delay(l, s->slot), *propagated = slot_propagated(l, s->slot);
    const double *a = slot_delay(l, s->a), *b = slot_delay(l, s->b);
    const double *propagated_a = slot_propagated(l, s->a), *propagated_b = slot_propagated(l, s->b);
    double shift_a = 0, shift_b = 0;
    if (l->absorb == MPG_ABSORB_CLOCK) {
        shift_a = s->shift[0].clock;
        shift_b = s->shift[1].clock;
    } else if (l->absorb == MPG_ABSORB_WAIT) {
        shift_a = s->shift[0].wait;
        shift_b = s->shift[1].wait;
    }
    for (uint32_t w = 0; w < l->n; w++) {
        double x = a[w] - shift_a, y = b[w] - shift_b;
        double propagated_x = propagated_a[w] - shift_a, propagated_y = propagated_b[w] - shift_b;
        out[w] = x > y ? x : y;
        propagated[w] = propagated_x > propagated_y ? propagated_x : propagated_y;
    }
}
