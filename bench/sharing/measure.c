/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of several pairs, blocks and rounds. */
#include "config.h"

#include "bench/sharing/measure.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/off_cpu.h"
#include "bench/harness/random.h"
#include "bench/harness/start.h"
#include "common/progress.h"
#include "statistics/order.h"

enum {
    BLOCK = 50,       /* largest number of consecutive repetitions of a case */
    MIN_BLOCK = 2,
    MEASURED_LEAD = 1, /* unrecorded repetitions before a block: caches hold another case's data */
    MIN_ROUNDS = 5,   /* minimum number of rounds of a case that ends at the goal, to measure each case at several times; number
                       * of rounds after which a case may end without a sample */
    ATTEMPTS = 4,     /* maximum number of attempts, times the wanted samples */
    MIN_WARMUP = 2,   /* first estimates come from the warm-up */
    AGREEMENTS = 5,
    TAG = 1
};
#define OPPOSITE_BEGIN 0.25 /* when the second of two opposite messages begins, as a share of the first message's time */
#define BLOCK_NS 2e7  /* longest time of a block */
#define SLACK_SHARE 0.05 /* smallest slack, as a share of a repetition */
#define YIELD_NS 2e4  /* longer waits for a start yield the core, since hosts of one machine may share cores */

/* A block of a case on this rank. */
struct block {
    int n;
    double start_ns[BLOCK];  /* agreed starts */
    uint64_t start[BLOCK], end[BLOCK]; /* ticks of this rank's timer */
    enum mpg_start_lateness late[BLOCK];
    double off_ns[BLOCK];    /* off-CPU time of this rank, during the repetition or before */
};

/* Times of a case so far, in time order; rank 0 only. */
struct series {
    size_t n, capacity;
    double *value;
};

/* This rank's role in a case. */
struct part {
    MPI_Comm comm;  /* MPI_COMM_NULL: none */
    int partner;    /* rank of MPI_COMM_WORLD */
    bool first;     /* sends in the first direction */
    bool leads, follows; /* of the first pair; of the last pair */
};

struct work {
    const struct mpg_sharing_config *config;
    const struct mpg_timer *timer;
    const struct mpg_ranks *ranks;
    struct mpg_sharing_cases *cases;
    struct mpg_sync *sync;
    size_t groups;         /* number of communicators */
    struct part *part;     /* of each group */
    MPI_Request *receive, *send; /* largest number of messages; largest window */
    char *send_buffer, *receive_buffer;
    struct block *block;   /* current block of each case */
    struct series *series; /* of each case */
    double *slack_ns;      /* by case: this rank's slack, the time until the start that the rank proposes */
    size_t *order;         /* of cases, group by group */
    size_t *scratch;
    bool only_missing;     /* the time is over: measure only cases without a sample */
    int gathered;          /* group of the last case on any rank; -1: none */
    double start_error_ns; /* largest deviation of a start from the agreed time */
    struct mpg_off_cpu off, *off_cpu; /* OFF_CPU: &off, or NULL if ranks share cores */
    struct mpg_sharing_result *result;
};

/* ---- a repetition ---- */

static bool is_opposite(const struct mpg_sharing_case *c)
{
    return c->directions == MPG_SHARING_OPPOSITE;
}

static bool is_lead(const struct mpg_sharing_case *c)
{
    return c->directions == MPG_SHARING_LEAD;
}

/* Returns whether this rank's end of a repetition counts: of opposite messages only the end of the second, of leads the ends at
 * receivers. */
static bool counts(const struct mpg_sharing_case *c, const struct part *part)
{
    return is_opposite(c) ? part->first && part->follows : !is_lead(c) || !part->first;
}

static bool receives(const struct mpg_sharing_case *c, const struct part *part)
{
    if (is_opposite(c))
        return part->first ? part->follows : part->leads;
    return c->directions == 2 || !part->first;
}

static bool sends(const struct mpg_sharing_case *c, const struct part *part)
{
    return c->directions == 2 || part->first;
}

/* Posts the receives of a repetition. */
static void post_receives(struct work *w, const struct mpg_sharing_case *c, const struct part *part)
{
    for (int64_t i = 0; i < c->messages && receives(c, part); i++)
        MPI_Irecv(w->receive_buffer, (int)c->size_bytes, MPI_BYTE, part->partner, TAG, MPI_COMM_WORLD, &w->receive[i]);
}

/* Sends this rank's part of two opposite messages, the second one at SECOND, ticks; completes the receives. */
static void transfer_opposite(struct work *w, const struct mpg_sharing_case *c, const struct part *part, uint64_t second)
{
    MPI_Request sent = MPI_REQUEST_NULL;
    int flag;
    const bool late = !part->first && part->follows;
    while (late && (int64_t)(mpg_timer_read(w->timer->kind) - second) < 0) { /* the first message goes on only inside of MPI */
        MPI_Iprobe(part->partner, TAG + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (w->config->oversubscribed)
            sched_yield();
    }
    if (late || (part->first && part->leads))
        MPI_Isend(w->send_buffer, (int)c->size_bytes, MPI_BYTE, part->partner, TAG, MPI_COMM_WORLD, &sent);
    if (receives(c, part))
        MPI_Wait(&w->receive[0], MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* As transfer_opposite(), but the second message is sent after the first one has arrived. */
static void transfer_apart(struct work *w, const struct mpg_sharing_case *c, const struct part *part)
{
    for (int second = 0; second < 2; second++) {
        const bool mine = second ? part->follows : part->leads;
        MPI_Barrier(part->comm);
        if (mine && part->first != (second == 1))
            MPI_Send(w->send_buffer, (int)c->size_bytes, MPI_BYTE, part->partner, TAG, MPI_COMM_WORLD);
        else if (mine)
            MPI_Wait(&w->receive[0], MPI_STATUS_IGNORE);
    }
}

/* Sends this rank's messages, window after window, and completes the receives; START, ticks, is the start. */
static void transfer(struct work *w, const struct mpg_sharing_case *c, const struct part *part, uint64_t start)
{
    if (is_opposite(c)) {
        transfer_opposite(w, c, part, start + (uint64_t)(c->offset_ns / w->timer->ns_per_tick));
        return;
    }
    for (int64_t sent = 0; sent < c->messages && sends(c, part); sent += c->window) {
        for (int64_t i = 0; i < c->window; i++)
            MPI_Isend(w->send_buffer, (int)c->size_bytes, MPI_BYTE, part->partner, TAG, MPI_COMM_WORLD, &w->send[i]);
        MPI_Waitall((int)c->window, w->send, MPI_STATUSES_IGNORE);
    }
    if (receives(c, part))
        MPI_Waitall((int)c->messages, w->receive, MPI_STATUSES_IGNORE);
}

/* Gathers the ranks of case I; false: this rank has no part. The wait without load is needed when the group changes. */
static bool enter(struct work *w, size_t i)
{
    int group = w->cases->item[i].group;
    bool changes = group != w->gathered;
    w->gathered = group;
    if (w->part[group].comm == MPI_COMM_NULL)
        return false;
    if (changes)
        mpg_start_gather(w->part[group].comm);
    MPI_Barrier(w->part[group].comm);
    return true;
}

static void enter_all(struct work *w)
{
    mpg_start_gather(MPI_COMM_WORLD);
    w->gathered = -1;
}

/* Returns this rank's next slack, ns, after a repetition of C with SLACK_NS: longer if the rank was LATE, else a little
 * shorter. */
static double next_slack(const struct mpg_sharing_case *c, double slack_ns, bool late)
{
    double smallest_ns = fmax(SLACK_SHARE * c->usual_ns, MPG_START_MIN_SLACK_NS);
    return fmin(fmax(late ? 2 * slack_ns : 0.98 * slack_ns, smallest_ns), MPG_START_MAX_SLACK_NS);
}

static void run_block(struct work *w, size_t i)
{
    const struct mpg_sharing_case *c = &w->cases->item[i];
    const struct part *part = &w->part[c->group];
    struct block *b = &w->block[i];
    const struct mpg_start_line line = mpg_start_line_find(w->sync, w->timer, w->ranks->rank);
    double late_ns = fmax(w->config->late_ns, MPG_SHARING_LATE_SHARE * c->usual_ns);
    uint64_t late_ticks = (uint64_t)(late_ns / w->timer->ns_per_tick) + 1;
    if (w->off_cpu)
        mpg_off_cpu_begin(w->off_cpu);
    for (int k = -MEASURED_LEAD; k < b->n; k++) {
        post_receives(w, c, part);
        double start_ns = mpg_start_agree(&line, w->timer, w->slack_ns[i], part->comm);
        uint64_t start = mpg_start_ticks(&line, start_ns);
        enum mpg_start_lateness late =
            mpg_start_await(w->timer, start, late_ticks, w->config->oversubscribed ? 0 : YIELD_NS);
        transfer(w, c, part, start);
        uint64_t end = mpg_timer_read(w->timer->kind);
        double off_ns = mpg_off_cpu_check(w->off_cpu, end - start);
        w->slack_ns[i] = next_slack(c, w->slack_ns[i], late != MPG_START_IN_TIME);
        if (k < 0)
            continue;
        b->start_ns[k] = start_ns;
        b->start[k] = start;
        b->end[k] = end;
        b->late[k] = late;
        b->off_ns[k] = off_ns;
    }
}

/* Returns the number of repetitions in a case's next block. */
static int block_size(const struct mpg_sharing_case *c)
{
    int64_t left = c->max - c->done;
    double each_ns = c->usual_ns + 2 * c->slack_ns;
    int n = each_ns * BLOCK < BLOCK_NS ? BLOCK : (int)(BLOCK_NS / each_ns);
    n = n < MIN_BLOCK ? MIN_BLOCK : n;
    return left < n ? (int)left : n;
}

/* ---- results ---- */

/* Returns VALUE with room for BLOCK more rows of COLUMNS after N; NULL: out of memory. */
static double *reserve(double *value, size_t n, size_t *capacity, size_t columns, struct mpg_error *err)
{
    if (n + BLOCK <= *capacity)
        return value;
    size_t wanted = 2 * *capacity + BLOCK;
    double *grown = realloc(value, wanted * columns * sizeof *grown);
    if (!grown) {
        mpg_error_set(err, "out of memory for %zu samples", wanted);
        return NULL;
    }
    *capacity = wanted;
    return grown;
}

/* Rank 0: adds a block of case I to the results. TIME_NS: time of the last rank in each repetition; infinite if any rank was
 * late. A repetition without a time above 0 counts as late. FIRST_NS: of leads, the time of the first receiver. OFF_NS: largest
 * off-CPU time of any rank in each repetition, then, as last element, the largest slack. Times with off-CPU time do not count for
 * the goal. */
static int note_block(struct work *w, size_t i, const double *time_ns, const double *first_ns, const double *off_ns,
                      struct mpg_error *err)
{
    struct mpg_sharing_case *c = &w->cases->item[i];
    struct mpg_sharing_rows *rows = &w->result->rows[c->path];
    struct series *s = &w->series[i];
    double sorted[BLOCK], *grown;
    int n = w->block[i].n, valid = 0;
    if (!(grown = reserve(rows->value, rows->n, &rows->capacity, MPG_SHARING_COLUMNS, err)))
        return -1;
    rows->value = grown;
    if (!(grown = reserve(s->value, s->n, &s->capacity, 1, err)))
        return -1;
    s->value = grown;
    for (int k = 0; k < n; k++) {
        if (isinf(time_ns[k]) || time_ns[k] <= 0) /* late, or on a busy machine the clocks are compared badly */
            continue;
        const double row[MPG_SHARING_COLUMNS] = {c->pairs, c->directions, (double)c->size_bytes, (double)c->messages,
                                                 (double)c->window, time_ns[k] - (is_lead(c) ? first_ns[k] : 0), off_ns[k]};
        memcpy(rows->value + MPG_SHARING_COLUMNS * rows->n++, row, sizeof row);
        sorted[valid++] = time_ns[k];
        if (off_ns[k] <= 0)
            s->value[s->n++] = time_ns[k];
    }
    mpg_sort(sorted, (size_t)valid);
    if (valid > 0)
        c->usual_ns = mpg_sorted_quantile(sorted, (size_t)valid, 0.9);
    c->slack_ns = off_ns[n];
    c->done += valid;
    c->late += n - valid;
    c->finished = c->done >= c->max || c->done + c->late >= ATTEMPTS * c->max ||
                  (w->config->adaptive && is_lead(c) && c->done >= MPG_SHARING_LEADS);
    return 0;
}

/* Collects the times of a block of case I on rank 0, after the clocks have been compared again; all ranks take part. */
static int collect(struct work *w, size_t i, struct mpg_error *err)
{
    const struct block *b = &w->block[i];
    const int rank = w->ranks->rank;
    const struct mpg_sharing_case *c = &w->cases->item[i];
    const bool mine = w->part[c->group].comm != MPI_COMM_NULL;
    double time_ns[BLOCK] = {0}, before_ns[BLOCK], off_ns[BLOCK + 1] = {0}, last_ns[BLOCK], first_ns[BLOCK], most_ns[BLOCK + 1];
    for (int k = 0; k < b->n; k++)
        before_ns[k] = INFINITY;
    for (int k = 0; k < b->n && mine; k++) {
        time_ns[k] = b->late[k] != MPG_START_IN_TIME
                         ? INFINITY
                         : mpg_sync_time_ns(w->sync, rank, b->end[k]) - b->start_ns[k] - c->offset_ns - w->timer->cost_ns;
        if (!counts(c, &w->part[c->group]) && !isinf(time_ns[k]))
            time_ns[k] = 0;
        else
            before_ns[k] = time_ns[k];
        off_ns[k] = b->off_ns[k];
        w->start_error_ns = fmax(w->start_error_ns,
                                 fabs(mpg_sync_time_ns(w->sync, rank, b->start[k]) - b->start_ns[k]));
    }
    MPI_Reduce(time_ns, last_ns, b->n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (is_lead(c))
        MPI_Reduce(before_ns, first_ns, b->n, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    off_ns[b->n] = mine ? w->slack_ns[i] : 0;
    MPI_Reduce(off_ns, most_ns, b->n + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return rank == 0 ? note_block(w, i, last_ns, first_ns, most_ns, err) : 0;
}

/* Rank 0: ends cases that have reached the goal. Each case has had a block in every round so far. */
static int judge(struct work *w, struct mpg_error *err)
{
    if (!w->config->adaptive || w->result->rounds < MIN_ROUNDS)
        return 0;
    for (size_t i = 0; i < w->cases->n; i++) {
        struct mpg_sharing_case *c = &w->cases->item[i];
        const struct series *s = &w->series[i];
        if (c->finished || s->n == 0 || is_lead(c))
            continue;
        double *sorted = malloc(s->n * sizeof *sorted);
        if (!sorted)
            return mpg_error_set(err, "out of memory for %zu samples", s->n);
        memcpy(sorted, s->value, s->n * sizeof *sorted);
        mpg_sort(sorted, s->n);
        c->finished = !mpg_goal_unmet(&w->config->goal, s->value, sorted, s->n).median;
        free(sorted);
    }
    return 0;
}

/* ---- rounds ---- */

/* Performs N warm-up repetitions of case I, or with AGREE N agreements on a start. Returns the mean time of a repetition or
 * agreement on the slowest rank, ns. */
static double warm_up(struct work *w, size_t i, int64_t n, bool agree)
{
    const struct mpg_sharing_case *c = &w->cases->item[i];
    const struct part *part = &w->part[c->group];
    const struct mpg_start_line line = mpg_start_line_find(w->sync, w->timer, w->ranks->rank);
    double mean_ns, slowest_ns;
    uint64_t start = mpg_timer_read(w->timer->kind);
    for (int64_t k = 0; k < n; k++) {
        if (agree) {
            (void)mpg_start_agree(&line, w->timer, 0, part->comm);
            continue;
        }
        post_receives(w, c, part);
        if (is_opposite(c))
            transfer_apart(w, c, part);
        else
            transfer(w, c, part, mpg_timer_read(w->timer->kind));
    }
    mean_ns = (double)(mpg_timer_read(w->timer->kind) - start) * w->timer->ns_per_tick / (double)n;
    MPI_Allreduce(&mean_ns, &slowest_ns, 1, MPI_DOUBLE, MPI_MAX, part->comm);
    return slowest_ns;
}

/* Warms up all cases and estimates the time of each case; rank 0 gets all estimates, also of cases without rank 0. Of long
 * repetitions MIN_WARMUP suffice. */
static void prepare_cases(struct work *w)
{
    for (size_t i = 0; i < w->cases->n; i++) {
        struct mpg_sharing_case *c = &w->cases->item[i];
        int64_t more = w->config->warmup - MIN_WARMUP;
        if (!enter(w, i))
            continue;
        c->usual_ns = warm_up(w, i, MIN_WARMUP, false);
        if (more > 0 && (double)w->config->warmup * c->usual_ns < BLOCK_NS)
            c->usual_ns = warm_up(w, i, more, false);
        w->slack_ns[i] = c->slack_ns = next_slack(c, warm_up(w, i, AGREEMENTS, true), true);
    }
    enter_all(w);
    for (size_t i = 0; i < w->cases->n; i++) {
        struct mpg_sharing_case *c = &w->cases->item[i];
        double mine[2] = {c->usual_ns, c->slack_ns}, all[2];
        MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        c->usual_ns = all[0];
        c->offset_ns = is_opposite(c) ? OPPOSITE_BEGIN * c->usual_ns / 2 : 0; /* the time of two messages */
        c->slack_ns = all[1];
    }
}

static int64_t count_finished(const struct mpg_sharing_cases *cases)
{
    int64_t n = 0;
    for (size_t i = 0; i < cases->n; i++)
        n += cases->item[i].finished;
    return n;
}

static bool lacks_samples(const struct mpg_sharing_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++)
        if (cases->item[i].done == 0)
            return true;
    return false;
}

/* Broadcasts rank 0's cases; returns whether another round is due. OVER: the time is over. */
static bool share_cases(struct work *w, bool over)
{
    int round[2] = {count_finished(w->cases) < (int64_t)w->cases->n, over && w->result->rounds > 0};
    if (round[1] && (w->result->rounds >= MIN_ROUNDS || !lacks_samples(w->cases)))
        round[0] = false;
    MPI_Bcast(round, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(w->cases->item, (int)(w->cases->n * sizeof *w->cases->item), MPI_BYTE, 0, MPI_COMM_WORLD);
    w->only_missing = round[1];
    return round[0];
}

/* Draws the order of a round: groups in random order, and the cases of each group in random order: ranks then change seldom
 * between waiting and measuring. Cases of a group follow one another in the list of cases. */
static void draw_order(struct work *w, uint64_t *state)
{
    size_t n = 0;
    mpg_random_order(state, w->scratch, w->groups);
    for (size_t g = 0; g < w->groups; g++) {
        size_t first = 0, cases = 0;
        while (w->cases->item[first].group != (int)w->scratch[g])
            first++;
        while (first + cases < w->cases->n && w->cases->item[first + cases].group == (int)w->scratch[g])
            cases++;
        mpg_random_order(state, w->order + n, cases);
        for (size_t k = 0; k < cases; k++)
            w->order[n + k] += first;
        n += cases;
    }
}

static int measure_round(struct work *w, uint64_t *state, struct mpg_error *err)
{
    int status = 0;
    draw_order(w, state);
    for (size_t k = 0; k < w->cases->n; k++) {
        size_t i = w->order[k];
        const struct mpg_sharing_case *c = &w->cases->item[i];
        w->block[i].n = c->finished || (w->only_missing && c->done > 0) ? 0 : block_size(c);
        if (w->block[i].n > 0 && enter(w, i))
            run_block(w, i);
    }
    enter_all(w);
    if (mpg_sync_probe(w->sync, err) < 0)
        return -1;
    for (size_t k = 0; k < w->cases->n; k++)
        if (w->block[w->order[k]].n > 0 && collect(w, w->order[k], err) < 0)
            status = -1;
    w->result->rounds++;
    if (status == 0 && w->ranks->rank == 0)
        status = judge(w, err);
    return mpg_ranks_agree(w->ranks, status, err);
}

static int measure(struct work *w, struct mpg_error *err)
{
    uint64_t state = w->config->seed;
    double begin_ns = (double)mpg_clock_ns(), mine_ns;
    int status = 0;
    struct mpg_progress progress;
    mpg_progress_start(&progress, "sharing: measuring", (double)w->cases->n);
    progress.enabled = progress.enabled && w->ranks->rank == 0;
    prepare_cases(w);
    while (status == 0 && share_cases(w, (double)mpg_clock_ns() - begin_ns > w->config->time_ns)) {
        mpg_progress_update(&progress, (double)count_finished(w->cases));
        status = measure_round(w, &state, err);
    }
    mpg_progress_end(&progress);
    if (status < 0)
        return -1;
    mine_ns = mpg_sync_error_ns(w->sync, w->ranks->rank) + w->start_error_ns;
    MPI_Reduce(&mine_ns, &w->result->error_ns, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    w->result->shared = mpg_sync_shared(w->sync);
    return 0;
}

/* ---- begin and end ---- */

/* Makes a communicator for each group of pairs, and finds this rank's part. */
static void make_parts(struct work *w, const struct mpg_sharing_group group[MPG_PATHS])
{
    for (size_t i = 0; i < w->cases->n; i++) {
        const struct mpg_sharing_case *c = &w->cases->item[i];
        struct part *part = &w->part[c->group];
        if (i > 0 && c->group == c[-1].group)
            continue;
        part->partner = -1;
        for (int k = 0; k < c->pairs; k++) {
            const struct mpg_rank_pair *pair = &group[c->path].pair[k];
            if (pair->a != w->ranks->rank && pair->b != w->ranks->rank)
                continue;
            part->first = pair->a == w->ranks->rank;
            part->partner = part->first ? pair->b : pair->a;
            part->leads = k == 0;
            part->follows = k == c->pairs - 1;
        }
        MPI_Comm_split(MPI_COMM_WORLD, part->partner >= 0 ? 0 : MPI_UNDEFINED, w->ranks->rank, &part->comm);
    }
}

static void free_parts(struct work *w)
{
    for (size_t g = 0; g < w->groups; g++)
        if (w->part[g].comm != MPI_COMM_NULL)
            MPI_Comm_free(&w->part[g].comm);
}

/* Allocates buffers, touched, and requests for the largest size and window. */
static int allocate(struct work *w, struct mpg_error *err)
{
    size_t n = w->cases->n;
    int64_t bytes = 1, window = 1, messages = 1;
    for (size_t i = 0; i < n; i++) {
        bytes = w->cases->item[i].size_bytes > bytes ? w->cases->item[i].size_bytes : bytes;
        window = w->cases->item[i].window > window ? w->cases->item[i].window : window;
        messages = w->cases->item[i].messages > messages ? w->cases->item[i].messages : messages;
    }
    w->groups = (size_t)w->cases->item[n - 1].group + 1;
    w->part = calloc(w->groups, sizeof *w->part);
    w->receive = malloc((size_t)messages * sizeof *w->receive);
    w->send = malloc((size_t)window * sizeof *w->send);
    w->send_buffer = malloc((size_t)bytes);
    w->receive_buffer = malloc((size_t)bytes);
    w->block = calloc(n, sizeof *w->block);
    w->series = calloc(n, sizeof *w->series);
    w->slack_ns = calloc(n, sizeof *w->slack_ns);
    w->order = calloc(n, sizeof *w->order);
    w->scratch = calloc(w->groups, sizeof *w->scratch);
    if (!w->part || !w->receive || !w->send || !w->send_buffer || !w->receive_buffer || !w->block ||
        !w->series || !w->slack_ns || !w->order || !w->scratch)
        return mpg_error_set(err, "out of memory for messages of %lld bytes", (long long)bytes);
    memset(w->send_buffer, 1, (size_t)bytes);
    memset(w->receive_buffer, 1, (size_t)bytes);
    return 0;
}

int mpg_sharing_measure(const struct mpg_sharing_config *config, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_sharing_group group[MPG_PATHS],
                        struct mpg_sharing_cases *cases, struct mpg_sharing_result *result, struct mpg_error *err)
{
    struct work w = {.config = config, .timer = timer, .ranks = ranks, .cases = cases, .gathered = -1, .result = result};
    if (!config->oversubscribed) {
        w.off = mpg_off_cpu_open(timer, true);
        w.off_cpu = &w.off;
    }
    int status = mpg_ranks_agree(ranks, allocate(&w, err), err);
    if (status == 0) {
        make_parts(&w, group);
        w.sync = mpg_sync_open(MPI_COMM_WORLD, timer, err);
        status = w.sync ? measure(&w, err) : -1;
        mpg_sync_close(w.sync);
        free_parts(&w);
    }
    for (size_t i = 0; w.series && i < cases->n; i++)
        free(w.series[i].value);
    free(w.scratch);
    free(w.order);
    free(w.slack_ns);
    free(w.series);
    free(w.block);
    free(w.receive_buffer);
    free(w.send_buffer);
    free(w.send);
    free(w.receive);
    free(w.part);
    return status;
}

void mpg_sharing_result_clear(struct mpg_sharing_result *result)
{
    for (int p = 0; p < MPG_PATHS; p++)
        free(result->rows[p].value);
    *result = (struct mpg_sharing_result){.rounds = 0};
}
