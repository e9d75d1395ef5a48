/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/tasks/order.h"

#include <math.h>
#include <stdlib.h>

/* Arrivals that differ by this or less are equal. */
static const double EQUAL_NS = 1e-3;

/* --- times of a simulation --- */

static void note_arrival(void *context, const struct mpg_step *s, uint32_t i, double arrival_ns)
{
    struct mpg_task_watch *x = context;
    const struct mpg_tasks *t = x->tasks;
    (void)i;
    if (s->rank == t->master && x->left < t->n && s->number == t->task[x->left].call)
        x->time[x->left].arrival_ns = arrival_ns;
}

static int take(void *context, const struct mpg_step *s, double value_ns, struct mpg_error *err)
{
    struct mpg_task_watch *x = context;
    const struct mpg_tasks *t = x->tasks;
    (void)err;
    if (s->rank != t->master)
        return 0;
    if (s->kind == MPG_STEP_ENTER && x->entered < t->n && s->number == t->task[x->entered].call)
        x->time[x->entered++].enter_ns = value_ns;
    else if (s->kind == MPG_STEP_LEAVE && x->left < t->n && s->number == t->task[x->left].call)
        x->time[x->left++].leave_ns = value_ns;
    return 0;
}

static int restart(void *context, struct mpg_error *err)
{
    struct mpg_task_watch *x = context;
    (void)err;
    x->entered = x->left = 0;
    return 0;
}

struct mpg_observer mpg_task_observer(struct mpg_task_watch *watch)
{
    return (struct mpg_observer){.take = take, .restart = restart, .arrive = note_arrival, .context = watch};
}

/* --- the next order --- */

/* Returns true if a message of worker A, at A_NS, comes before a message of worker B, at B_NS. */
static bool is_first(double a_ns, int32_t a, double b_ns, int32_t b)
{
    return fabs(a_ns - b_ns) > EQUAL_NS ? a_ns < b_ns : a < b;
}

/* The arrivals, in order, of the messages with which a worker's tasks in progress end. */
struct line {
    double *arrival_ns; /* at most DEPTH arrivals */
    uint32_t first, n;
    double last_ns;     /* arrival of the last message added */
};

/* Successive receives of the master, numbers begin to end - 1, whose tasks are distributed anew together. */
struct round {
    const struct mpg_tasks *t;
    const struct mpg_task_times *time;
    const int32_t *order;
    uint64_t begin, end;
    /* by receive of the round: duration of the task, from the possible begin on the worker to the arrival of the message
     * at the end */
    double *piece_ns;
    uint64_t *same;     /* by receive of the round: the next receive from the same worker; END: none */
    uint64_t *next;     /* by world rank: the next receive from the worker */
    struct line *line;  /* by world rank */
    double *arrivals;   /* memory of the arrivals of all lines */
};

static void push(const struct round *r, struct line *line, double arrival_ns)
{
    line->arrival_ns[(line->first + line->n++) % r->t->depth] = arrival_ns;
    line->last_ns = arrival_ns;
}

static double pop(const struct round *r, struct line *line)
{
    const double arrival_ns = line->arrival_ns[line->first];
    line->first = (line->first + 1) % r->t->depth;
    line->n--;
    return arrival_ns;
}

/* Finds how long the tasks from receive FROM on take, and which messages each worker has in progress then. */
static void find_times(struct round *r, uint64_t from)
{
    const uint32_t depth = r->t->depth;
    for (int32_t w = 0; w < r->t->ranks; w++)
        r->next[w] = r->end;
    for (uint64_t k = r->end; k-- > from;) {
        uint64_t *next = &r->next[r->order[k]], at = k, before = k;
        r->same[k - r->begin] = *next;
        *next = k;
        for (uint32_t i = 0; i < depth && at < r->end; i++) {
            before = at;
            at = r->same[at - r->begin];
        }
        if (at < r->end)
            r->piece_ns[k - r->begin] = r->time[at].arrival_ns - fmax(r->time[before].arrival_ns, r->time[k].leave_ns);
    }
    for (int32_t w = 0; w < r->t->ranks; w++) {
        struct line *line = &r->line[w];
        *line = (struct line){.arrival_ns = r->arrivals + (size_t)w * depth};
        for (uint64_t k = r->next[w]; k < r->end && line->n < depth; k = r->same[k - r->begin])
            push(r, line, r->time[k].arrival_ns);
    }
}

/* Returns true if a call of R's master that begins at BEGIN_NS takes a message of worker A, at A_NS, before a message of
 * worker B, at B_NS. */
static bool is_taken_first(const struct round *r, double begin_ns, double a_ns, int32_t a, double b_ns, int32_t b)
{
    const int32_t places[] = {r->t->worker[a].place, r->t->worker[b].place};
    if (!r->t->picks)
        return is_first(a_ns, a, b_ns, b);
    /* if both have arrived, libraries search in the order of the list */
    if (a_ns <= begin_ns + EQUAL_NS && b_ns <= begin_ns + EQUAL_NS)
        return places[0] < places[1];
    return is_first(a_ns, places[0], b_ns, places[1]);
}

/* Returns the worker whose message is taken by receive K, which begins at BEGIN_NS. */
static int32_t find_first(const struct round *r, uint64_t k, double begin_ns)
{
    int32_t first = -1;
    double first_ns = INFINITY;
    for (int32_t w = 0; w < r->t->ranks; w++) {
        const struct line *line = &r->line[w];
        if (line->n == 0 || k < r->t->worker[w].begins)
            continue;
        if (first < 0 || is_taken_first(r, begin_ns, line->arrival_ns[line->first], w, first_ns, first)) {
            first = w;
            first_ns = line->arrival_ns[line->first];
        }
    }
    return first;
}

/* Returns the number of receives of R that do not take the first message to arrive; sets *FIRST to the first of these
 * receives. */
static uint64_t count_late(struct round *r, uint64_t *first)
{
    uint64_t late = 0;
    for (int32_t w = 0; w < r->t->ranks; w++)
        r->next[w] = r->end;
    for (uint64_t k = r->end, earliest = r->end - 1; k-- > r->begin;) {
        const double ns = r->time[k].arrival_ns, enter_ns = r->time[k].enter_ns;
        bool is_late = false;
        if (!r->t->picks) {
            const bool is_behind = is_first(r->time[earliest].arrival_ns, r->order[earliest], ns, r->order[k]);
            is_late = is_behind && !r->t->task[k].is_named;
            earliest = is_behind ? earliest : k;
        }
        for (int32_t w = 0; w < r->t->ranks && r->t->picks && !is_late; w++)
            is_late = r->next[w] < r->end && w != r->order[k] &&
                      is_taken_first(r, enter_ns, r->time[r->next[w]].arrival_ns, w, ns, r->order[k]);
        r->next[r->order[k]] = k;
        *first = is_late ? k : *first;
        late += is_late;
    }
    return late;
}

/* Simulates the round from receive FROM on, with each receive taking the first message to arrive, and sets ORDER accordingly.
 * Returns when the last receive ends, ns. */
static double give_out(struct round *r, uint64_t from, int32_t *order)
{
    double free_ns = r->time[from].enter_ns, leave_ns = free_ns;
    find_times(r, from);
    for (uint64_t k = from; k < r->end; k++) {
        const struct mpg_task_times *at = &r->time[k];
        const int32_t w = r->t->task[k].is_named ? r->t->task[k].source : find_first(r, k, free_ns);
        struct line *line = &r->line[w];
        leave_ns = fmax(free_ns, pop(r, line)) + at->leave_ns - fmax(at->enter_ns, at->arrival_ns);
        if (r->t->task[k].is_task)
            push(r, line, fmax(line->last_ns, leave_ns) + r->piece_ns[k - r->begin]);
        order[k] = w;
        free_ns = k + 1 < r->end ? leave_ns + at[1].enter_ns - at->leave_ns : leave_ns;
    }
    return leave_ns;
}

/* Returns the receive after the last receive of the round that begins with receive BEGIN. */
static uint64_t end_of(const struct mpg_tasks *t, uint64_t begin)
{
    uint64_t k = begin;
    while (k < t->n && t->task[k].round == t->task[begin].round)
        k++;
    return k;
}

/* Sets R to the round that begins with receive r->begin, without leading receives that are no part of the pattern. Returns false
 * if no receive is left. */
static bool take_round(struct round *r)
{
    r->end = end_of(r->t, r->begin);
    while (r->begin < r->end && mpg_task_is_void(&r->t->task[r->begin]))
        r->begin++;
    return r->begin < r->end;
}

static bool make_round(struct round *r)
{
    const struct mpg_tasks *t = r->t;
    const size_t ranks = (size_t)t->ranks;
    uint64_t longest = 0;
    for (uint64_t begin = 0, end; begin < t->n; begin = end) {
        end = end_of(t, begin);
        longest = end - begin > longest ? end - begin : longest;
    }
    r->piece_ns = malloc((size_t)longest * sizeof *r->piece_ns);
    r->same = malloc((size_t)longest * sizeof *r->same);
    r->next = malloc(ranks * sizeof *r->next);
    r->line = malloc(ranks * sizeof *r->line);
    r->arrivals = malloc(ranks * t->depth * sizeof *r->arrivals);
    return r->piece_ns && r->same && r->next && r->line && r->arrivals;
}

static void clear_round(struct round *r)
{
    free(r->piece_ns);
    free(r->same);
    free(r->next);
    free(r->line);
    free(r->arrivals);
}

uint64_t mpg_task_order_renew(const struct mpg_tasks *t, const struct mpg_task_times *time, int32_t *order)
{
    struct round r = {.t = t, .time = time, .order = order};
    const bool has_memory = make_round(&r);
    uint64_t late = 0, first = 0;
    for (r.begin = 0; r.begin < t->n && has_memory; r.begin = r.end) {
        const uint64_t here = take_round(&r) ? count_late(&r, &first) : 0;
        if (here > 0)
            give_out(&r, first, order);
        late += here;
    }
    clear_round(&r);
    return has_memory ? late : UINT64_MAX;
}

double mpg_task_order_gain(const struct mpg_tasks *t, const struct mpg_task_times *time, const int32_t *order)
{
    struct round r = {.t = t, .time = time, .order = order};
    int32_t *anew = malloc((size_t)t->n * sizeof *anew);
    const bool has_memory = make_round(&r) && anew;
    double gain_ns = has_memory ? 0 : NAN;
    for (r.begin = 0; r.begin < t->n && has_memory; r.begin = r.end) {
        if (take_round(&r))
            gain_ns += time[r.end - 1].leave_ns - give_out(&r, r.begin, anew);
    }
    clear_round(&r);
    free(anew);
    return gain_ns;
}
