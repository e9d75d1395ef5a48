/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/tasks/order.h"

#include <math.h>
#include <stdlib.h>

/* Arrivals that differ by no more are equal. */
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

/* Returns true if a message of worker A at A_NS comes before worker B's at B_NS. */
static bool is_first(double a_ns, int32_t a, double b_ns, int32_t b)
{
    return fabs(a_ns - b_ns) > EQUAL_NS ? a_ns < b_ns : a < b;
}

/* Returns the number of receives from BEGIN to END - 1, a round, that take a later message than a receive after them; *FIRST: the
 * first of them. */
static uint64_t count_late(const struct mpg_task_times *time, const int32_t *order, uint64_t begin, uint64_t end, uint64_t *first)
{
    uint64_t late = 0, earliest = end - 1;
    for (uint64_t k = end - 1; k-- > begin;) {
        if (is_first(time[earliest].arrival_ns, order[earliest], time[k].arrival_ns, order[k])) {
            *first = k;
            late++;
        } else
            earliest = k;
    }
    return late;
}

/* A round while its tasks are given out again. */
struct round {
    const struct mpg_tasks *t;
    const struct mpg_task_times *time;
    int32_t *order;
    uint64_t begin, end;
    double *cycle_ns;   /* by receive of the round: from its leave to the arrival of its worker's next message; INFINITY: none */
    double *message_ns; /* by world rank: arrival of the worker's next message; INFINITY: none */
};

/* Finds the cycles of the tasks from receive FROM on, and each worker's first message from there on. */
static void find_times(struct round *r, uint64_t from)
{
    for (int32_t w = 0; w < r->t->ranks; w++)
        r->message_ns[w] = INFINITY;
    for (uint64_t k = r->end; k-- > from;) {
        double *message_ns = &r->message_ns[r->order[k]];
        r->cycle_ns[k - r->begin] = *message_ns - r->time[k].leave_ns;
        *message_ns = r->time[k].arrival_ns;
    }
}

/* Returns the worker whose message comes first. */
static int32_t find_first(const struct round *r)
{
    int32_t first = -1;
    for (int32_t w = 0; w < r->t->ranks; w++)
        if (!isinf(r->message_ns[w]) && (first < 0 || is_first(r->message_ns[w], w, r->message_ns[first], first)))
            first = w;
    return first;
}

/* Gives out the tasks from receive FROM on. */
static void give_out(struct round *r, uint64_t from)
{
    double free_ns = r->time[from].enter_ns;
    find_times(r, from);
    for (uint64_t k = from; k < r->end; k++) {
        const struct mpg_task_times *at = &r->time[k];
        const int32_t w = find_first(r);
        const double leave_ns = fmax(free_ns, r->message_ns[w]) + at->leave_ns - fmax(at->enter_ns, at->arrival_ns);
        r->order[k] = w;
        r->message_ns[w] = r->t->task[k].is_task ? leave_ns + r->cycle_ns[k - r->begin] : INFINITY;
        free_ns = k + 1 < r->end ? leave_ns + at[1].enter_ns - at->leave_ns : leave_ns;
    }
}

uint64_t mpg_task_order_renew(const struct mpg_tasks *t, const struct mpg_task_times *time, int32_t *order)
{
    struct round r = {.t = t, .time = time, .order = order};
    uint64_t late = 0, longest = 0, first = 0;
    for (uint64_t begin = 0, k = 1; k <= t->n; k++)
        if (k == t->n || t->task[k].round != t->task[begin].round) {
            longest = k - begin > longest ? k - begin : longest;
            begin = k;
        }
    r.cycle_ns = malloc((size_t)longest * sizeof *r.cycle_ns);
    r.message_ns = malloc((size_t)t->ranks * sizeof *r.message_ns);
    const bool has_memory = r.cycle_ns && r.message_ns;
    for (uint64_t k = 1; k <= t->n && has_memory; k++) {
        if (k < t->n && t->task[k].round == t->task[r.begin].round)
            continue;
        r.end = k;
        const uint64_t here = count_late(time, order, r.begin, r.end, &first);
        if (here > 0)
            give_out(&r, first);
        late += here;
        r.begin = k;
    }
    free(r.cycle_ns);
    free(r.message_ns);
    return has_memory ? late : UINT64_MAX;
}
