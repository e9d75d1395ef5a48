/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of steps without a wait. */
#include <math.h>

#include "simulate/events/network.h"
#include "simulate/events/steps.h"

void mpg_events_steps_count(struct replica *rep, double bytes)
{
    int bin = 0; /* bin 0: no bytes; next bins from 1, 2, 4 ... bytes */
    for (double left = bytes; left >= 1 && bin < MPG_SIZE_BINS - 1; left /= 2)
        bin++;
    rep->x->bytes += bytes;
    rep->x->sizes[bin]++;
}

int mpg_events_steps_drop(struct replica *rep, uint32_t stream, double value_ns, struct mpg_error *err)
{
    const int status =
        rep->observer ? rep->observer->take(rep->observer->context, program_first(&rep->program, stream), value_ns, err) : 0;
    mpg_events_program_drop(&rep->program, stream);
    return status;
}

int mpg_events_steps_take(struct replica *rep, const struct mpg_step *s, struct mpg_error *err)
{
    return mpg_times_step(rep->times, s, rep->program.slots, err);
}

int mpg_events_steps_advance(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    const double value_ns = *mpg_times_stream(rep->times, stream);
    rep->stream[stream].state = STREAM_RUNS;
    if (rep->runs_ahead || !(value_ns > rep->now_ns))
        return CONTINUES;
    return mpg_events_replica_schedule(rep, stream, value_ns, err) < 0 ? -1 : STOPS;
}

/* --- computation --- */

static int enter(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    const bool follows = steps_is_followed(rep, stream);
    double *value_ns = mpg_times_stream(rep->times, stream);
    if (follows) /* serving, or sharing the processor, has delayed the stream */
        *value_ns = rep->now_ns;
    const double before_ns = *value_ns;
    if (mpg_events_steps_take(rep, s, err) < 0)
        return -1;
    value_ns = mpg_times_stream(rep->times, stream);
    if (!follows) {
        const double end_ns = *value_ns;
        if (mpg_events_steps_drop(rep, stream, end_ns, err) < 0)
            return -1;
        return mpg_events_steps_advance(rep, stream, err);
    }
    const double work_ns = *value_ns - before_ns;
    return mpg_events_serve_work(rep, (int32_t)stream, s, work_ns > ROUNDING_NS ? work_ns : 0, err) < 0 ? -1 : STOPS;
}

/* Ends a slice of STREAM's work. */
static int end_work(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    bool done;
    if (mpg_events_serve_slice(rep, (int32_t)stream, &done, err) < 0)
        return -1;
    if (!done)
        return STOPS;
    rep->rank[stream].served_ns = rep->rank[stream].lost_ns = 0;
    *mpg_times_stream(rep->times, stream) = rep->now_ns;
    rep->stream[stream].state = STREAM_RUNS;
    return mpg_events_steps_drop(rep, stream, rep->now_ns, err);
}

/* --- all steps --- */

/* Puts STREAM into the state READY: STREAM waits for the processor. */
static void be_ready(struct replica *rep, uint32_t stream)
{
    rep->stream[stream].state = STREAM_READY;
    rep->rank[stream].ready_ns = rep->now_ns;
}

/* All replies awaited by STREAM have arrived: the processor takes the replies from now on. */
static void end_drain(struct replica *rep, uint32_t stream)
{
    struct rank *r = &rep->rank[stream];
    double *value_ns = mpg_times_stream(rep->times, stream);
    if (!(rep->now_ns > *value_ns))
        return;
    r->use[USE_MESSAGE] += rep->now_ns - *value_ns - r->served_ns;
    r->served_ns = 0;
    *value_ns = rep->now_ns;
}

/* Before step S: waits until the replies to all transfers needed by S have arrived, then takes the replies. */
static int drain(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    struct rank *r = &rep->rank[stream];
    double *value_ns = mpg_times_stream(rep->times, stream), after_ns = *value_ns;
    const struct mpg_step *of = l->blocks ? NULL : s;
    bool missing;
    const size_t n = mpg_events_transfers_awaited(rep, of, s->rank, &missing);
    if (n == 0)
        return CONTINUES;
    if (missing) {
        l->drains = true;
        return mpg_events_steps_begin_wait(rep, stream, *value_ns, err) < 0 ? -1 : STOPS;
    }
    if (l->drains && r->current) { /* the rank finishes the service first */
        l->over = true;
        return STOPS;
    }
    if (l->drains && rep->shares) {
        bool has;
        end_drain(rep, stream);
        after_ns = *value_ns;
        if (mpg_events_share_take(rep, s->rank, &has, err) < 0)
            return -1;
        if (!has) {
            be_ready(rep, stream);
            return STOPS;
        }
    }
    if (mpg_events_transfers_take(rep, of, s->rank, n, &after_ns, err) < 0)
        return -1;
    if (l->drains)
        after_ns = fmax(after_ns, r->free_ns);
    r->use[USE_MESSAGE] += after_ns - *value_ns - r->served_ns;
    r->served_ns = 0;
    *value_ns = after_ns;
    l->drains = l->over = l->blocks = false;
    return mpg_events_steps_advance(rep, stream, err);
}

static int finish(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_events_steps_take(rep, s, err) < 0 || mpg_events_steps_drop(rep, stream, *mpg_times_stream(rep->times, stream),
                                                                        err) < 0)
        return -1;
    rep->stream[stream].state = STREAM_DONE;
    rep->running--;
    const struct rank *r = &rep->rank[s->rank];
    if (rep->shares && r->holds && !r->switching && mpg_events_share_release(rep, s->rank, err) < 0)
        return -1;
    return mpg_events_serve_next(rep, s->rank, err) < 0 ? -1 : STOPS;
}

static int send(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_events_steps_take(rep, s, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_EAGER && rep->counts) {
        rep->x->messages++;
        mpg_events_steps_count(rep, s->bytes);
    }
    if ((s->kind == MPG_STEP_EAGER ? mpg_events_network_send(rep, stream, s, err)
                                   : mpg_events_replica_set_known(rep, s->slot, err)) < 0)
        return -1;
    return mpg_events_steps_drop(rep, stream, *mpg_times_stream(rep->times, stream), err);
}

static int load(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_events_steps_misses(rep, s))
        return mpg_events_steps_await(rep, stream, s, err);
    if (mpg_events_steps_take(rep, s, err) < 0 || mpg_events_steps_drop(rep, stream, *mpg_times_stream(rep->times, stream),
                                                                        err) < 0)
        return -1;
    return mpg_events_steps_advance(rep, stream, err);
}

static int step(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    const struct mpg_step *s = program_first(&rep->program, stream);
    int status = CONTINUES;
    bool has = true;
    if (rep->serves_transfers && steps_is_first(rep, stream) && (status = drain(rep, stream, s, err)) != CONTINUES)
        return status;
    if (rep->shares && steps_is_first(rep, stream) && rep->stream[stream].state != STREAM_WAITS && s->kind != MPG_STEP_FINISH) {
        if (mpg_events_share_take(rep, (int32_t)stream, &has, err) < 0)
            return -1;
        if (!has) {
            be_ready(rep, stream);
            return STOPS;
        }
    }
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return enter(rep, stream, s, err);
    case MPG_STEP_LEAVE:
        return mpg_events_steps_leave(rep, stream, s, err);
    case MPG_STEP_FINISH:
        return finish(rep, stream, s, err);
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return load(rep, stream, s, err);
    default:
        return send(rep, stream, s, err);
    }
}

/* Returns true if STREAM has a pending step; the first thread of a rank reads the graph until STREAM has a step, at the time of
 * STREAM's value. */
static int has_step(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    int more = 1;
    if (!rep->program.queue[stream].first && steps_is_first(rep, stream) &&
        *mpg_times_stream(rep->times, stream) > rep->now_ns)
        return mpg_events_replica_schedule(rep, stream, *mpg_times_stream(rep->times, stream), err);
    while (more > 0 && !rep->program.queue[stream].first && steps_is_first(rep, stream))
        more = mpg_events_program_pull(&rep->program, &rep->calls, err);
    if (more < 0)
        return -1;
    if (!rep->program.queue[stream].first)
        rep->stream[stream].state = STREAM_WAITS;
    return rep->program.queue[stream].first != NULL;
}

static int go_on(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    int status = CONTINUES;
    while (status == CONTINUES) {
        const int has = has_step(rep, stream, err);
        if (has <= 0)
            return has;
        status = step(rep, stream, err);
    }
    return status < 0 ? -1 : 0;
}

int mpg_events_steps_run(struct replica *rep, uint32_t stream, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    int status = CONTINUES;
    if (l->state == STREAM_WORKS)
        status = end_work(rep, stream, err);
    else if (l->left)
        status = mpg_events_steps_finish_wait(rep, stream, err);
    if (status != CONTINUES)
        return status < 0 ? -1 : 0;
    return go_on(rep, stream, err);
}

int mpg_events_steps_granted(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct stream *l = stream_of(rep, rank);
    struct rank *r = &rep->rank[rank];
    const double lost_ns = rep->now_ns - r->ready_ns;
    r->use[USE_PROCESSOR] += lost_ns;
    if (r->left_ns > 0) /* the turn ends before the work does */
        return mpg_events_serve_resume(rep, rank, err);
    if (l->left) {
        r->lost_ns += lost_ns;
        l->state = STREAM_WAITS;
        return mpg_events_steps_run(rep, (uint32_t)rank, err);
    }
    l->state = STREAM_RUNS;
    *mpg_times_stream(rep->times, (uint32_t)rank) = fmax(*mpg_times_stream(rep->times, (uint32_t)rank), rep->now_ns);
    return go_on(rep, (uint32_t)rank, err);
}
