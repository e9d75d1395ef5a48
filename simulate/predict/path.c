/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the values of one replica come from: as the steps in times.c and leave.c have them, told after each of them
 * (docs/MODEL.md, 8). Of ties it is the rank's own time, then what comes first. */
#include <math.h>
#include <stdlib.h>

#include "simulate/engine/operations.h"
#include "simulate/predict/times_private.h"

int mpg_times_use_path(struct mpg_times *t, struct mpg_path *path, struct mpg_error *err)
{
    if (mpg_path_restart(path, err) < 0)
        return -1;
    if (!(t->taken = calloc(1, sizeof *t->taken)))
        return mpg_error_set(err, "out of memory");
    t->path = path;
    t->follows = true;
    return 0;
}

const struct mpg_path *mpg_times_path(const struct mpg_times *t)
{
    return t->path;
}

void mpg_times_end_path(const struct mpg_times *t)
{
    struct mpg_path *p = t->path;
    for (int32_t i = 0; i < t->ranks; i++) {
        const double run_ns = mpg_times_run(t, i)[0];
        if (i > 0 && !(run_ns > p->run_ns))
            continue;
        p->run_ns = run_ns;
        p->rank = i;
        p->stream = t->last_stream[i];
    }
}

/* --- computation --- */

void mpg_times_path_enter(struct mpg_times *t, const struct mpg_step *s, double before_ns, double done_ns)
{
    const double took_ns = stream_value(t, s->stream, STREAM_TIME)[0] - before_ns;
    const bool quiet = mpg_perturbation_is_quiet(t->target->noise);
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_COMPUTATION] = quiet ? took_ns : done_ns,
                                          [MPG_WHERE_NOISE] = quiet ? 0 : took_ns - done_ns};
    mpg_path_add(t->path, mpg_path_stream(s->stream), mpg_path_stream(s->stream), s->stream, true, term);
}

/* --- calls --- */

void mpg_times_path_received(struct mpg_times *t, const struct mpg_step *s, uint32_t k)
{
    struct mpg_path_taken *x = t->taken;
    double latest_ns = -INFINITY, later_ns = 0;
    for (uint32_t i = k; i > 0; i--) {
        const struct mpg_arrival *a = &t->arrival[i - 1];
        if (a->time_ns + later_ns > latest_ns) {
            latest_ns = a->time_ns + later_ns;
            x->last = mpg_path_slot(a->edge->slot, MPG_PATH_TIME);
            x->last_ns = a->time_ns;
        }
        later_ns += mpg_times_receive_ns(t, a->i, a->further)[0];
    }
    const enum mpg_path_part part = mpg_call_is_probe(s->call) ? MPG_PATH_ENVELOPE : MPG_PATH_TIME;
    for (uint32_t i = 0; i < s->edge_number && k == 0; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL)
            continue;
        const double at_ns = slot_value(t, e->slot, part == MPG_PATH_ENVELOPE ? SLOT_ENVELOPE : SLOT_TIME)[0];
        if (at_ns > latest_ns) {
            latest_ns = x->last_ns = at_ns;
            x->last = mpg_path_slot(e->slot, part);
        }
    }
    if (k > 0 && t->arrived[0] >= t->scratch[0] + t->kappa[0]) { /* nothing that is paid is as late */
        x->last = mpg_path_slot(t->arrival[k - 1].edge->slot, MPG_PATH_TIME);
        x->last_ns = t->arrived[0];
    }
}

/* Of one-sided transfers: as add_round_trip() has it. */
static void find_round_trip(struct mpg_times *t, const struct mpg_step *s, double *term)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    const struct mpg_sending m = {.rank = s->rank, .to = -1, .call = s->number, .bytes = s->round_trip_target_bytes};
    double lambda_ns = 0, tau_ns = 0;
    mpg_time_flight(p, &m, t->first, 1, &lambda_ns, &tau_ns);
    mpg_time_ack(p, &m, t->first, 1, &lambda_ns);
    term[MPG_WHERE_LATENCY] = lambda_ns;
    term[MPG_WHERE_MESSAGES] = 2;
    term[MPG_WHERE_BYTES] = tau_ns;
    term[MPG_WHERE_SIZE] = m.bytes;
}

/* What of TOOK_NS has no other name is the call's. */
static void fill_call(double *term, double took_ns)
{
    term[MPG_WHERE_CALL] = took_ns - mpg_path_ns(term);
}

void mpg_times_path_own(struct mpg_times *t, const struct mpg_step *s, double scaled_ns)
{
    const double took_ns = t->best[0] - stream_value(t, s->stream, STREAM_TIME)[0];
    struct mpg_path_taken *x = t->taken;
    x->from = mpg_path_stream(s->stream);
    memset(x->term, 0, sizeof x->term);
    if (took_ns == 0)
        return;
    if (s->round_trip)
        find_round_trip(t, s, x->term);
    x->term[MPG_WHERE_SCALED] = scaled_ns;
    fill_call(x->term, took_ns);
}

void mpg_times_path_message(struct mpg_times *t)
{
    struct mpg_path_taken *x = t->taken;
    memset(x->term, 0, sizeof x->term);
    x->from = x->last;
    fill_call(x->term, t->best[0] - x->last_ns);
}

/* --- what calls wait for --- */

/* What mpg_times_add_collective() adds, into TERM, where it is more than nothing; calls' noise in it is left to them. */
static void find_collective(const struct mpg_times *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                            double bytes, const struct mpg_origin *meeting, int32_t members, double bytes_each,
                            double *term)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    const enum mpg_operation operation = mpg_operation_whole(call);
    double calls_ns = 0, empty_ns = 0, all_ns = 0;
    mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, bytes, false, t->first, 1, &calls_ns);
    if (mpg_collective_measured(p, operation, members, bytes_each)) {
        mpg_time_meeting(p, operation, members, bytes_each, meeting->rank, meeting->call, meeting->index, t->first, 1,
                         &term[MPG_WHERE_WHOLE]);
        term[MPG_WHERE_WHOLES] = 1;
        return;
    }
    mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, true, t->first, 1, &empty_ns);
    mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, bytes, true, t->first, 1, &all_ns);
    term[MPG_WHERE_LATENCY] = empty_ns - calls_ns;
    term[MPG_WHERE_MESSAGES] = rounds;
    term[MPG_WHERE_BYTES] = all_ns - empty_ns;
    term[MPG_WHERE_SIZE] = bytes;
}

/* The synchronous send that E completes is done: by what, and what comes to that; its time is returned. */
static double find_done(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e, double *term,
                        struct mpg_path_value *from)
{
    const double *done = mpg_times_sender_done(t, s, e);
    const double met_ns = slot_value(t, e->slot, SLOT_MEET)[0];
    const bool is_large = e->bytes > (double)t->options.eager_limit_bytes;
    *from = mpg_path_slot(e->slot, MPG_PATH_TIME);
    if (done != t->scratch)
        return done[0];
    if (mpg_times_is_answered(t)) {
        term[MPG_WHERE_LATENCY] = done[0] - slot_value(t, e->slot, SLOT_TIME)[0];
        term[MPG_WHERE_MESSAGES] = 1;
        return slot_value(t, e->slot, SLOT_TIME)[0];
    }
    *from = mpg_path_slot(e->slot, MPG_PATH_MEET);
    if (is_large && done[0] > met_ns) {
        *from = mpg_path_slot(e->slot, MPG_PATH_BEGIN);
        term[MPG_WHERE_BYTES] = done[0] - slot_value(t, e->slot, SLOT_BEGIN)[0];
        return done[0] - term[MPG_WHERE_BYTES];
    }
    term[MPG_WHERE_LATENCY] = done[0] - met_ns;
    term[MPG_WHERE_MESSAGES] = !is_large;
    return met_ns;
}

void mpg_times_path_edge(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    struct mpg_path_taken *x = t->taken;
    double at_ns = slot_value(t, e->slot, SLOT_TIME)[0];
    memset(x->term, 0, sizeof x->term);
    x->from = mpg_path_slot(e->slot, MPG_PATH_TIME);
    if (e->kind == MPG_EDGE_ENVELOPE) {
        x->from = mpg_path_slot(e->slot, MPG_PATH_ENVELOPE);
        at_ns = slot_value(t, e->slot, SLOT_ENVELOPE)[0];
    } else if (e->kind == MPG_EDGE_ACK)
        at_ns = find_done(t, s, e, x->term, &x->from);
    else if (e->kind == MPG_EDGE_ROOT && t->best[0] > at_ns)
        find_collective(t, e->call, &e->origin, e->rounds, e->bytes, &e->meeting, e->members, e->contributed_bytes,
                        x->term);
    fill_call(x->term, t->best[0] - at_ns);
}

void mpg_times_path_leave(struct mpg_times *t, const struct mpg_step *s)
{
    if (t->choice && t->choice->vanishes[0]) /* it is not made */
        return;
    mpg_path_add(t->path, mpg_path_stream(s->stream), t->taken->from, s->stream, false, t->taken->term);
}

/* --- messages --- */

/* What S's message left from, before its stream may send the next one, and when that may be. */
struct leaving {
    struct mpg_path_value from;
    double at_ns;
};

static struct leaving find_leaving(const struct mpg_times *t, const struct mpg_step *s)
{
    const double now_ns = stream_value(t, s->stream, STREAM_TIME)[0];
    const double next_ns = stream_value(t, s->stream, STREAM_NEXT)[0];
    const bool waits = next_ns > now_ns;
    return (struct leaving){waits ? next_of(s->stream) : mpg_path_stream(s->stream), waits ? next_ns : now_ns};
}

static void add_next(struct mpg_times *t, const struct mpg_step *s, const struct leaving *x)
{
    const double gap_ns = stream_value(t, s->stream, STREAM_NEXT)[0] - x->at_ns;
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_BYTES] = gap_ns};
    mpg_path_add(t->path, next_of(s->stream), x->from, UINT32_MAX, false, term);
}

/* lambda and tau of S, as find_flight() left them. */
static void fill_flight(const struct mpg_times *t, const struct mpg_step *s, double *term)
{
    term[MPG_WHERE_LATENCY] = t->lambda[0];
    term[MPG_WHERE_MESSAGES] = 1;
    term[MPG_WHERE_BYTES] = t->tau[0];
    term[MPG_WHERE_SIZE] = s->bytes;
}

static void end_eager(struct mpg_times *t, const struct mpg_step *s, const struct leaving *x)
{
    double term[MPG_WHERE_TERMS] = {0};
    fill_flight(t, s, term);
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), x->from, UINT32_MAX, false, term);
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_ENVELOPE), mpg_path_slot(s->slot, MPG_PATH_TIME), UINT32_MAX, false, NULL);
    if (t->choice && s->is_followed)
        mpg_path_add(t->path, mpg_path_kept(mpg_choosing_kept(t->choice, s->message)), mpg_path_slot(s->slot, MPG_PATH_TIME),
                     UINT32_MAX, false, NULL);
    add_next(t, s, x);
}

static void end_store(struct mpg_times *t, const struct mpg_step *s, const struct leaving *x)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_LATENCY] = t->lambda[0], [MPG_WHERE_MESSAGES] = 1};
    if (!s->sends) {
        mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), mpg_path_stream(s->stream), UINT32_MAX, false, NULL);
        return;
    }
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), x->from, UINT32_MAX, false, NULL);
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_ENVELOPE), mpg_path_slot(s->slot, MPG_PATH_TIME), UINT32_MAX, false, term);
    add_next(t, s, x);
}

/* LEFT_NS and POSTED_NS are what it met from: its slots may be written by it. */
static void end_synchronous(struct mpg_times *t, const struct mpg_step *s, double left_ns, double posted_ns)
{
    const bool left_last = left_ns + t->lambda[0] > posted_ns;
    const struct mpg_path_value met = mpg_path_slot(s->slot, MPG_PATH_MEET);
    double flight[MPG_WHERE_TERMS] = {0}, lambda[MPG_WHERE_TERMS] = {0}, back[MPG_WHERE_TERMS] = {0};
    fill_flight(t, s, flight);
    if (left_last) {
        lambda[MPG_WHERE_LATENCY] = t->lambda[0];
        lambda[MPG_WHERE_MESSAGES] = 1;
    }
    back[MPG_WHERE_LATENCY] = -t->lambda[0];
    back[MPG_WHERE_MESSAGES] = -1;
    flight[MPG_WHERE_LATENCY] = flight[MPG_WHERE_MESSAGES] = 0;
    mpg_path_add(t->path, met, mpg_path_slot(left_last ? s->a : s->seen, MPG_PATH_TIME), UINT32_MAX, false, lambda);
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_BEGIN), met, UINT32_MAX, false, back);
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), met, UINT32_MAX, false, flight);
}

/* --- all of it --- */

static double slot_ns(const struct mpg_times *t, uint32_t slot)
{
    return slot_value(t, slot, SLOT_TIME)[0];
}

/* Those that take the later one: where A_NS is no later it is B. */
static void end_later(struct mpg_times *t, const struct mpg_step *s, double a_ns, double b_ns)
{
    if (s->kind == MPG_STEP_MERGE)
        mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), mpg_path_slot(a_ns > b_ns ? s->a : s->b, MPG_PATH_TIME),
                     UINT32_MAX, false, NULL);
    else if (b_ns > a_ns)
        mpg_path_add(t->path, mpg_path_stream(s->stream), mpg_path_slot(s->slot, MPG_PATH_TIME), s->stream, false, NULL);
}

static void end_contribute(struct mpg_times *t, const struct mpg_step *s, double before_ns)
{
    double term[MPG_WHERE_TERMS] = {0};
    if (slot_ns(t, s->slot) > before_ns) {
        find_collective(t, s->call, &s->origin, s->rounds, s->bytes, &s->meeting, s->members, s->contributed_bytes,
                        term);
        fill_call(term, slot_ns(t, s->slot) - before_ns);
    }
    mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_TIME), mpg_path_slot(s->a, MPG_PATH_TIME), UINT32_MAX, false, term);
}

int mpg_times_step_recorded(struct mpg_times *t, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (mpg_tally_step(t->path->tally, s, err) < 0 || mpg_times_reserve(t, s->stream + 1, slots, err) < 0)
        return -1;
    const struct leaving leaving = find_leaving(t, s);
    const bool is_synchronous = s->kind == MPG_STEP_SYNCHRONOUS, merges = s->kind == MPG_STEP_MERGE;
    const bool has_a = is_synchronous || merges || s->kind == MPG_STEP_CONTRIBUTE;
    const double a_ns = has_a                     ? slot_ns(t, s->a)
                        : s->kind == MPG_STEP_JOIN ? stream_value(t, s->stream, STREAM_TIME)[0]
                                                   : 0;
    const double b_ns = is_synchronous             ? slot_ns(t, s->seen)
                        : merges                   ? slot_ns(t, s->b)
                        : s->kind == MPG_STEP_JOIN ? slot_ns(t, s->slot)
                                                   : 0;
    if (mpg_times_step(t, s, slots, err) < 0)
        return -1;
    switch (s->kind) {
    case MPG_STEP_STORE:
        end_store(t, s, &leaving);
        break;
    case MPG_STEP_LOAD:
        mpg_path_add(t->path, mpg_path_stream(s->stream), mpg_path_slot(s->slot, MPG_PATH_TIME), s->stream, false, NULL);
        break;
    case MPG_STEP_EAGER:
        end_eager(t, s, &leaving);
        break;
    case MPG_STEP_SYNCHRONOUS:
        end_synchronous(t, s, a_ns, b_ns);
        break;
    case MPG_STEP_CONTRIBUTE:
        end_contribute(t, s, a_ns);
        break;
    case MPG_STEP_JOIN:
    case MPG_STEP_MERGE:
        end_later(t, s, a_ns, b_ns);
        break;
    case MPG_STEP_VIEW:
        if (s->slot != s->a)
            mpg_path_add(t->path, mpg_path_slot(s->slot, MPG_PATH_ALL), mpg_path_slot(s->a, MPG_PATH_ALL), UINT32_MAX, false, NULL);
        break;
    default: /* they tell it themselves, or it is not asked for */
        break;
    }
    return 0;
}
