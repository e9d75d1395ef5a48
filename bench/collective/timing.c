/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures collective operations: synchronised starts, blocks of repetitions, rounds through all cases. */
#include "config.h"

#include "bench/collective/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/off_cpu.h"
#include "bench/harness/random.h"
#include "bench/harness/start.h"
#include "common/progress.h"
#include "statistics/order.h"

enum {
    BLOCK = 50,       /* largest number of consecutive repetitions of a case */
    MIN_BLOCK = 5,
    MEASURED_LEAD = 2,         /* unrecorded repetitions before each block: the block before it has filled the caches with
                                  another case's data */
    MIN_ROUNDS = 5,   /* minimum number of rounds of a case that ends at the goal, to measure each case at several times */
    ATTEMPTS = 4,     /* a case ends after ATTEMPTS times the wanted number of valid samples, counting all repetitions */
    MIN_WARMUP = 3,   /* the first estimates of a repetition's time come from at least this many warm-up repetitions */
};
#define BLOCK_NS 2e7      /* longest time of a block */
#define CALLS_NS 1e4       /* minimum duration of consecutive calls without messages: timer resolution and cost are then at most
                              1 % */

/* Stored in place of a repetition's time if a rank was late: the rank arrived after the agreed start (the slack was too short),
 * or was delayed while waiting for the start. */
#define LATE_TO_START INFINITY
#define LATE_FROM_START 1e300

/* Successive repetitions of a case, without another case in between, measured on this rank; index: repetition. */
struct block {
    int n;
    double start_ns[BLOCK]; /* agreed start, synchronised time */
    uint64_t start[BLOCK];  /* agreed start in ticks of this rank's timer */
    double late[BLOCK];     /* 0: in time; else LATE_TO_START or LATE_FROM_START */
    uint64_t end[BLOCK];
    double own_ns[BLOCK];   /* local operations: this rank's time of a call */
    double off_ns[BLOCK];   /* off-CPU time of this rank since its previous reading of the CPU clock */
};

/* Times of a case that count for the goal (no late rank, no off-CPU time), ns, in time order; rank 0 only. */
struct series {
    size_t n, capacity;
    double *value;
};

struct work {
    const struct mpg_timing *config;
    const struct mpg_timer *timer;
    const struct mpg_buffers *buffers;
    int rank, ranks;
    struct mpg_cases *cases;
    struct mpg_sync *sync;
    MPI_Comm *comm;        /* communicator of each case; MPI_COMM_NULL on ranks without a part */
    struct block *block;   /* current block of each case */
    struct series *series; /* rank 0: for each case */
    size_t *order;
    double start_error_ns;      /* largest difference between a start and the agreed synchronised time */
    struct mpg_off_cpu off, *off_cpu; /* OFF_CPU: &off, or NULL if ranks share cores */
    int active_ranks;             /* number of ranks in the last case; if the next case has more ranks, these first wait for each
                                   * other without load */
    struct mpg_timing_result *result;
};

/* ---- gathering of ranks ---- */

/* Waits for all ranks of case I. Returns false if this rank takes no part. */
static bool enter(struct work *w, size_t i)
{
    int before = w->active_ranks;
    w->active_ranks = w->cases->item[i].processes;
    if (w->comm[i] == MPI_COMM_NULL)
        return false;
    if (w->active_ranks > before)
        mpg_start_gather(w->comm[i]);
    MPI_Barrier(w->comm[i]);
    return true;
}

static void enter_all(struct work *w)
{
    mpg_start_gather(MPI_COMM_WORLD);
    w->active_ranks = w->ranks;
}

/* ---- a block ---- */

/* Waits until START, in ticks. Returns 0, or a marker if this rank was more than LATE_TICKS late. */
static double await(const struct work *w, uint64_t start, uint64_t late_ticks)
{
    switch (mpg_start_await(w->timer, start, late_ticks, w->config->yield ? 0 : INFINITY)) {
    case MPG_START_IN_TIME: return 0;
    case MPG_START_OVERSLEPT: return LATE_FROM_START;
    default: return LATE_TO_START;
    }
}

/* Performs repetition K of a local operation (negative: unrecorded) on all ranks at once, because they compete for
 * caches and memory. */
static void run_alone(struct work *w, size_t i, int k)
{
    const struct mpg_case *c = &w->cases->item[i];
    struct block *b = &w->block[i];
    uint64_t begin = mpg_timer_read(w->timer->kind);
    for (int64_t n = 0; n < c->calls; n++)
        mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
    uint64_t ticks = mpg_timer_read(w->timer->kind) - begin;
    double off_ns = mpg_off_cpu_check(w->off_cpu, ticks);
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
    const struct mpg_start_line line = mpg_start_line_find(w->sync, w->timer, w->rank);
    uint64_t late_ticks = (uint64_t)(w->config->late_ns / w->timer->ns_per_tick) + 1;
    if (w->off_cpu)
        mpg_off_cpu_begin(w->off_cpu);
    for (int k = -MEASURED_LEAD; k < b->n; k++) {
        mpg_operation_prepare(c->operation, w->buffers, c->size_bytes, w->comm[i]);
        double start_ns = mpg_start_agree(&line, w->timer, c->slack_ns, w->comm[i]);
        uint64_t start = mpg_start_ticks(&line, start_ns);
        double late = await(w, start, late_ticks);
        if (mpg_operation_is_local(c->operation)) {
            run_alone(w, i, k);
            continue;
        }
        mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
        uint64_t end = mpg_timer_read(w->timer->kind);
        double off_ns = mpg_off_cpu_check(w->off_cpu, end - start);
        if (k >= 0) {
            b->start_ns[k] = start_ns;
            b->start[k] = start;
            b->late[k] = late;
            b->end[k] = end;
            b->off_ns[k] = off_ns;
        }
    }
}

/* Returns the number of repetitions in the next block of case C: as many as fit into BLOCK_NS. */
static int block_size(const struct mpg_case *c)
{
    int64_t left = c->max - c->done;
    double each_ns = (double)c->calls * c->usual_ns + 2 * c->slack_ns;
    int n = each_ns * BLOCK < BLOCK_NS ? BLOCK : (int)(BLOCK_NS / each_ns);
    n = n < MIN_BLOCK ? MIN_BLOCK : n;
    return left < n ? (int)left : n;
}

/* ---- results ---- */

/* Reserves memory for BLOCK more rows of COLUMNS values. */
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

/* Sets usual_ns of case C from the N valid times of its last block, ascending in SORTED. Doubles the slack if more than
 * a tenth of ALL repetitions missed the start (LATE), else reduces it slowly. */
static void adapt(struct mpg_case *c, const double *sorted, size_t n, int late, int all)
{
    if (n > 0)
        c->usual_ns = mpg_sorted_quantile(sorted, n, 0.9);
    c->slack_ns = mpg_start_next_slack(c->slack_ns, late, all);
}

/* Rank 0: adds the repetitions of case I's block to the result: TIME_NS, or a late marker; OFF_NS is the largest
 * off-CPU time of any rank. Times with off-CPU time do not count for the goal. */
static int note_block(struct work *w, size_t i, const double *time_ns, const double *off_ns,
                      struct mpg_error *err)
{
    struct mpg_case *c = &w->cases->item[i];
    struct mpg_timing_result *r = w->result;
    struct series rows = {r->n, r->capacity, r->value}, *s = &w->series[i];
    double sorted[BLOCK];
    size_t valid = 0;
    int n = w->block[i].n, late = 0;
    int status = reserve(&rows, MPG_TIMING_COLUMNS, err);
    r->capacity = rows.capacity;
    r->value = rows.value;
    if (status < 0 || reserve(s, 1, err) < 0)
        return -1;
    for (int k = 0; k < n; k++) {
        late += time_ns[k] >= LATE_TO_START;
        if (time_ns[k] >= LATE_FROM_START)
            continue;
        double *row = r->value + MPG_TIMING_COLUMNS * r->n++;
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
    c->finished = c->done >= c->max || c->done + c->invalid >= ATTEMPTS * c->max;
    return 0;
}

/* Collects the times of a block of a local operation on rank 0: a time for each repetition, from the ranks in turn. With an odd
 * number of ranks the last rank has no partner for an exchange and gives no times. */
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

/* Collects the times of case I's block on rank 0: for each repetition the time of the rank that ended last. Called after the
 * clocks have been compared again: starts were computed from earlier comparisons, with errors now known. */
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
        w->start_error_ns = fmax(w->start_error_ns, fabs(mpg_sync_time_ns(w->sync, w->rank, b->start[k]) -
                                                         b->start_ns[k]));
    }
    MPI_Reduce(mine, last, b->n, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    MPI_Reduce(b->off_ns, off, b->n, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    return w->rank == 0 ? note_block(w, i, last, off, err) : 0;
}

/* Rank 0: ends the cases that have reached the goal, after MIN_ROUNDS rounds at the earliest. So far each unfinished
 * case has had a block in every round. */
static int judge(struct work *w, struct mpg_error *err)
{
    size_t rounds = (size_t)w->result->rounds;
    bool early = !w->config->adaptive || rounds < MIN_ROUNDS;
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
        struct mpg_unmet_goals unmet = mpg_goal_unmet(&w->config->goal, s->value, sorted, s->n);
        c->finished = !unmet.median && !unmet.tail;
        free(sorted);
    }
    return 0;
}

/* ---- rounds ---- */

/* Performs N warm-up repetitions of case I or, if AGREE, N agreements on a start. Returns on rank 0 the slowest rank's
 * mean time of a repetition or agreement, ns. */
static double warm_up(struct work *w, size_t i, int64_t n, bool agree)
{
    const struct mpg_case *c = &w->cases->item[i];
    const struct mpg_start_line line = mpg_start_line_find(w->sync, w->timer, w->rank);
    double mean_ns, slowest_ns = 0;
    uint64_t start = mpg_timer_read(w->timer->kind);
    for (int64_t k = 0; k < n; k++) {
        if (agree)
            (void)mpg_start_agree(&line, w->timer, 0, w->comm[i]);
        else
            mpg_operation_run(c->operation, w->buffers, c->size_bytes, w->comm[i]);
    }
    mean_ns = (double)(mpg_timer_read(w->timer->kind) - start) * w->timer->ns_per_tick /
              (double)n;
    MPI_Reduce(&mean_ns, &slowest_ns, 1, MPI_DOUBLE, MPI_MAX, 0, w->comm[i]);
    return slowest_ns;
}

/* Verifies the results of case I's operation, warms up, and estimates the time and slack of a repetition. */
static int prepare_case(struct work *w, size_t i, struct mpg_error *err)
{
    struct mpg_case *c = &w->cases->item[i];
    int64_t n = w->config->warmup > MIN_WARMUP ? w->config->warmup : MIN_WARMUP;
    if (!enter(w, i))
        return 0;
    int status = mpg_operation_check(c->operation, w->buffers, c->size_bytes, w->comm[i], err);
    c->usual_ns = warm_up(w, i, n, false);
    c->slack_ns = fmin(2 * warm_up(w, i, n, true) + MPG_START_MIN_SLACK_NS, MPG_START_MAX_SLACK_NS);
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

/* Broadcasts rank 0's cases. Returns whether the measurement goes on: a case is unfinished, and rank 0 has not passed ENOUGH. */
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
    uint64_t state = w->config->seed;
    double begin_ns = (double)mpg_clock_ns(), mine_ns;
    int status = 0;
    struct mpg_progress progress;
    mpg_progress_start(&progress, "collective: measuring", (double)w->cases->n);
    progress.enabled = progress.enabled && w->rank == 0;
    for (size_t i = 0; i < w->cases->n && status == 0; i++)
        status = mpg_ranks_agree(ranks, prepare_case(w, i, err), err);
    w->active_ranks = w->ranks;
    while (status == 0 &&
           share_cases(w, (double)mpg_clock_ns() - begin_ns > w->config->time_ns &&
                              w->result->rounds > 0)) {
        mpg_progress_update(&progress, count_finished(w->cases));
        status = measure_round(w, ranks, &state, err);
    }
    mpg_progress_end(&progress);
    if (status < 0)
        return -1;
    mine_ns = mpg_sync_error_ns(w->sync, w->rank) + w->start_error_ns;
    MPI_Reduce(&mine_ns, &w->result->error_ns, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    w->result->shared = mpg_sync_shared(w->sync);
    return 0;
}

/* ---- begin and end ---- */

/* Makes a communicator for each process count; cases of equal count share a communicator. */
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

int mpg_timing_measure(const struct mpg_timing *config, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_buffers *buffers,
                        struct mpg_cases *cases, struct mpg_timing_result *result,
                        struct mpg_error *err)
{
    size_t n = cases->n;
    struct work w = {.config = config, .timer = timer, .buffers = buffers, .rank = ranks->rank,
                     .ranks = ranks->ranks, .cases = cases, .active_ranks = ranks->ranks,
                     .comm = malloc(n * sizeof *w.comm), .block = calloc(n, sizeof *w.block),
                     .series = calloc(n, sizeof *w.series), .order = calloc(n, sizeof *w.order),
                     .result = result};
    if (!config->yield) {
        w.off = mpg_off_cpu_open(timer, true);
        w.off_cpu = &w.off;
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

void mpg_timing_clear(struct mpg_timing_result *result)
{
    free(result->value);
    *result = (struct mpg_timing_result){0};
}
