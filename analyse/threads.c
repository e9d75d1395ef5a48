/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "common/units.h"
#include "trace/parallel.h"

/* Sums of the definitions in threads.h. */
struct sums {
    double work, longest, parallel, all; /* S + W, S + n L, S + n P, N (S + P) */
};

static struct mpg_threads_region *region_of(struct mpg_threads *found, size_t *capacity, const struct mpg_parallel_region *r,
                                            struct mpg_error *err)
{
    for (size_t i = 0; i < found->n; i++)
        if (strcmp(found->region[i].name, r->name) == 0)
            return &found->region[i];
    if (mpg_grow(&found->region, found->n, capacity, sizeof *found->region, err) < 0)
        return NULL;
    found->region[found->n] = (struct mpg_threads_region){.name = r->name, .threads = r->threads};
    return &found->region[found->n++];
}

/* Returns the time of R without MPI in the thread that encounters R, ns. */
static double time_of(const struct mpg_parallel_region *r)
{
    return fmax(0, r->time_ns - r->thread[0].calls_ns);
}

/* Adds R, a region of RANK, to T. */
static void add_region(struct mpg_threads_region *t, const struct mpg_parallel_region *r, int32_t rank)
{
    double work_ns = 0;
    for (uint32_t k = 0; k < r->threads; k++) {
        work_ns += r->thread[k].work_ns;
        t->wait_ns += r->thread[k].wait_ns;
    }
    for (uint32_t k = 0; k < r->threads && work_ns > 0; k++) {
        const double ratio = r->thread[k].work_ns * r->threads / work_ns;
        if (ratio > t->most) {
            t->most = ratio;
            t->most_rank = rank;
            t->most_thread = k;
        }
    }
    t->ranks++;
    t->visits += r->visits;
    t->time_ns += time_of(r);
    t->work_ns += work_ns;
    t->longest_ns += r->longest_ns;
    t->lost_ns += fmax(0, r->threads * r->longest_ns - work_ns);
}

/* Adds a rank with the parallel regions P and computation COMPUTE_NS to S. */
static void add_rank(struct sums *s, const struct mpg_parallel *p, double compute_ns)
{
    double within_ns = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct mpg_parallel_region *r = &p->region[i];
        const double time_ns = time_of(r);
        for (uint32_t k = 0; k < r->threads; k++)
            s->work += r->thread[k].work_ns;
        s->longest += r->threads * fmin(r->longest_ns, time_ns);
        s->parallel += r->threads * time_ns;
        within_ns += time_ns;
    }
    const double serial_ns = fmax(0, compute_ns - within_ns);
    s->work += serial_ns;
    s->longest += serial_ns;
    s->parallel += serial_ns;
    s->all += p->threads * (serial_ns + within_ns);
}

static int by_loss(const void *a, const void *b)
{
    const struct mpg_threads_region *x = a, *y = b;
    return x->lost_ns != y->lost_ns ? (x->lost_ns < y->lost_ns ? 1 : -1) : strcmp(x->name, y->name);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static int find(const struct mpg_trace *trace, const double *compute_ns, struct mpg_threads *found, struct sums *s,
                struct mpg_error *err)
{
    size_t capacity = 0;
    for (int32_t rank = 0; rank < mpg_trace_ranks(trace); rank++) {
        struct mpg_parallel p;
        int status = mpg_parallel_read(trace, rank, &p, err);
        for (size_t i = 0; status == 0 && i < p.n; i++) {
            struct mpg_threads_region *t = region_of(found, &capacity, &p.region[i], err);
            status = t ? 0 : -1;
            if (t)
                add_region(t, &p.region[i], rank);
        }
        found->threads = p.threads > found->threads ? p.threads : found->threads;
        if (compute_ns)
            add_rank(s, &p, compute_ns[rank]);
        mpg_parallel_clear(&p);
        if (status < 0)
            return -1;
    }
    return 0;
}

int mpg_threads_find(const struct mpg_trace *trace, const double *compute_ns, struct mpg_threads *found, struct mpg_error *err)
{
    struct sums s = {0};
    *found = (struct mpg_threads){.threads = 1};
    if (find(trace, compute_ns, found, &s, err) < 0)
        return -1;
    if (found->n > 0)
        qsort(found->region, found->n, sizeof *found->region, by_loss);
    found->ratios = (struct mpg_threads_ratios){.thread = ratio(s.work, s.all),
                                                .serial = ratio(s.parallel, s.all),
                                                .load_balance = ratio(s.work, s.longest),
                                                .begin_end = ratio(s.longest, s.parallel)};
    return 0;
}

void mpg_threads_clear(struct mpg_threads *t)
{
    free(t->region);
    *t = (struct mpg_threads){.threads = 1};
}

/* --- output --- */

static const struct mpg_table_column columns[] = {
    {.key = "name", .heading = "parallel region", .fits = true, .left = true},
    {.key = "threads"},
    {.key = "ranks", .heading = "ranks"},
    {.key = "visits", .heading = "visits"},
    {.key = "time_ns", .heading = "time", .width = 10, .formatter = mpg_units_format_time},
    {.key = "work_ns"},
    {.key = "longest_ns"},
    {.key = "wait_ns", .heading = "barriers", .width = 10, .formatter = mpg_units_format_time},
    {.key = "lost_ns", .heading = "imbalance", .width = 10, .formatter = mpg_units_format_time},
    {.key = "most", .heading = "most work", .width = 9, .format = "%.2f x"},
    {.key = "most_rank", .heading = "rank"},
    {.key = "most_thread", .heading = "thread"}};

static void put_rows(struct mpg_table *table, const struct mpg_threads *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct mpg_threads_region *r = &t->region[i];
        mpg_table_text(table, r->name);
        mpg_table_integer(table, r->threads);
        mpg_table_integer(table, r->ranks);
        mpg_table_count(table, r->visits);
        mpg_table_numbers(table, (double[]){r->time_ns, r->work_ns, r->longest_ns, r->wait_ns, r->lost_ns, r->most}, 6);
        mpg_table_integer(table, r->most_rank);
        mpg_table_integer(table, r->most_thread);
    }
}

int mpg_threads_print(const struct mpg_threads *t, FILE *out, struct mpg_error *err)
{
    struct mpg_table table = {MPG_TABLE_COLUMNS(columns), .missing = "-", .fits = true};
    mpg_table_begin(&table, MPG_TABLE_TEXT, out);
    put_rows(&table, t);
    return mpg_table_end(&table, err);
}

int mpg_threads_put(const struct mpg_threads *t, struct mpg_json *json, struct mpg_error *err)
{
    struct mpg_table table = {MPG_TABLE_COLUMNS(columns)};
    mpg_json_array(json, "parallel_regions");
    mpg_table_begin_json(&table, json);
    put_rows(&table, t);
    const int status = mpg_table_end(&table, err);
    mpg_json_close(json);
    return status;
}
