/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of blocks of exchanges between the two ranks of a pair. The leading rank decides, and before each block sends the number
 * of exchanges to the other rank (struct command). */
#include "config.h"

#include "bench/harness/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/random.h"
#include "bench/harness/sync.h"
#include "statistics/order.h"

enum {
    WARMUP_CHUNK = 10, /* exchanges between checks of the time limit during the warm-up */
    WARMUP_LATER = 10, /* messages to warm up each block of a cell after the cell's first block */
    MIN_BLOCKS = 5,    /* a cell with a goal ends after this many blocks at the earliest, to measure each cell at several times */
    MIN_COUNT = 3,     /* smallest number of exchanges in a block if the time limit is near */
    TAG = 3
};
#define PROBE_NS 2e8 /* time between probes of the other rank's clock */

enum order { ORDER_EXCHANGE, ORDER_PROBE, ORDER_END };

/* Command of the leading rank to the other. */
struct command {
    int64_t order, size_bytes, window, operation;
    int64_t unrecorded, recorded; /* number of exchanges that warm up, and that are recorded */
};

struct raw {
    uint32_t cell;
    uint64_t start, arrived;
    uint64_t receive_start, wait_start, second_arrived;
    double total_ns, send_ns, wait_ns, off_ns, work_ns;
    double answer_ns;
};

/* Progress of a cell of the plan on the leading rank. */
struct state {
    int64_t n, blocks; /* number of recorded exchanges; number of blocks */
    int64_t values;    /* number of exchanges without off-CPU time */
    bool done;
    struct mpg_unmet_goals unmet;
    int64_t next_check;       /* adaptive: number of exchanges at which the goal is checked next */
    double each_ns;         /* mean time of an exchange in the last block */
    double *value;          /* adaptive: total_ns of the VALUES exchanges without off-CPU time */
    size_t room;
};

/* State of a pair's measurement. */
struct work {
    const struct mpg_rounds *rounds;
    const struct mpg_pair *pair;
    const struct mpg_bench_plan *plan;
    const struct mpg_timer *timer;
    struct mpg_sync *sync;
    struct mpg_bench_exchange x;
    struct mpg_stamps *stamps;
    struct mpg_off_cpu off;
    double *other_off_ns; /* stamps->off_ns of the other rank for the current block */
    double other_cost_ns; /* cost of a timer reading on the other rank */
    /* Leading rank only: */
    struct state *state; /* indexed by cell */
    size_t *order;
    double *scratch;
    struct raw *raw;
    size_t n, room;
    uint64_t random, start_ns, probed_ns;
    int64_t round;
};

/* ---- a block ---- */

static void run_block(struct work *w, const struct command *c)
{
    mpg_exchange_half *half = w->pair->rank == 0 ? w->rounds->lead : w->rounds->follow;
    w->x.size = (int)c->size_bytes;
    w->x.window = (int)c->window;
    w->x.operation = (int)c->operation;
    w->x.eager = c->size_bytes <= w->rounds->eager_limit_bytes;
    if (c->unrecorded > 0)
        half(&w->x, c->unrecorded, w->stamps);
    if (c->recorded > 0 && w->x.off)
        mpg_off_cpu_begin(w->x.off);
    if (c->recorded > 0)
        half(&w->x, c->recorded, w->stamps);
}

/* Sends this rank's off-CPU times of a block with RECORDED exchanges to the leading rank. */
static void send_off(const struct work *w, int64_t recorded)
{
    if (w->x.off)
        MPI_Send(w->stamps->off_ns, (int)recorded + 1, MPI_DOUBLE, 0, TAG, w->pair->comm);
}

static void receive_off(const struct work *w, int64_t recorded)
{
    if (w->x.off)
        MPI_Recv(w->other_off_ns, (int)recorded + 1, MPI_DOUBLE, 1, TAG, w->pair->comm,
                 MPI_STATUS_IGNORE);
}

static void send_command(const struct work *w, const struct command *c)
{
    MPI_Send(c, sizeof *c, MPI_BYTE, 1, TAG, w->pair->comm);
}

static void exchange(struct work *w, size_t cell, int64_t unrecorded, int64_t recorded)
{
    const struct mpg_bench_cell *p = &w->plan->cell[cell];
    struct command c = {ORDER_EXCHANGE, p->size_bytes, p->window, p->operation, unrecorded, recorded};
    send_command(w, &c);
    run_block(w, &c);
    if (recorded > 0)
        MPI_Recv(w->stamps->arrived, (int)recorded, MPI_UINT64_T, 1, TAG, w->pair->comm,
                 MPI_STATUS_IGNORE);
    if (recorded > 0 && w->rounds->late)
        MPI_Recv(w->stamps->second_arrived, (int)recorded, MPI_UINT64_T, 1, TAG, w->pair->comm,
                 MPI_STATUS_IGNORE);
    if (recorded > 0)
        receive_off(w, recorded);
}

/* Runs on the rank that does not lead: performs the leading rank's commands until ORDER_END. */
static int serve(struct work *w, struct mpg_error *err)
{
    struct command c;
    for (;;) {
        MPI_Recv(&c, sizeof c, MPI_BYTE, 0, TAG, w->pair->comm, MPI_STATUS_IGNORE);
        if (c.order == ORDER_END)
            return 0;
        if (c.order == ORDER_PROBE) {
            if (mpg_sync_probe(w->sync, err) < 0)
                return -1;
            continue;
        }
        run_block(w, &c);
        if (c.recorded > 0)
            MPI_Send(w->stamps->arrived, (int)c.recorded, MPI_UINT64_T, 0, TAG, w->pair->comm);
        if (c.recorded > 0 && w->rounds->late)
            MPI_Send(w->stamps->second_arrived, (int)c.recorded, MPI_UINT64_T, 0, TAG, w->pair->comm);
        if (c.recorded > 0)
            send_off(w, c.recorded);
    }
}

/* ---- the leading rank ---- */

/* Reserves memory for COUNT more samples of CELL, to avoid allocation while storing. */
static int reserve(struct work *w, size_t cell, int64_t count, struct mpg_error *err)
{
    struct state *s = &w->state[cell];
    size_t need = w->n + (size_t)count, need_here = (size_t)(s->n + count);
    if (need > w->room) {
        size_t room = 2 * need;
        struct raw *grown = realloc(w->raw, room * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory for %zu samples", room);
        memset(grown + w->n, 1, (room - w->n) * sizeof *grown); /* touching all pages now avoids page faults during the
                                                                   measurement */
        w->raw = grown;
        w->room = room;
    }
    if (w->rounds->adaptive && need_here > s->room) {
        double *grown = realloc(s->value, 2 * need_here * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory for %zu samples", 2 * need_here);
        s->value = grown;
        s->room = 2 * need_here;
    }
    return 0;
}

/* Returns the time between two readings of this rank's timer, minus the cost of a reading. */
static double own_ns(const struct work *w, uint64_t from, uint64_t to)
{
    return fmax(0, (double)(to - from) * w->timer->ns_per_tick - w->timer->cost_ns);
}

/* Stores the COUNT samples of a block. total_ns is reduced by the cost of a reading of each rank's timer, since both
 * lie between start and end. */
static void keep(struct work *w, size_t cell, int64_t count)
{
    const struct mpg_stamps *t = w->stamps;
    struct state *s = &w->state[cell];
    for (int64_t i = 0; i < count; i++) {
        struct raw r = {.cell = (uint32_t)cell, .start = t->start[i], .arrived = t->arrived[i]};
        r.total_ns = fmax(0, own_ns(w, t->start[i], t->end[i]) - w->other_cost_ns);
        if (w->rounds->sent)
            r.send_ns = own_ns(w, t->start[i], t->sent[i]);
        if (w->rounds->two_parts) {
            r.wait_ns = own_ns(w, t->wait_start[i], t->end[i]);
            r.total_ns = r.send_ns + r.wait_ns;
        }
        if (w->rounds->works)
            r.work_ns = t->work_ns[i];
        if (w->rounds->late) {
            r.total_ns = own_ns(w, t->receive_start[i], t->end[i]);
            r.wait_ns = own_ns(w, t->wait_start[i], t->wait_end[i]);
            r.receive_start = t->receive_start[i];
            r.wait_start = t->wait_start[i];
            r.second_arrived = t->second_arrived[i];
            r.answer_ns = t->answer_ns;
        }
        if (w->x.off)
            r.off_ns = t->off_ns[i] + w->other_off_ns[i] + w->other_off_ns[i + 1];
        w->raw[w->n++] = r;
        if (w->rounds->adaptive && r.off_ns == 0)
            s->value[s->values++] = r.total_ns;
        s->n++;
    }
}

static bool is_limited(const struct work *w)
{
    return w->rounds->time_ns > 0;
}

static double left_ns(const struct work *w)
{
    return w->rounds->time_ns - (double)(mpg_clock_ns() - w->start_ns);
}

/* Returns the number of CELL's exchanges that transfer at least MESSAGES messages; an exchange transfers a window of messages. */
static int64_t in_windows(const struct work *w, size_t cell, int64_t messages)
{
    int64_t window = w->plan->cell[cell].window;
    return (messages + window - 1) / window;
}

/* Warms up a cell with rounds->warmup messages, or until SHARE_NS have passed if there is a time limit. */
static void warm_up(struct work *w, size_t cell, double share_ns)
{
    uint64_t begun_ns = mpg_clock_ns();
    double took_ns = 0;
    int64_t all = in_windows(w, cell, w->rounds->warmup);
    for (int64_t n, done = 0; done < all; done += n) {
        n = done < WARMUP_CHUNK ? 1 + done : WARMUP_CHUNK;
        n = all - done < n ? all - done : n;
        exchange(w, cell, n, 0);
        double now_ns = (double)(mpg_clock_ns() - begun_ns);
        w->state[cell].each_ns = (now_ns - took_ns) / (double)n;
        took_ns = now_ns;
        if (is_limited(w) && took_ns > share_ns)
            break;
    }
}

/* Returns the number of exchanges in CELL's next block. LEFT cells of this round are still to be measured; a block
 * takes at most a quarter of a cell's share of the remaining time, which leaves time for later rounds. */
static int64_t count_that_fits(const struct work *w, size_t cell, size_t left)
{
    const struct mpg_bench_cell *p = &w->plan->cell[cell];
    const struct state *s = &w->state[cell];
    int64_t count = p->max - s->n < p->block ? p->max - s->n : p->block;
    if (!is_limited(w) || s->each_ns <= 0)
        return count;
    double fits = left_ns(w) / (double)left / 4 / s->each_ns;
    int64_t min = count < MIN_COUNT ? count : MIN_COUNT;
    if (fits < (double)min)
        return s->n == 0 ? min : 0;
    return fits < (double)count ? (int64_t)fits : count;
}

/* Measures a block of CELL, or nothing if time is short. LEFT: number of cells left in this round, CELL included. */
static int visit(struct work *w, size_t cell, size_t left, struct mpg_error *err)
{
    struct state *s = &w->state[cell];
    int64_t again = in_windows(
        w, cell, w->rounds->warmup < WARMUP_LATER ? w->rounds->warmup : WARMUP_LATER);
    if (s->n == 0)
        warm_up(w, cell, left_ns(w) / (double)left / 8);
    int64_t count = count_that_fits(w, cell, left);
    if (count == 0)
        return 0;
    again = again < 1 + count / 5 ? again : 1 + count / 5;
    if (reserve(w, cell, count, err) < 0)
        return -1;
    uint64_t begun_ns = mpg_clock_ns();
    exchange(w, cell, again, count);
    s->each_ns = (double)(mpg_clock_ns() - begun_ns) / (double)(again + count);
    keep(w, cell, count);
    s->blocks++;
    return 0;
}

/* Checks whether cell I has reached the goal. A check sorts all values, the next check therefore follows after a tenth more
 * samples: all checks together cost a few sorts. */
static void check_goal(struct work *w, size_t i)
{
    struct state *s = &w->state[i];
    s->next_check = s->n + s->n / 10;
    if (s->values == 0) { /* every sample includes off-CPU time: no value for the goal */
        s->unmet = (struct mpg_unmet_goals){w->rounds->goal.median_error > 0, w->rounds->goal.tail_error > 0};
        return;
    }
    memcpy(w->scratch, s->value, (size_t)s->values * sizeof *s->value);
    mpg_sort(w->scratch, (size_t)s->values);
    s->unmet = mpg_goal_unmet(&w->rounds->goal, s->value, w->scratch, (size_t)s->values);
}

/* Marks the cells that have reached the goal or their maximum. Returns whether all cells are done. */
static bool assess(struct work *w)
{
    bool all = true;
    for (size_t i = 0; i < w->plan->n; i++) {
        struct state *s = &w->state[i];
        if (s->done || s->n == 0) {
            all = all && s->done;
            continue;
        }
        bool max = s->n >= w->plan->cell[i].max;
        bool check = w->rounds->adaptive && (max || s->n >= s->next_check);
        if (check)
            check_goal(w, i);
        s->done = max || (check && s->blocks >= MIN_BLOCKS && !s->unmet.median &&
                   !s->unmet.tail);
        all = all && s->done;
    }
    return all;
}

static double part_done(const struct work *w)
{
    double part = 0;
    for (size_t i = 0; i < w->plan->n; i++)
        part += w->state[i].done
                    ? 1
                    : (double)w->state[i].n / (double)w->plan->cell[i].max;
    part /= (double)w->plan->n;
    if (is_limited(w) && 1 - left_ns(w) / w->rounds->time_ns > part)
        part = 1 - left_ns(w) / w->rounds->time_ns;
    return part < 1 ? part : 1;
}

static int probe_clock(struct work *w, struct mpg_error *err)
{
    struct command c = {.order = ORDER_PROBE};
    w->probed_ns = mpg_clock_ns();
    send_command(w, &c);
    return mpg_sync_probe(w->sync, err);
}

static int one_round(struct work *w, struct mpg_error *err)
{
    size_t left = 0;
    mpg_random_order(&w->random, w->order, w->plan->n);
    for (size_t i = 0; i < w->plan->n; i++)
        left += !w->state[i].done;
    for (size_t i = 0; i < w->plan->n; i++) {
        size_t cell = w->order[i];
        if (w->state[cell].done)
            continue;
        if (w->round > 0 && is_limited(w) && left_ns(w) <= 0)
            break;
        if (visit(w, cell, left--, err) < 0)
            return -1;
        if (w->rounds->progress)
            mpg_progress_update(w->rounds->progress, w->rounds->done + part_done(w));
    }
    w->round++;
    return 0;
}

/* Leads all rounds until every cell is done, time is up or memory is out. */
static int lead(struct work *w, struct mpg_error *err)
{
    struct command end = {.order = ORDER_END};
    int status = 0;
    bool over = false;
    size_t before;
    w->start_ns = w->probed_ns = mpg_clock_ns();
    while (status == 0 && !over) {
        before = w->n;
        status = one_round(w, err);
        over = status < 0 || assess(w) || w->n == before;
        if (status == 0 && (over || (double)(mpg_clock_ns() - w->probed_ns) > PROBE_NS))
            status = probe_clock(w, err);
    }
    for (size_t i = 0; w->rounds->adaptive && i < w->plan->n; i++)
        if (w->state[i].n > 0 && !w->state[i].done)
            check_goal(w, i);
    send_command(w, &end);
    return status;
}

/* ---- whole measurement ---- */

static int prepare(struct work *w, struct mpg_error *err)
{
    int64_t longest = 1;
    w->stamps = calloc(1, sizeof *w->stamps);
    w->x = (struct mpg_bench_exchange){.comm = w->pair->comm, .send_buffer = w->pair->send_buffer,
                                 .receive_buffer = w->pair->receive_buffer, .win = w->pair->win,
                                 .timer = w->timer->kind,
                                 .request = calloc(MPG_WINDOW_MAX, sizeof(MPI_Request))};
    if (!w->stamps || !w->x.request)
        return mpg_error_set(err, "out of memory");
    memset(w->stamps, 1, sizeof *w->stamps); /* touching all pages now avoids page faults during the measurement */
    if (w->rounds->off_cpu) {
        w->off = mpg_off_cpu_open(w->timer, true);
        w->x.off = &w->off;
    }
    if (w->pair->rank != 0)
        return 0;
    for (size_t i = 0; i < w->plan->n; i++)
        longest = w->plan->cell[i].max > longest ? w->plan->cell[i].max : longest;
    w->state = calloc(w->plan->n, sizeof *w->state);
    w->order = calloc(w->plan->n, sizeof *w->order);
    w->scratch = w->rounds->adaptive ? malloc((size_t)longest * sizeof(double)) : NULL;
    w->other_off_ns = calloc(MPG_PLAN_MAX_BLOCK + 1, sizeof *w->other_off_ns);
    return w->state && w->order && w->other_off_ns && (w->scratch || !w->rounds->adaptive)
               ? 0
               : mpg_error_set(err, "out of memory");
}

static void release(struct work *w)
{
    for (size_t i = 0; w->state && i < w->plan->n; i++)
        free(w->state[i].value);
    free(w->state);
    free(w->order);
    free(w->other_off_ns);
    free(w->scratch);
    free(w->raw);
    free(w->x.request);
    free(w->stamps);
    mpg_sync_close(w->sync);
}

/* Returns the time between the other rank's timer reading THERE and this rank's later timer reading HERE, on
 * synchronised clocks. */
static double since_ns(const struct work *w, uint64_t there, uint64_t here)
{
    return mpg_sync_time_ns(w->sync, 0, here) - mpg_sync_time_ns(w->sync, 1, there);
}

/* Returns whether both answers of R had arrived when this rank began to receive them: each had been sent at least
 * R->answer_ns before. */
static bool was_late(const struct work *w, const struct raw *r)
{
    return since_ns(w, r->arrived, r->receive_start) >= r->answer_ns &&
           since_ns(w, r->second_arrived, r->wait_start) >= r->answer_ns;
}

/* Converts the recorded timer readings to times (struct mpg_times) for the caller, once all probes of the clocks are
 * known. */
static int conclude(const struct work *w, struct mpg_measured *measured, struct mpg_error *err)
{
    struct mpg_measured m = {.rounds = w->round,
                             .shared = mpg_sync_shared(w->sync),
                             .error_ns = mpg_sync_error_ns(w->sync, 1),
                             .drift = mpg_sync_drift(w->sync, 1)};
    double reading_ns = (w->timer->cost_ns + w->other_cost_ns) / 2;
    m.times = malloc((w->n + 1) * sizeof *m.times);
    m.unmet = malloc(w->plan->n * sizeof *m.unmet);
    if (!m.times || !m.unmet) {
        mpg_measured_clear(&m);
        return mpg_error_set(err, "out of memory for %zu samples", w->n);
    }
    for (size_t i = 0; i < w->n; i++) {
        const struct raw *r = &w->raw[i];
        if (w->rounds->late && !was_late(w, r)) {
            m.dropped++;
            continue;
        }
        m.times[m.n++] = (struct mpg_times){r->cell, r->total_ns, r->send_ns,
                                            -since_ns(w, r->arrived, r->start) - reading_ns,
                                            r->wait_ns, r->off_ns, r->work_ns};
    }
    for (size_t i = 0; i < w->plan->n; i++)
        m.unmet[i] = w->state[i].unmet;
    *measured = m;
    return 0;
}

int mpg_rounds_measure(const struct mpg_rounds *rounds, const struct mpg_pair *pair,
                       const struct mpg_bench_plan *plan, const struct mpg_timer *timer,
                       struct mpg_measured *measured, struct mpg_error *err)
{
    struct work w = {.rounds = rounds, .pair = pair, .plan = plan, .timer = timer,
                     .random = rounds->seed};
    int status = mpg_pair_agree(pair, prepare(&w, err), err);
    if (status == 0)
        status = (w.sync = mpg_sync_open(pair->comm, timer, err)) ? 0 : -1;
    if (status == 0) {
        double cost_ns[2];
        MPI_Allgather(&timer->cost_ns, 1, MPI_DOUBLE, cost_ns, 1, MPI_DOUBLE, pair->comm);
        w.other_cost_ns = cost_ns[1 - pair->rank];
        status = pair->rank == 0 ? lead(&w, err) : serve(&w, err);
        if (status == 0 && pair->rank == 0)
            status = conclude(&w, measured, err);
        status = mpg_pair_agree(pair, status, err);
        if (status < 0 && pair->rank == 0)
            mpg_measured_clear(measured);
    }
    release(&w);
    return status;
}

void mpg_measured_clear(struct mpg_measured *measured)
{
    free(measured->times);
    free(measured->unmet);
    *measured = (struct mpg_measured){0};
}
