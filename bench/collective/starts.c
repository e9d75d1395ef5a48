/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreed starts, blocks and rounds. */
#include "config.h"

#include "bench/collective/starts.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/off_cpu.h"
#include "bench/harness/random.h"
#include "common/progress.h"
#include "statistics/order.h"

enum {
    BLOCK = 50,       /* repetitions of a case in a row, at most */
    LEAST_BLOCK = 5,
    LEAD = 2,         /* more before them: caches hold another case's data */
    LEAST_ROUNDS = 5, /* of a case that ends at the goal, so that it is measured at times apart */
    ATTEMPTS = 4,     /* times the samples wanted */
    LEAST_WARMUP = 3, /* which the first guesses are taken from */
};
#define BLOCK_NS 2e7      /* of a block, at most */
#define LEAST_SLACK_NS 1e3
#define MOST_SLACK_NS 1e7
#define CALLS_NS 1e4       /* calls without messages in a row, at least: the timer's steps and its
                            * cost are then 1 % of it at most */

/* What stands for a time when a process came late: for the start itself, whose
 * slack was too short, or only away from it. */
#define LATE_TO_START INFINITY
#define LATE_FROM_START 1e300

/* A round's block of one case on this rank. */
struct block {
    int n;
    double start_ns[BLOCK]; /* the agreed ones */
    uint64_t start[BLOCK];  /* when this rank's timer should have shown them */
    double late[BLOCK];     /* 0, LATE_TO_START or LATE_FROM_START */
    uint64_t end[BLOCK];
    double own_ns[BLOCK];   /* of operations without messages: this rank's time for a call */
    double off_ns[BLOCK];   /* this rank was off its CPU, in the operation or before it */
};

/* A case's times so far, in order; rank 0's. */
struct series {
    size_t n, capacity;
    double *value;
};

struct work {
    const struct mpg_starts *how;
    const struct mpg_timer *timer;
    const struct mpg_buffers *buffers;
    int rank, ranks;
    struct mpg_cases *cases;
    struct mpg_sync *sync;
    MPI_Comm *comm;        /* of each case; MPI_COMM_NULL where this rank has no part */
    struct block *block;   /* of each case */
    struct series *series; /* of each case */
    size_t *order;
    double astray_ns;      /* by how much a start was not when agreed, at most */
    struct mpg_off_cpu off, *looks; /* LOOKS: &off, or NULL where ranks share cores */
    int awake;             /* ranks that took part in what was last, and are here at once */
    struct mpg_starts_result *result;
};

/* ---- coming together ---- */

/* A barrier that leaves the core to others meanwhile. */
static void wait_quietly(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    mpg_ranks_wait(&request);
}

/* Brings a case's processes together; false when this rank has no part in it. */
static bool enter(struct work *w, size_t i)
{
    int before = w->awake;
    w->awake = w->cases->item[i].processes;
    if (w->comm[i] == MPI_COMM_NULL)
        return false;
    if (w->awake > before)
        wait_quietly(w->comm[i]);
    MPI_Barrier(w->comm[i]);
    return true;
}

static void enter_all(struct work *w)
{
    wait_quietly(MPI_COMM_WORLD);
    w->awake = w->ranks;
}

/* ---- one block ---- */

/* The ticks of this rank's timer at a common time, by the line through now. */
struct line {
    uint64_t ticks;
    double time_ns, ns_per_tick;
};

static struct line find_line(const struct work *w)
{
    struct line line = {mpg_timer_read(w->timer->kind), 0, 0};
    uint64_t later = line.ticks + (uint64_t)(1e9 / w->timer->ns_per_tick);
    line.time_ns = mpg_sync_time_ns(w->sync, w->rank, line.ticks);
    line.ns_per_tick = (mpg_sync_time_ns(w->sync, w->rank, later) - line.time_ns) /
                       (double)(later - line.ticks);
    return line;
}

/* Agrees on a start: the last process's time and SLACK_NS. */
static double agree_on_start(const struct work *w, const struct line *line, double slack_ns,
                             MPI_Comm comm)
{
    uint64_t now = mpg_timer_read(w->timer->kind);
    double mine_ns = line->time_ns + (double)(int64_t)(now - line->ticks) * line->ns_per_tick;
    double last_ns = mine_ns;
    MPI_Allreduce(&mine_ns, &last_ns, 1, MPI_DOUBLE, MPI_MAX, comm);
    return last_ns + slack_ns;
}

/* Waits until START; how this rank was late, or 0. */
static double await(const struct work *w, uint64_t start, uint64_t late_ticks)
{
    enum mpg_timer_kind kind = w->timer->kind;
    uint64_t now = mpg_timer_read(kind);
    if ((int64_t)(now - start) > (int64_t)late_ticks)
        return LATE_TO_START;
    while ((int64_t)(now - start) < 0) {
        if (w->how->yield)
            sched_yield();
        now = mpg_timer_read(kind);
    }
    return now - start < late_ticks ? 0 : LATE_FROM_START;
}

/* Repetition K of a case without messages. All ranks run it at the same time, since they compete
 * for caches and memory. */
static void run_alone(struct work *w, size_t i, int k)
{
    const struct mpg_case *c = &w->cases->item[i];
    struct block *b = &w->block[i];
    uint64_t begin = mpg_timer_read(w->timer->kind);
    for (int64_t n = 0; n < c->calls; n++)
        mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
    uint64_t ticks = mpg_timer_read(w->timer->kind) - begin;
    double off_ns = mpg_off_cpu_check(w->looks, ticks);
    if (k < 0)
        return;
    b->own_ns[k] = fmax((double)ticks * w->timer->ns_per_tick - w->timer->cost_ns, 0) /
                   (double)c->calls;
    b->off_ns[k] = off_ns / (double)c->calls;
}

static void run_block(struct work *w, size_t i)
{
    const struct mpg_case *c = &w->cases->item[i];
    struct block *b = &w->block[i];
    const struct line line = find_line(w);
    uint64_t late_ticks = (uint64_t)(w->how->late_ns / w->timer->ns_per_tick) + 1;
    if (w->looks)
        mpg_off_cpu_begin(w->looks);
    for (int k = -LEAD; k < b->n; k++) {
        mpg_operation_before(c->operation, w->buffers, c->size_bytes, w->comm[i]);
        double start_ns = agree_on_start(w, &line, c->slack_ns, w->comm[i]);
        uint64_t start = line.ticks + (uint64_t)(int64_t)((start_ns - line.time_ns) /
                                                          line.ns_per_tick);
        double late = await(w, start, late_ticks);
        if (mpg_operation_is_local(c->operation)) {
            run_alone(w, i, k);
            continue;
        }
        mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
        uint64_t end = mpg_timer_read(w->timer->kind);
        double off_ns = mpg_off_cpu_check(w->looks, end - start);
        if (k >= 0) {
            b->start_ns[k] = start_ns;
            b->start[k] = start;
            b->late[k] = late;
            b->end[k] = end;
            b->off_ns[k] = off_ns;
        }
    }
}

/* How many repetitions a case's next block has. */
static int block_size(const struct mpg_case *c)
{
    int64_t left = c->most - c->done;
    double each_ns = (double)c->calls * c->usual_ns + 2 * c->slack_ns;
    int n = each_ns * BLOCK < BLOCK_NS ? BLOCK : (int)(BLOCK_NS / each_ns);
    n = n < LEAST_BLOCK ? LEAST_BLOCK : n;
    return left < n ? (int)left : n;
}

/* ---- what came out of it ---- */

/* Room for BLOCK more values. */
static int reserve(struct series *s, int columns, struct mpg_error *err)
{
    if (s->n + BLOCK <= s->capacity)
        return 0;
    size_t capacity = 2 * s->capacity + BLOCK;
    double *grown = realloc(s->value, capacity * (size_t)columns * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory for %zu samples", capacity);
    s->value = grown;
    s->capacity = capacity;
    return 0;
}

/* Of a block with N valid times in SORTED and LATE of ALL too late for their start. */
static void adapt(struct mpg_case *c, const double *sorted, size_t n, int late, int all)
{
    if (n > 0)
        c->usual_ns = mpg_sorted_quantile(sorted, n, 0.9);
    c->slack_ns = 10 * late > all ? fmin(2 * c->slack_ns, MOST_SLACK_NS)
                                  : fmax(0.9 * c->slack_ns, LEAST_SLACK_NS);
}

/* Rank 0: a block's times, or how a process was late, into the result; for how long one was off
 * its CPU at most goes with them, and then they do not count for the goal. */
static int note_block(struct work *w, size_t i, const double *time_ns, const double *off_ns,
                      struct mpg_error *err)
{
    struct mpg_case *c = &w->cases->item[i];
    struct mpg_starts_result *r = w->result;
    struct series rows = {r->n, r->capacity, r->value}, *s = &w->series[i];
    double sorted[BLOCK];
    size_t valid = 0;
    int n = w->block[i].n, late = 0;
    int status = reserve(&rows, MPG_STARTS_COLUMNS, err);
    r->capacity = rows.capacity;
    r->value = rows.value;
    if (status < 0 || reserve(s, 1, err) < 0)
        return -1;
    for (int k = 0; k < n; k++) {
        late += time_ns[k] >= LATE_TO_START;
        if (time_ns[k] >= LATE_FROM_START)
            continue;
        double *row = r->value + MPG_STARTS_COLUMNS * r->n++;
        row[0] = c->operation;
        row[1] = c->processes;
        row[2] = (double)c->size_bytes;
        row[3] = sorted[valid++] = time_ns[k];
        row[4] = off_ns[k];
        if (off_ns[k] <= 0)
            s->value[s->n++] = time_ns[k];
    }
    mpg_sort(sorted, valid);
    adapt(c, sorted, valid, late, n);
    c->done += (int64_t)valid;
    c->invalid += n - (int64_t)valid;
    c->finished = c->done >= c->most || c->done + c->invalid >= ATTEMPTS * c->most;
    return 0;
}

/* A block's times without messages: of one rank after another, of those that have a partner. */
static int collect_alone(struct work *w, size_t i, struct mpg_error *err)
{
    const struct block *b = &w->block[i];
    double mine[2][BLOCK], one[2][BLOCK];
    int even = w->cases->item[i].processes & ~1;
    for (int k = 0; k < b->n; k++) {
        bool is_mine = k % even == w->rank;
        mine[0][k] = is_mine ? b->own_ns[k] : 0;
        mine[1][k] = is_mine ? b->off_ns[k] : 0;
    }
    MPI_Reduce(mine[0], one[0], b->n, MPI_DOUBLE, MPI_SUM, 0, w->comm[i]);
    MPI_Reduce(mine[1], one[1], b->n, MPI_DOUBLE, MPI_SUM, 0, w->comm[i]);
    return w->rank == 0 ? note_block(w, i, one[0], one[1], err) : 0;
}

/* A block's times, of the last of its processes, once the clocks are compared. Starts
 * were foretold from earlier comparisons: now it shows how well. */
static int collect(struct work *w, size_t i, struct mpg_error *err)
{
    const struct block *b = &w->block[i];
    double mine[BLOCK], last[BLOCK], off[BLOCK];
    if (mpg_operation_is_local(w->cases->item[i].operation))
        return collect_alone(w, i, err);
    for (int k = 0; k < b->n; k++) {
        mine[k] = b->late[k] > 0 ? b->late[k]
                                 : mpg_sync_time_ns(w->sync, w->rank, b->end[k]) -
                                       b->start_ns[k] - w->timer->cost_ns;
        w->astray_ns = fmax(w->astray_ns, fabs(mpg_sync_time_ns(w->sync, w->rank, b->start[k]) -
                                               b->start_ns[k]));
    }
    MPI_Reduce(mine, last, b->n, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    MPI_Reduce(b->off_ns, off, b->n, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    return w->rank == 0 ? note_block(w, i, last, off, err) : 0;
}

/* Rank 0: ends the cases that have been measured well enough. Each has had a block in
 * all rounds until now. */
static int judge(struct work *w, struct mpg_error *err)
{
    size_t rounds = (size_t)w->result->rounds;
    bool early = !w->how->adaptive || rounds < LEAST_ROUNDS;
    for (size_t i = 0; i < w->cases->n && !early; i++) {
        struct mpg_case *c = &w->cases->item[i];
        const struct series *s = &w->series[i];
        if (c->finished || s->n == 0)
            continue;
        double *sorted = malloc(s->n * sizeof *sorted);
        if (!sorted)
            return mpg_error_set(err, "out of memory for %zu samples", s->n);
        memcpy(sorted, s->value, s->n * sizeof *sorted);
        mpg_sort(sorted, s->n);
        struct mpg_lack lack = mpg_goal_lacks(&w->how->goal, s->value, sorted, s->n);
        c->finished = !lack.median && !lack.tail;
        free(sorted);
    }
    return 0;
}

/* ---- rounds ---- */

/* How long one of N warm-up repetitions takes, or the agreement when AGREE, on the
 * slowest rank; on rank 0. */
static double warm_up(struct work *w, size_t i, int64_t n, bool agree)
{
    const struct mpg_case *c = &w->cases->item[i];
    const struct line line = find_line(w);
    double mean_ns, slowest_ns = 0;
    uint64_t start = mpg_timer_read(w->timer->kind);
    for (int64_t k = 0; k < n; k++) {
        if (agree)
            (void)agree_on_start(w, &line, 0, w->comm[i]);
        else
            mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
    }
    mean_ns = (double)(mpg_timer_read(w->timer->kind) - start) * w->timer->ns_per_tick /
              (double)n;
    MPI_Reduce(&mean_ns, &slowest_ns, 1, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    return slowest_ns;
}

/* Checks and warms up a case, and guesses its times. */
static int prepare_case(struct work *w, size_t i, struct mpg_error *err)
{
    struct mpg_case *c = &w->cases->item[i];
    int64_t n = w->how->warmup > LEAST_WARMUP ? w->how->warmup : LEAST_WARMUP;
    if (!enter(w, i))
        return 0;
    int status = mpg_operation_check(c->operation, w->buffers, c->size_bytes, w->comm[i], err);
    c->usual_ns = warm_up(w, i, n, false);
    c->slack_ns = fmin(2 * warm_up(w, i, n, true) + LEAST_SLACK_NS, MOST_SLACK_NS);
    if (c->operation == MPG_OPERATION_REDUCE_LOCAL)
        c->calls = (int64_t)fmin(fmax(ceil(CALLS_NS / fmax(c->usual_ns, 1)), 1), CALLS_NS);
    return status;
}

static int count_finished(const struct mpg_cases *cases)
{
    int n = 0;
    for (size_t i = 0; i < cases->n; i++)
        n += cases->item[i].finished;
    return n;
}

/* All ranks get rank 0's cases; returns whether any is left. */
static bool share_cases(struct work *w, bool enough)
{
    int left = enough ? 0 : (int)w->cases->n - count_finished(w->cases);
    MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < w->cases->n; i++)
        MPI_Bcast(&w->cases->item[i], sizeof *w->cases->item, MPI_BYTE, 0, MPI_COMM_WORLD);
    return left > 0;
}

static int measure_round(struct work *w, const struct mpg_ranks *ranks, uint64_t *state,
                         struct mpg_error *err)
{
    int status = 0;
    mpg_random_order(state, w->order, w->cases->n);
    for (size_t k = 0; k < w->cases->n; k++) {
        size_t i = w->order[k];
        w->block[i].n = w->cases->item[i].finished ? 0 : block_size(&w->cases->item[i]);
        if (w->block[i].n > 0 && enter(w, i))
            run_block(w, i);
    }
    enter_all(w);
    if (mpg_sync_probe(w->sync, err) < 0)
        return -1;
    for (size_t k = 0; k < w->cases->n; k++) {
        size_t i = w->order[k];
        if (w->block[i].n > 0 && w->comm[i] != MPI_COMM_NULL && collect(w, i, err) < 0)
            status = -1;
    }
    w->result->rounds++;
    if (status == 0 && w->rank == 0)
        status = judge(w, err);
    return mpg_ranks_agree(ranks, status, err);
}

static int measure(struct work *w, const struct mpg_ranks *ranks, struct mpg_error *err)
{
    uint64_t state = w->how->seed;
    double begin_ns = (double)mpg_clock_ns(), mine_ns;
    int status = 0;
    struct mpg_progress progress;
    mpg_progress_start(&progress, "collective: measuring", (double)w->cases->n);
    progress.enabled = progress.enabled && w->rank == 0;
    for (size_t i = 0; i < w->cases->n && status == 0; i++)
        status = mpg_ranks_agree(ranks, prepare_case(w, i, err), err);
    w->awake = w->ranks;
    while (status == 0 &&
           share_cases(w, (double)mpg_clock_ns() - begin_ns > w->how->time_ns &&
                              w->result->rounds > 0)) {
        mpg_progress_update(&progress, count_finished(w->cases));
        status = measure_round(w, ranks, &state, err);
    }
    mpg_progress_end(&progress);
    if (status < 0)
        return -1;
    mine_ns = mpg_sync_error_ns(w->sync, w->rank) + w->astray_ns;
    MPI_Reduce(&mine_ns, &w->result->error_ns, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    w->result->shared = mpg_sync_shared(w->sync);
    return 0;
}

/* ---- life ---- */

/* A communicator for each process count; cases with the same one share it. */
static void make_comms(struct work *w)
{
    for (size_t i = 0; i < w->cases->n; i++) {
        int p = w->cases->item[i].processes;
        size_t same = 0;
        while (same < i && w->cases->item[same].processes != p)
            same++;
        if (same < i)
            w->comm[i] = w->comm[same];
        else
            MPI_Comm_split(MPI_COMM_WORLD, w->rank < p ? 0 : MPI_UNDEFINED, w->rank,
                           &w->comm[i]);
    }
}

static void free_comms(struct work *w)
{
    for (size_t i = 0; i < w->cases->n; i++) {
        MPI_Comm comm = w->comm[i];
        if (comm == MPI_COMM_NULL)
            continue;
        for (size_t k = i; k < w->cases->n; k++)
            if (w->comm[k] == comm)
                w->comm[k] = MPI_COMM_NULL;
        MPI_Comm_free(&comm);
    }
}

int mpg_starts_measure(const struct mpg_starts *how, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_buffers *buffers,
                        struct mpg_cases *cases, struct mpg_starts_result *result,
                        struct mpg_error *err)
{
    size_t n = cases->n;
    struct work w = {.how = how, .timer = timer, .buffers = buffers, .rank = ranks->rank,
                     .ranks = ranks->ranks, .cases = cases, .awake = ranks->ranks,
                     .comm = malloc(n * sizeof *w.comm), .block = calloc(n, sizeof *w.block),
                     .series = calloc(n, sizeof *w.series), .order = calloc(n, sizeof *w.order),
                     .result = result};
    if (!how->yield) {
        w.off = mpg_off_cpu_open(timer, true);
        w.looks = &w.off;
    }
    int status = w.comm && w.block && w.series && w.order ? 0 : mpg_error_set(err, "out of memory");
    status = mpg_ranks_agree(ranks, status, err);
    if (status == 0) {
        make_comms(&w);
        w.sync = mpg_sync_open(MPI_COMM_WORLD, timer, err);
        status = w.sync ? measure(&w, ranks, err) : -1;
        mpg_sync_close(w.sync);
        free_comms(&w);
    }
    for (size_t i = 0; w.series && i < n; i++)
        free(w.series[i].value);
    free(w.order);
    free(w.series);
    free(w.block);
    free(w.comm);
    return status;
}

void mpg_starts_clear(struct mpg_starts_result *result)
{
    free(result->value);
    *result = (struct mpg_starts_result){0};
}
