/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/work/balance.h"

#include <stdio.h>
#include <stdlib.h>

/* The work of a thread in each visit to the region (from begin to end of the region), in the order of visits. */
struct visits {
    uint32_t thread;
    size_t n, capacity;
    double *work_ns;
    struct visits *next;
};

/* Mean work of each visit, over the threads numbered THREAD of all members. */
struct means {
    uint32_t thread;
    size_t n;
    double *work_ns;
    struct means *next;
};

struct balance {
    int32_t ranks, members;
    bool by_total;
    bool *is_member;
    double *total_ns, mean_ns; /* by rank: work in all visits, ns; MEAN_NS: mean over members */
    struct visits **visits;    /* by rank: a list of the rank's threads; if BY_TOTAL, visits are counted, but the work of each
                                * visit is not stored */
    struct means *means;
};

struct balance *mpg_balance_new(int32_t ranks, bool by_total)
{
    struct balance *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    const size_t n = (size_t)ranks;
    *b = (struct balance){.ranks = ranks, .members = ranks, .by_total = by_total};
    b->is_member = malloc(n * sizeof *b->is_member);
    b->total_ns = calloc(n, sizeof *b->total_ns);
    b->visits = calloc(n, sizeof(struct visits *));
    if (!b->is_member || !b->total_ns || !b->visits) {
        mpg_balance_free(b);
        return NULL;
    }
    for (size_t r = 0; r < n; r++)
        b->is_member[r] = true;
    return b;
}

void mpg_balance_free(struct balance *b)
{
    if (!b)
        return;
    for (int32_t r = 0; r < b->ranks && b->visits; r++)
        for (struct visits *v = b->visits[r], *next; v; v = next) {
            next = v->next;
            free(v->work_ns);
            free(v);
        }
    for (struct means *m = b->means, *next; m; m = next) {
        next = m->next;
        free(m->work_ns);
        free(m);
    }
    free(b->is_member);
    free(b->total_ns);
    free(b->visits);
    free(b);
}

void mpg_balance_among(struct balance *b, const int32_t *members, size_t n)
{
    b->members = (int32_t)n;
    for (int32_t r = 0; r < b->ranks; r++)
        b->is_member[r] = false;
    for (size_t i = 0; i < n; i++)
        b->is_member[members[i]] = true;
}

bool mpg_balance_has(const struct balance *b, int32_t rank)
{
    return b->is_member[rank];
}

static struct visits *find(const struct balance *b, int32_t rank, uint32_t thread)
{
    struct visits *v = b->visits[rank];
    while (v && v->thread != thread)
        v = v->next;
    return v;
}

static int grow(struct visits *v)
{
    const size_t capacity = v->capacity ? 2 * v->capacity : 16;
    double *grown = realloc(v->work_ns, capacity * sizeof *grown);
    if (!grown)
        return -1;
    v->work_ns = grown;
    v->capacity = capacity;
    return 0;
}

int mpg_balance_visit(struct balance *b, int32_t rank, uint32_t thread, size_t *visit, struct mpg_error *err)
{
    struct visits *v = find(b, rank, thread);
    if (!v) {
        if (!(v = calloc(1, sizeof *v)))
            return mpg_error_set(err, "out of memory");
        v->thread = thread;
        v->next = b->visits[rank];
        b->visits[rank] = v;
    }
    if (!b->by_total && v->n == v->capacity && grow(v) < 0)
        return mpg_error_set(err, "out of memory for %zu visits of rank %d (by=total keeps none)", v->n,
                             rank);
    if (!b->by_total)
        v->work_ns[v->n] = 0;
    *visit = v->n++;
    return 0;
}

void mpg_balance_work(struct balance *b, int32_t rank, uint32_t thread, size_t visit, double work_ns)
{
    b->total_ns[rank] += work_ns;
    if (!b->by_total)
        find(b, rank, thread)->work_ns[visit] += work_ns;
}

double mpg_balance_total(const struct balance *b)
{
    double sum_ns = 0;
    for (int32_t r = 0; r < b->ranks; r++)
        sum_ns += b->is_member[r] ? b->total_ns[r] : 0;
    return sum_ns;
}

/* --- means --- */

static size_t count(const struct balance *b, int32_t rank, uint32_t thread)
{
    const struct visits *v = find(b, rank, thread);
    return v ? v->n : 0;
}

/* Checks that the threads numbered THREAD of all members have equal numbers of visits. Returns 0, or -1 with ERR. */
static int check_counts(const struct balance *b, uint32_t thread, struct mpg_error *err)
{
    int32_t first = 0;
    char of[32] = "";
    while (!b->is_member[first])
        first++;
    if (thread > 0)
        snprintf(of, sizeof of, " (its thread %u)", thread);
    const size_t n = count(b, first, thread);
    for (int32_t r = first + 1; r < b->ranks; r++)
        if (b->is_member[r] && count(b, r, thread) != n)
            return mpg_error_set(err, "rank %d enters the region %zu time%s, rank %d %zu time%s%s: by=instance "
                                      "needs equal numbers (by=total balances the sums of each rank)",
                                 first, n, n == 1 ? "" : "s", r, count(b, r, thread),
                                 count(b, r, thread) == 1 ? "" : "s", of);
    return 0;
}

static const struct means *find_means(const struct balance *b, uint32_t thread)
{
    const struct means *m = b->means;
    while (m && m->thread != thread)
        m = m->next;
    return m;
}

/* Computes the mean work of each of the N visits, over the threads numbered THREAD of all members. */
static int add_means(struct balance *b, uint32_t thread, size_t n, struct mpg_error *err)
{
    struct means *m = calloc(1, sizeof *m);
    if (!m || !(m->work_ns = calloc(n, sizeof *m->work_ns))) {
        free(m);
        return mpg_error_set(err, "out of memory");
    }
    m->thread = thread;
    m->n = n;
    m->next = b->means;
    b->means = m;
    for (int32_t r = 0; r < b->ranks; r++)
        for (size_t k = 0; k < n && b->is_member[r]; k++)
            m->work_ns[k] += find(b, r, thread)->work_ns[k];
    for (size_t k = 0; k < n; k++)
        m->work_ns[k] /= b->members;
    return 0;
}

static int finish_total(struct balance *b, struct mpg_error *err)
{
    b->mean_ns = 0;
    for (int32_t r = 0; r < b->ranks; r++) {
        if (!b->is_member[r])
            continue;
        if (!(b->total_ns[r] > 0))
            return mpg_error_set(err, "rank %d has no computation in the region, which by=total could multiply "
                                      "(by=instance adds computation)", r);
        b->mean_ns += b->total_ns[r] / b->members;
    }
    return 0;
}

int mpg_balance_finish(struct balance *b, struct mpg_error *err)
{
    if (b->by_total)
        return finish_total(b, err);
    for (int32_t r = 0; r < b->ranks; r++)
        for (const struct visits *v = b->is_member[r] ? b->visits[r] : NULL; v; v = v->next)
            if (!find_means(b, v->thread) &&
                (check_counts(b, v->thread, err) < 0 || add_means(b, v->thread, v->n, err) < 0))
                return -1;
    return 0;
}

struct balance_change mpg_balance_of(const struct balance *b, int32_t rank, uint32_t thread, size_t visit)
{
    if (!b->is_member[rank])
        return (struct balance_change){0, 0};
    if (b->by_total)
        return (struct balance_change){b->mean_ns / b->total_ns[rank] - 1, 0};
    const double work_ns = find(b, rank, thread)->work_ns[visit];
    const double mean_ns = find_means(b, thread)->work_ns[visit];
    if (work_ns > 0)
        return (struct balance_change){mean_ns / work_ns - 1, 0};
    return (struct balance_change){0, mean_ns};
}
