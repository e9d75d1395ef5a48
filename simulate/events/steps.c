/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of steps that need not wait. */
#include <math.h>

#include "simulate/events/network.h"
#include "simulate/events/steps.h"

void mpg_events_steps_count(struct world *w, double bytes)
{
    int bin = 0; /* bin 0: no bytes; next bins from 1, 2, 4 ... bytes */
    for (double left = bytes; left >= 1 && bin < MPG_SIZE_BINS - 1; left /= 2)
        bin++;
    w->x->bytes += bytes;
    w->x->sizes[bin]++;
}

int mpg_events_steps_drop(struct world *w, uint32_t stream, double value_ns, struct mpg_error *err)
{
    const int status =
        w->observer ? w->observer->take(w->observer->context, program_first(&w->program, stream), value_ns, err) : 0;
    mpg_events_program_drop(&w->program, stream);
    return status;
}

int mpg_events_steps_take(struct world *w, const struct mpg_step *s, struct mpg_error *err)
{
    return mpg_times_step(w->times, s, w->program.slots, err);
}

int mpg_events_steps_advance(struct world *w, uint32_t stream, struct mpg_error *err)
{
    const double value_ns = *mpg_times_stream(w->times, stream);
    w->stream[stream].state = STREAM_GOES;
    if (!(value_ns > w->now_ns))
        return GOES_ON;
    return mpg_events_world_go(w, stream, value_ns, err) < 0 ? -1 : STOPS;
}

/* --- computation --- */

static int enter(struct world *w, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    const bool follows = steps_is_followed(w, stream);
    double *value_ns = mpg_times_stream(w->times, stream);
    if (follows) /* serving, or sharing the processor, has delayed the stream */
        *value_ns = w->now_ns;
    const double before_ns = *value_ns;
    if (mpg_events_steps_take(w, s, err) < 0)
        return -1;
    value_ns = mpg_times_stream(w->times, stream);
    if (!follows) {
        const double end_ns = *value_ns;
        if (mpg_events_steps_drop(w, stream, end_ns, err) < 0)
            return -1;
        return mpg_events_steps_advance(w, stream, err);
    }
    const double work_ns = *value_ns - before_ns;
    return mpg_events_serve_work(w, (int32_t)stream, s, work_ns > ROUNDING_NS ? work_ns : 0, err) < 0 ? -1 : STOPS;
}

/* Ends a slice of STREAM's work. */
static int end_work(struct world *w, uint32_t stream, struct mpg_error *err)
{
    bool done;
    if (mpg_events_serve_slice(w, (int32_t)stream, &done, err) < 0)
        return -1;
    if (!done)
        return STOPS;
    w->rank[stream].served_ns = w->rank[stream].lost_ns = 0;
    *mpg_times_stream(w->times, stream) = w->now_ns;
    w->stream[stream].state = STREAM_GOES;
    return mpg_events_steps_drop(w, stream, w->now_ns, err);
}

/* --- all steps --- */

/* Puts STREAM into the state READY: STREAM waits for the processor. */
static void be_ready(struct world *w, uint32_t stream)
{
    w->stream[stream].state = STREAM_READY;
    w->rank[stream].ready_ns = w->now_ns;
}

/* All replies that STREAM waits for have arrived: the processor takes the replies from now on. */
static void end_drain(struct world *w, uint32_t stream)
{
    struct rank *r = &w->rank[stream];
    double *value_ns = mpg_times_stream(w->times, stream);
    if (!(w->now_ns > *value_ns))
        return;
    r->use[USE_MESSAGE] += w->now_ns - *value_ns - r->served_ns;
    r->served_ns = 0;
    *value_ns = w->now_ns;
}

/* Sets whether STREAM must wait for transfers before step S. */
static int drain(struct world *w, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *l = &w->stream[stream];
    struct rank *r = &w->rank[stream];
    double *value_ns = mpg_times_stream(w->times, stream), after_ns = *value_ns;
    const struct mpg_step *of = l->blocks ? NULL : s;
    bool missing;
    const size_t n = mpg_events_transfers_awaited(w, of, s->rank, &missing);
    if (n == 0)
        return GOES_ON;
    if (missing) {
        l->drains = true;
        return mpg_events_steps_begin_wait(w, stream, *value_ns, err) < 0 ? -1 : STOPS;
    }
    if (l->drains && r->current) { /* the rank finishes the service first */
        l->over = true;
        return STOPS;
    }
    if (l->drains && w->shares) {
        bool has;
        end_drain(w, stream);
        after_ns = *value_ns;
        if (mpg_events_share_take(w, s->rank, &has, err) < 0)
            return -1;
        if (!has) {
            be_ready(w, stream);
            return STOPS;
        }
    }
    if (mpg_events_transfers_take(w, of, s->rank, n, &after_ns, err) < 0)
        return -1;
    if (l->drains)
        after_ns = fmax(after_ns, r->free_ns);
    r->use[USE_MESSAGE] += after_ns - *value_ns - r->served_ns;
    r->served_ns = 0;
    *value_ns = after_ns;
    l->drains = l->over = l->blocks = false;
    return mpg_events_steps_advance(w, stream, err);
}

static int finish(struct world *w, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_events_steps_take(w, s, err) < 0 || mpg_events_steps_drop(w, stream, *mpg_times_stream(w->times, stream), err) < 0)
        return -1;
    w->stream[stream].state = STREAM_DONE;
    w->running--;
    const struct rank *r = &w->rank[s->rank];
    if (w->shares && r->holds && !r->switching && mpg_events_share_release(w, s->rank, err) < 0)
        return -1;
    return mpg_events_serve_next(w, s->rank, err) < 0 ? -1 : STOPS;
}

static int send(struct world *w, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_events_steps_take(w, s, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_EAGER && w->counts) {
        w->x->messages++;
        mpg_events_steps_count(w, s->bytes);
    }
    if ((s->kind == MPG_STEP_EAGER ? mpg_events_network_send(w, stream, s, err) : mpg_events_world_know(w, s->slot, err)) < 0)
        return -1;
    return mpg_events_steps_drop(w, stream, *mpg_times_stream(w->times, stream), err);
}

static int load(struct world *w, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    const uint32_t missing = mpg_events_steps_missing(w, s);
    if (missing != NO_SLOT)
        return mpg_events_steps_await(w, stream, s, missing, err);
    if (mpg_events_steps_take(w, s, err) < 0 || mpg_events_steps_drop(w, stream, *mpg_times_stream(w->times, stream), err) < 0)
        return -1;
    return mpg_events_steps_advance(w, stream, err);
}

static int step(struct world *w, uint32_t stream, struct mpg_error *err)
{
    const struct mpg_step *s = program_first(&w->program, stream);
    int status = GOES_ON;
    bool has = true;
    if (w->serves_transfers && steps_is_first(w, stream) && (status = drain(w, stream, s, err)) != GOES_ON)
        return status;
    if (w->shares && steps_is_first(w, stream) && w->stream[stream].state != STREAM_WAITS && s->kind != MPG_STEP_FINISH) {
        if (mpg_events_share_take(w, (int32_t)stream, &has, err) < 0)
            return -1;
        if (!has) {
            be_ready(w, stream);
            return STOPS;
        }
    }
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return enter(w, stream, s, err);
    case MPG_STEP_LEAVE:
        return mpg_events_steps_leave(w, stream, s, err);
    case MPG_STEP_FINISH:
        return finish(w, stream, s, err);
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return load(w, stream, s, err);
    default:
        return send(w, stream, s, err);
    }
}

/* Returns true if STREAM has a pending step; a first thread reads the graph until STREAM has one. */
static int has_step(struct world *w, uint32_t stream, struct mpg_error *err)
{
    int more = 1;
    while (more > 0 && !w->program.queue[stream].first && steps_is_first(w, stream))
        more = mpg_events_program_pull(&w->program, &w->calls, err);
    if (more < 0)
        return -1;
    if (!w->program.queue[stream].first)
        w->stream[stream].state = STREAM_WAITS;
    return w->program.queue[stream].first != NULL;
}

static int go_on(struct world *w, uint32_t stream, struct mpg_error *err)
{
    int status = GOES_ON;
    while (status == GOES_ON) {
        const int has = has_step(w, stream, err);
        if (has <= 0)
            return has;
        status = step(w, stream, err);
    }
    return status < 0 ? -1 : 0;
}

int mpg_events_steps_go(struct world *w, uint32_t stream, struct mpg_error *err)
{
    struct stream *l = &w->stream[stream];
    int status = GOES_ON;
    if (l->state == STREAM_WORKS)
        status = end_work(w, stream, err);
    else if (l->left)
        status = mpg_events_steps_finish_wait(w, stream, err);
    if (status != GOES_ON)
        return status < 0 ? -1 : 0;
    return go_on(w, stream, err);
}

int mpg_events_steps_granted(struct world *w, int32_t rank, struct mpg_error *err)
{
    struct stream *l = stream_of(w, rank);
    struct rank *r = &w->rank[rank];
    const double lost_ns = w->now_ns - r->ready_ns;
    r->use[USE_PROCESSOR] += lost_ns;
    if (r->left_ns > 0) /* the turn ends before the work does */
        return mpg_events_serve_resume(w, rank, err);
    if (l->left) {
        r->lost_ns += lost_ns;
        l->state = STREAM_WAITS;
        return mpg_events_steps_go(w, (uint32_t)rank, err);
    }
    l->state = STREAM_GOES;
    *mpg_times_stream(w->times, (uint32_t)rank) = fmax(*mpg_times_stream(w->times, (uint32_t)rank), w->now_ns);
    return go_on(w, (uint32_t)rank, err);
}
