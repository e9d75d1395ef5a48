/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders a schedule in a possible order of an MPI program.
 *
 * A candidate is an operation whose required operations are all placed. Sends, receives and work without duration are placed
 * as soon as all required operations have ended. Next comes work, if only one candidate is work, and if no message required by
 * a candidate could end before the work starts. Without ready candidates and without work, the program waits for the messages
 * required by all candidates: every later operation follows a candidate, and therefore also requires these messages. */
#include "trace/goal/graph.h"

#include <stdlib.h>
#include <string.h>

/* State of ordering the operations of one of the rank's cpus. Placing an operation makes the operation the program's next
 * call. */
struct order {
    struct goal_graph *g;
    const struct goal_program *p;
    unsigned cpu;
    uint32_t *ready;      /* queue of candidates without duration that require no open message */
    size_t ready_first, ready_number;
    uint32_t *work;       /* candidates that are work and could start now */
    size_t work_number;
    uint32_t *blocked;    /* candidates that require messages in `open` */
    size_t blocked_number;
    uint32_t *open;       /* placed sends and receives not waited for yet */
    uint32_t *edges_to;   /* indices of the edges, sorted by the dependent operation, then by the required one */
    uint32_t *first_to;   /* by operation: index in EDGES_TO of the first edge to it */
    size_t open_number;
    int64_t *requests;
    int64_t calcs;        /* number of pieces of work placed so far */
    size_t placed;
};

static int compare_edges(const void *a, const void *b)
{
    const struct goal_edge *x = a, *y = b;
    if (x->before != y->before)
        return x->before < y->before ? -1 : 1;
    return (x->after > y->after) - (x->after < y->after);
}

static int two_names(const struct order *o, const char *what, uint32_t a, uint32_t b, struct mpg_error *err)
{
    char first[80], second[80];
    o->p->name(o->p->context, &o->g->nodes[a], first, sizeof first);
    o->p->name(o->p->context, &o->g->nodes[b], second, sizeof second);
    return mpg_error_set(err, "operations %s and %s: %s", first, second, what);
}

static void add_candidate(struct order *o, uint32_t i)
{
    const struct goal_node *node = &o->g->nodes[i];
    if (node->open > 0)
        o->blocked[o->blocked_number++] = i;
    else if (node->kind == GOAL_CALC && node->size > 0)
        o->work[o->work_number++] = i;
    else
        o->ready[o->ready_number++] = i;
}

/* Places operation I. Operations of which I was the last requirement become candidates. Returns 0, or -1 with ERR. */
static int place(struct order *o, uint32_t i, struct mpg_error *err)
{
    struct goal_graph *g = o->g;
    struct goal_node *node = &g->nodes[i];
    const bool is_message = node->kind != GOAL_CALC;
    if (o->p->place(o->p->context, node, err) < 0)
        return -1;
    o->placed++;
    o->calcs += node->kind == GOAL_CALC && node->size > 0;
    node->posted_calcs = o->calcs;
    if (is_message) {
        node->place = (uint32_t)o->open_number;
        o->open[o->open_number++] = i;
    }
    for (uint32_t e = node->first; e < node->last; e++) {
        struct goal_node *next = &g->nodes[g->edges[e].after];
        next->open += is_message && !g->edges[e].is_start;
        if (--next->waits == 0)
            add_candidate(o, g->edges[e].after);
    }
    return 0;
}

/* Returns whether all candidates in o->blocked require message I. */
static bool is_required_by_all(const struct order *o, uint32_t i)
{
    const struct goal_node *node = &o->g->nodes[i];
    size_t n = 0;
    for (uint32_t e = node->first; e < node->last; e++) {
        const struct goal_edge *edge = &o->g->edges[e];
        const bool is_again = e > node->first && edge[-1].after == edge->after && !edge[-1].is_start;
        n += !edge->is_start && !is_again && o->g->nodes[edge->after].waits == 0;
    }
    return n == o->blocked_number;
}

/* Places a wait for the N messages CHOSEN. Candidates without further required messages become ready. Returns 0, or -1 with
 * ERR. */
static int wait_for(struct order *o, const uint32_t *chosen, size_t n, struct mpg_error *err)
{
    struct goal_graph *g = o->g;
    for (size_t k = 0; k < n; k++) {
        struct goal_node *node = &g->nodes[chosen[k]];
        o->requests[k] = node->request;
        node->request = 0;
        o->open[node->place] = o->open[--o->open_number];
        g->nodes[o->open[node->place]].place = node->place;
        for (uint32_t e = node->first; e < node->last; e++)
            g->nodes[g->edges[e].after].open -= !g->edges[e].is_start;
    }
    if (o->p->wait(o->p->context, o->cpu, o->requests, (uint32_t)n, err) < 0)
        return -1;
    const size_t blocked = o->blocked_number;
    o->blocked_number = 0;
    for (size_t k = 0; k < blocked; k++)
        add_candidate(o, o->blocked[k]);
    return 0;
}

/* Returns the next edge, from index *AT of o->edges_to on, by which operation I requires an open message; NULL: no further
 * edge. */
static const struct goal_edge *next_message(const struct order *o, uint32_t i, size_t *at)
{
    for (; *at < o->g->edge_number; ++*at) {
        const struct goal_edge *edge = &o->g->edges[o->edges_to[*at]];
        if (edge->after != i)
            return NULL;
        if (!edge->is_start && o->g->nodes[edge->before].request != 0) {
            ++*at;
            return edge;
        }
    }
    return NULL;
}

/* Places a wait for the messages required by all blocked candidates. CHOSEN: room for these messages. Returns 0, or -1 with
 * ERR. */
static int wait_for_common(struct order *o, uint32_t *chosen, struct mpg_error *err)
{
    size_t n = 0, at = o->first_to[o->blocked[0]];
    for (const struct goal_edge *edge; (edge = next_message(o, o->blocked[0], &at));)
        if (is_required_by_all(o, edge->before) && (n == 0 || chosen[n - 1] != edge->before))
            chosen[n++] = edge->before;
    if (n == 0)
        return two_names(o, "which of the two starts first depends on when messages end: no program of MPI calls does so",
                         o->blocked[0],
                         o->blocked[o->blocked_number - 1], err);
    return wait_for(o, chosen, n, err);
}

/* Places the only work among the candidates. Errors: two candidates are work; a message could end before the work starts. */
static int start_work(struct order *o, struct mpg_error *err)
{
    if (o->work_number > 1)
        return two_names(o, "two calculations on one cpu have no order", o->work[0], o->work[1], err);
    for (size_t k = 0; k < o->blocked_number; k++) {
        size_t at = o->first_to[o->blocked[k]];
        const struct goal_edge *edge = next_message(o, o->blocked[k], &at);
        if (edge && o->g->nodes[edge->before].posted_calcs < o->calcs)
            return two_names(o, "which of the two starts first depends on when a message ends: no program of MPI calls does so",
                             o->work[0], o->blocked[k], err);
    }
    o->work_number = 0;
    return place(o, o->work[0], err);
}

/* Returns whether the edges of G are sorted by compare_edges(), as in most schedules. */
static bool are_sorted(const struct goal_graph *g)
{
    for (size_t e = 1; e < g->edge_number; e++)
        if (compare_edges(&g->edges[e - 1], &g->edges[e]) > 0)
            return false;
    return true;
}

/* Fills o->edges_to and o->first_to. Edges are sorted by `before`, and counted in `waits` of the dependent operation. */
static void sort_edges_to(const struct order *o)
{
    const struct goal_graph *g = o->g;
    uint32_t end = 0;
    for (size_t i = 0; i < g->n; i++)
        end = o->first_to[i] = end + g->nodes[i].waits;
    for (size_t e = g->edge_number; e-- > 0;)
        o->edges_to[--o->first_to[g->edges[e].after]] = (uint32_t)e;
}

/* Sorts the edges of G, and counts the requirements of each operation. Returns -1 with ERR if an operation depends on an
 * operation of a different cpu. */
static int prepare(struct goal_graph *g, const struct order *o, struct mpg_error *err)
{
    if (!are_sorted(g))
        qsort(g->edges, g->edge_number, sizeof *g->edges, compare_edges);
    for (size_t i = 0; i < g->n; i++) {
        struct goal_node *node = &g->nodes[i];
        node->first = node->last = node->waits = node->open = 0;
        node->request = 0;
    }
    for (size_t e = 0, begin = 0; e < g->edge_number; e++) {
        const struct goal_edge *edge = &g->edges[e];
        begin = e > 0 && edge[-1].before == edge->before ? begin : e;
        g->nodes[edge->before].first = (uint32_t)begin;
        g->nodes[edge->before].last = (uint32_t)e + 1;
        g->nodes[edge->after].waits++;
        if (g->nodes[edge->before].cpu != g->nodes[edge->after].cpu)
            return two_names(o, "on two cpus, one requires the other: threads of MPI programs have no such dependency",
                             edge->before, edge->after, err);
    }
    sort_edges_to(o);
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int order_cpu(struct order *o, uint32_t *chosen, struct mpg_error *err)
{
    struct goal_graph *g = o->g;
    o->ready_first = o->ready_number = o->work_number = o->blocked_number = o->open_number = 0;
    o->calcs = 0;
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i].cpu == o->cpu && g->nodes[i].waits == 0)
            add_candidate(o, (uint32_t)i);
    for (int status = 0;;) {
        if (o->ready_first < o->ready_number)
            status = place(o, o->ready[o->ready_first++], err);
        else if (o->work_number > 0)
            status = start_work(o, err);
        else if (o->blocked_number > 0)
            status = wait_for_common(o, chosen, err);
        else
            break;
        if (status < 0)
            return -1;
    }
    const size_t n = o->open_number;
    memcpy(chosen, o->open, n * sizeof *chosen);
    if (n > 0)
        qsort(chosen, n, sizeof *chosen, compare_numbers);
    return n > 0 ? wait_for(o, chosen, n, err) : 0;
}

int mpg_goal_order(struct goal_graph *g, const struct goal_program *p, struct mpg_error *err)
{
    struct order o = {.g = g, .p = p};
    uint32_t *numbers = malloc(5 * (g->n + 1) * sizeof *numbers);
    o.requests = malloc((g->n + 1) * sizeof *o.requests);
    o.edges_to = malloc((g->edge_number + 1) * sizeof *o.edges_to);
    o.first_to = malloc((g->n + 1) * sizeof *o.first_to);
    bool cpus[256] = {false};
    int status = numbers && o.requests && o.edges_to && o.first_to ? prepare(g, &o, err) : mpg_error_set(err, "out of memory");
    if (numbers) {
        o.ready = numbers;
        o.work = numbers + (g->n + 1);
        o.blocked = numbers + 2 * (g->n + 1);
        o.open = numbers + 3 * (g->n + 1);
    }
    for (size_t i = 0; i < g->n; i++)
        cpus[g->nodes[i].cpu] = true;
    for (o.cpu = 0; o.cpu < 256 && status == 0; o.cpu++)
        if (cpus[o.cpu])
            status = order_cpu(&o, numbers + 4 * (g->n + 1), err);
    if (status == 0 && o.placed < g->n) {
        size_t i = 0;
        while (g->nodes[i].waits == 0)
            i++;
        char text[80];
        p->name(p->context, &g->nodes[i], text, sizeof text);
        status = mpg_error_set(err, "operation %s requires itself through others", text);
    }
    free(numbers);
    free(o.requests);
    free(o.edges_to);
    free(o.first_to);
    return status;
}
