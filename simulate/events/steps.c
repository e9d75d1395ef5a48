/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/steps.h"

#include <math.h>

/* A stream whose next step cannot be taken now. */
enum { GOES_ON = 0, STOPS = 1 };

static bool is_first(const struct world *w, uint32_t lane)
{
    return lane < (uint32_t)w->ranks;
}

/* Whether what LANE does matters for more than its own values. */
static bool is_followed(const struct world *w, uint32_t lane)
{
    return is_first(w, lane) && (w->serves || w->shares);
}

void steps_count(struct world *w, double bytes)
{
    int bin = 0; /* none; then from 1, 2, 4 ... */
    for (double left = bytes; left >= 1 && bin < MPG_SIZE_BINS - 1; left /= 2)
        bin++;
    w->x->bytes += bytes;
    w->x->sizes[bin]++;
}

/* The first step of LANE's queue is done with, and its value is VALUE_NS. */
static int drop(struct world *w, uint32_t lane, double value_ns, struct mpg_error *err)
{
    struct queue *q = &w->program.queue[lane];
    const int status = w->watch ? w->watch->take(w->watch->watcher, &q->first->step, value_ns, err) : 0;
    program_drop(&w->program, q);
    return status;
}

static int take(struct world *w, const struct mpg_step *s, struct mpg_error *err)
{
    return mpg_times_step(w->times, s, w->program.cells, err);
}

/* LANE is where it is by its own value: 1 if that is later than now. */
static int advance(struct world *w, uint32_t lane, struct mpg_error *err)
{
    const double value_ns = *mpg_times_stream(w->times, lane);
    w->lane[lane].state = STREAM_GOES;
    if (!(value_ns > w->now_ns))
        return GOES_ON;
    return world_go(w, lane, value_ns, err) < 0 ? -1 : STOPS;
}

/* --- waiting --- */

/* LANE waits from now on, whose call's sends keep its processor until IDLE_NS. */
static int begin_wait(struct world *w, uint32_t lane, double idle_ns, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    if (l->state == STREAM_WAITS)
        return 0;
    l->state = STREAM_WAITS;
    if (!is_followed(w, lane))
        return 0;
    struct rank *r = &w->rank[lane];
    r->free_ns = fmax(r->free_ns, idle_ns);
    r->waits++;
    if (w->shares && share_leave(w, (int32_t)lane, idle_ns, err) < 0)
        return -1;
    return serve_next(w, (int32_t)lane, err);
}

/* The call that LANE has left ended at END_NS. */
static int end_call(struct world *w, uint32_t lane, double end_ns, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    if (is_first(w, lane)) {
        struct rank *r = &w->rank[lane];
        r->use[l->waits_for] += end_ns - l->own_ns - r->served_ns - r->lost_ns;
        r->served_ns = r->lost_ns = 0;
    }
    *mpg_times_stream(w->times, lane) = end_ns;
    l->left = l->over = false;
    if (drop(w, lane, end_ns, err) < 0)
        return -1;
    return advance(w, lane, err);
}

/* What LANE's call waits for is there, or it has its processor again. */
static int finish_wait(struct world *w, uint32_t lane, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    bool has = true;
    if (is_followed(w, lane) && w->rank[lane].current) {
        l->over = true; /* what it serves comes first */
        return STOPS;
    }
    if (w->shares && is_first(w, lane) && share_take(w, (int32_t)lane, &has, err) < 0)
        return -1;
    if (!has) {
        l->state = STREAM_READY;
        w->rank[lane].ready_ns = w->now_ns;
        return STOPS;
    }
    const double came_ns = l->ends_ns - l->rest_ns;
    return end_call(w, lane, w->now_ns > came_ns ? fmax(l->ends_ns, w->now_ns + l->rest_ns) : l->ends_ns, err);
}

int world_end_wait(struct world *w, uint32_t lane, struct mpg_error *err)
{
    return world_go(w, lane, w->now_ns, err);
}

/* --- computation --- */

static int enter(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    const bool follows = is_followed(w, lane);
    double *value_ns = mpg_times_stream(w->times, lane);
    if (follows) /* services, and other ranks, have moved it */
        *value_ns = w->now_ns;
    const double before_ns = *value_ns;
    if (take(w, s, err) < 0)
        return -1;
    value_ns = mpg_times_stream(w->times, lane);
    if (!follows) {
        const double end_ns = *value_ns;
        if (drop(w, lane, end_ns, err) < 0)
            return -1;
        return advance(w, lane, err);
    }
    return serve_work(w, (int32_t)lane, s, fmax(*value_ns - before_ns, 0), err) < 0 ? -1 : STOPS;
}

/* LANE's work, or a slice of it, is over. */
static int end_work(struct world *w, uint32_t lane, struct mpg_error *err)
{
    bool done;
    if (serve_slice(w, (int32_t)lane, &done, err) < 0)
        return -1;
    if (!done)
        return STOPS;
    w->rank[lane].served_ns = w->rank[lane].lost_ns = 0;
    *mpg_times_stream(w->times, lane) = w->now_ns;
    w->lane[lane].state = STREAM_GOES;
    return drop(w, lane, w->now_ns, err);
}

/* --- calls --- */

/* A cell that S needs and that is not known; NO_CELL: there is none. */
static uint32_t find_missing(const struct world *w, const struct mpg_step *s)
{
    const struct cell *cell = w->program.cell;
    if (s->kind == MPG_STEP_LOAD || s->kind == MPG_STEP_JOIN)
        return cell[s->slot].known ? NO_CELL : s->slot;
    for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++)
        if (!cell[s->edges[i].slot].known)
            return s->edges[i].slot;
    return NO_CELL;
}

static int await_cell(struct world *w, uint32_t lane, const struct mpg_step *s, uint32_t cell, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    const double idle_ns =
        *mpg_times_stream(w->times, lane) + (is_followed(w, lane) && s->kind == MPG_STEP_LEAVE ? world_sent_ns(w, s) : 0);
    if (!l->watches && program_watch(&w->program, cell, lane, err) < 0)
        return -1;
    l->watches = true;
    return begin_wait(w, lane, idle_ns, err) < 0 ? -1 : STOPS;
}

/* What a barrier's member reads as its value is when it itself may go. */
static const struct meeting *prepare_meeting(struct world *w, const struct mpg_step *s)
{
    if (s->edge_number == 0)
        return NULL;
    const struct meeting *m = w->program.cell[s->edges[0].slot].meeting;
    if (m)
        *mpg_times_slot(w->times, s->edges[0].slot, MPG_SLOT_TIME) = meeting_end(m, s->rank);
    return m;
}

static enum use use_of(const struct mpg_step *s, const struct meeting *m)
{
    for (uint32_t i = 0; i < s->edge_number && !m; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL || s->edges[i].kind == MPG_EDGE_ENVELOPE ||
            s->edges[i].kind == MPG_EDGE_ACK)
            return USE_MESSAGE;
    return m ? USE_BARRIER : s->edge_number > 0 ? USE_COLLECTIVE : USE_MESSAGE;
}

/* The transfer that S starts; where it is done by the network alone, its origin may wait for it at once. */
static int transfer(struct world *w, uint32_t lane, struct mpg_step *s, double enter_ns, struct mpg_error *err)
{
    const struct mpg_sending m = {.rank = s->rank, .to = s->transfer.owner, .call = s->number,
                                  .bytes = s->transfer.put_bytes > 0 ? s->transfer.put_bytes : w->parameters->request_bytes};
    double *value_ns = mpg_times_stream(w->times, lane);
    if (w->counts) {
        *(s->transfer.get_bytes > 0 ? &w->x->gets : &w->x->puts) += 1;
        steps_count(w, s->transfer.put_bytes + s->transfer.get_bytes);
    }
    if (!w->serves)
        return 0;
    const double sent_ns = enter_ns + world_send_ns(w, &m);
    *value_ns = fmax(*value_ns, sent_ns);
    w->lane[lane].blocks = w->blocking_get;
    return transfers_start(w, s, sent_ns, err);
}

/* What of S is the engine's, not the lane evaluator's. */
static void prepare_transfers(const struct world *w, struct mpg_step *s)
{
    const bool starts = s->transfer.owner >= 0 && !s->failed;
    if (w->serves)
        s->round_trip = false;
    else if (w->blocking_get) {
        s->round_trip = starts;
        s->round_trip_bytes = s->round_trip_target_bytes = s->transfer.put_bytes + s->transfer.get_bytes;
    }
}

static int leave(struct world *w, uint32_t lane, struct mpg_step *s, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    const uint32_t missing = find_missing(w, s);
    if (missing != NO_CELL)
        return await_cell(w, lane, s, missing, err);
    const struct meeting *m = prepare_meeting(w, s);
    const double enter_ns = *mpg_times_stream(w->times, lane);
    prepare_transfers(w, s);
    if (take(w, s, err) < 0)
        return -1;
    if (s->transfer.owner >= 0 && !s->failed && transfer(w, lane, s, enter_ns, err) < 0)
        return -1;
    l = &w->lane[lane];
    l->ends_ns = *mpg_times_stream(w->times, lane);
    const bool meets = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    l->own_ns = meets ? enter_ns : fmin(mpg_times_own(w->times), l->ends_ns);
    if (s->dropped || w->lane[lane].blocks || (s->transfer.owner >= 0 && !s->failed && w->serves))
        l->own_ns = l->ends_ns;
    l->waits_for = use_of(s, m);
    if (is_first(w, lane))
        w->rank[lane].use[USE_CALL] += l->own_ns - enter_ns;
    const bool waits = l->state == STREAM_WAITS || l->ends_ns > l->own_ns;
    if (!is_followed(w, lane) || !waits)
        return end_call(w, lane, l->ends_ns, err);
    l->left = true;
    l->rest_ns = l->ends_ns - world_arrived_ns(w, s, l->ends_ns);
    const double came_ns = l->ends_ns - l->rest_ns;
    if (begin_wait(w, lane, enter_ns + world_sent_ns(w, s), err) < 0)
        return -1;
    if (came_ns > w->now_ns)
        return world_go(w, lane, came_ns, err) < 0 ? -1 : STOPS;
    return finish_wait(w, lane, err);
}

/* --- all of them --- */

/* Whether LANE has to wait for transfers before step S. */
static int drain(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    struct rank *r = &w->rank[lane];
    double *value_ns = mpg_times_stream(w->times, lane), after_ns = *value_ns;
    const struct mpg_step *of = l->blocks ? NULL : s;
    bool missing;
    const size_t n = transfers_awaited(w, of, s->rank, &missing);
    if (n == 0)
        return GOES_ON;
    if (missing) {
        l->drains = true;
        return begin_wait(w, lane, *value_ns, err) < 0 ? -1 : STOPS;
    }
    if (l->drains && r->current) { /* what it serves comes first */
        l->over = true;
        return STOPS;
    }
    if (transfers_take(w, of, s->rank, n, &after_ns, err) < 0)
        return -1;
    if (l->drains)
        after_ns = fmax(after_ns, r->free_ns);
    r->use[USE_MESSAGE] += after_ns - *value_ns - r->served_ns;
    r->served_ns = 0;
    *value_ns = after_ns;
    l->drains = l->over = l->blocks = false;
    return advance(w, lane, err);
}

static int finish(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    if (take(w, s, err) < 0 || drop(w, lane, *mpg_times_stream(w->times, lane), err) < 0)
        return -1;
    w->lane[lane].state = STREAM_DONE;
    w->running--;
    const struct rank *r = &w->rank[s->rank];
    if (w->shares && r->holds && !r->switching && share_release(w, s->rank, err) < 0)
        return -1;
    return serve_next(w, s->rank, err) < 0 ? -1 : STOPS;
}

static int send(struct world *w, uint32_t lane, struct mpg_step *s, struct mpg_error *err)
{
    if (take(w, s, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_EAGER && w->counts) {
        w->x->messages++;
        steps_count(w, s->bytes);
    }
    if ((s->kind == MPG_STEP_EAGER ? network_send(w, s, err) : world_know(w, s->slot, err)) < 0)
        return -1;
    return drop(w, lane, *mpg_times_stream(w->times, lane), err);
}

static int load(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    const uint32_t missing = find_missing(w, s);
    if (missing != NO_CELL)
        return await_cell(w, lane, s, missing, err);
    if (take(w, s, err) < 0 || drop(w, lane, *mpg_times_stream(w->times, lane), err) < 0)
        return -1;
    return advance(w, lane, err);
}

static int step(struct world *w, uint32_t lane, struct mpg_error *err)
{
    struct mpg_step *s = &w->program.queue[lane].first->step;
    int status = GOES_ON;
    bool has = true;
    if (w->serves && is_first(w, lane) && (status = drain(w, lane, s, err)) != GOES_ON)
        return status;
    if (w->shares && is_first(w, lane) && w->lane[lane].state != STREAM_WAITS && s->kind != MPG_STEP_FINISH) {
        if (share_take(w, (int32_t)lane, &has, err) < 0)
            return -1;
        if (!has) {
            w->lane[lane].state = STREAM_READY;
            w->rank[lane].ready_ns = w->now_ns;
            return STOPS;
        }
    }
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return enter(w, lane, s, err);
    case MPG_STEP_LEAVE:
        return leave(w, lane, s, err);
    case MPG_STEP_FINISH:
        return finish(w, lane, s, err);
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return load(w, lane, s, err);
    default:
        return send(w, lane, s, err);
    }
}

/* Whether LANE has a step; a first thread reads on for it. */
static int has_step(struct world *w, uint32_t lane, struct mpg_error *err)
{
    int more = 1;
    while (more > 0 && !w->program.queue[lane].first && is_first(w, lane))
        more = program_pull(&w->program, &w->calls, err);
    if (more < 0)
        return -1;
    if (!w->program.queue[lane].first)
        w->lane[lane].state = STREAM_WAITS;
    return w->program.queue[lane].first != NULL;
}

static int go_on(struct world *w, uint32_t lane, struct mpg_error *err)
{
    int status = GOES_ON;
    while (status == GOES_ON) {
        const int has = has_step(w, lane, err);
        if (has <= 0)
            return has;
        status = step(w, lane, err);
    }
    return status < 0 ? -1 : 0;
}

int steps_go(struct world *w, uint32_t lane, struct mpg_error *err)
{
    struct lane *l = &w->lane[lane];
    int status = GOES_ON;
    if (l->state == STREAM_WORKS)
        status = end_work(w, lane, err);
    else if (l->left)
        status = finish_wait(w, lane, err);
    if (status != GOES_ON)
        return status < 0 ? -1 : 0;
    return go_on(w, lane, err);
}

int steps_granted(struct world *w, int32_t rank, struct mpg_error *err)
{
    struct lane *l = lane_of(w, rank);
    struct rank *r = &w->rank[rank];
    const double lost_ns = w->now_ns - r->ready_ns;
    r->use[USE_PROCESSOR] += lost_ns;
    if (r->left_ns > 0) /* amid its work */
        return serve_resume(w, rank, err);
    if (l->left) {
        r->lost_ns += lost_ns;
        l->state = STREAM_WAITS;
        return steps_go(w, (uint32_t)rank, err);
    }
    l->state = STREAM_GOES;
    *mpg_times_stream(w->times, (uint32_t)rank) = fmax(*mpg_times_stream(w->times, (uint32_t)rank), w->now_ns);
    return go_on(w, (uint32_t)rank, err);
}
