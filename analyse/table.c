/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/table.h"

#include <stdlib.h>
#include <string.h>

#include "trace/stat/names.h"

static const char *const words[MPG_WAITS_BY_COUNT] = {"call", "callsite", "region", "rank"};

const char *mpg_waits_by_word(enum mpg_waits_by by)
{
    return words[by];
}

/* The runs shown side by side in the rows. */
struct runs {
    const struct mpg_waits *const *run;
    size_t n;
    const struct mpg_trace *trace;
    size_t capacity;
};

/* Adds a row of zeros to T and returns it; NULL: no memory. */
static struct mpg_waits_row *add_row(struct mpg_waits_table *t, size_t *capacity)
{
    if (t->n == *capacity) {
        const size_t more = *capacity > 0 ? 2 * *capacity : 64;
        struct mpg_waits_row *grown = realloc(t->row, more * sizeof *grown);
        if (!grown)
            return NULL;
        t->row = grown;
        *capacity = more;
    }
    t->row[t->n] = (struct mpg_waits_row){.name = NULL};
    return &t->row[t->n++];
}

/* Adds ROW to T if at least one run has calls in it. Returns 0, or -1: no memory. */
static int add(struct mpg_waits_table *t, struct runs *x, const struct mpg_waits_row *row)
{
    uint64_t calls = 0;
    for (size_t w = 0; w < x->n; w++)
        calls += row->sum[w].calls;
    struct mpg_waits_row *added = calls > 0 ? add_row(t, &x->capacity) : NULL;
    if (added)
        *added = *row;
    return added || calls == 0 ? 0 : -1;
}

static int add_calls(struct mpg_waits_table *t, struct runs *x)
{
    for (int call = 0; call < MPG_CALL_COUNT; call++) {
        struct mpg_waits_row row = {.call = (enum mpg_call)call};
        for (size_t w = 0; w < x->n; w++)
            row.sum[w] = mpg_waits_of_call(x->run[w], row.call);
        if (add(t, x, &row) < 0)
            return -1;
    }
    return 0;
}

static int add_ranks(struct mpg_waits_table *t, struct runs *x)
{
    for (int32_t rank = 0; rank < mpg_trace_ranks(x->trace); rank++) {
        struct mpg_waits_row *row = add_row(t, &x->capacity);
        if (!row)
            return -1;
        row->rank = rank;
        for (size_t w = 0; w < x->n; w++)
            row->sum[w] = mpg_waits_of_rank(x->run[w], rank);
    }
    return 0;
}

static int add_regions(struct mpg_waits_table *t, struct runs *x)
{
    int32_t names = 0;
    for (size_t w = 0; w < x->n; w++)
        names = mpg_waits_regions(x->run[w]) > names ? mpg_waits_regions(x->run[w]) : names;
    for (int32_t name = -1; name < names; name++) {
        struct mpg_waits_row row = {.name = NULL};
        for (size_t w = 0; w < x->n; w++)
            row.sum[w] = mpg_waits_of_region(x->run[w], name);
        const size_t before = t->n;
        if (add(t, x, &row) < 0)
            return -1;
        if (t->n > before && name >= 0 && !(t->row[before].name = strdup(mpg_trace_string(x->trace, name))))
            return -1;
    }
    return 0;
}

/* ---- callsites ---- */

static int compare_places(const void *a, const void *b)
{
    const struct mpg_waits_row *x = a, *y = b;
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call) : strcmp(x->name, y->name);
}

/* Joins rows with equal call and equal name of the callsite. */
static void join_rows(struct mpg_waits_table *t, size_t runs)
{
    size_t kept = 0;
    if (t->n > 0)
        qsort(t->row, t->n, sizeof *t->row, compare_places);
    for (size_t i = 0; i < t->n; i++)
        if (kept > 0 && compare_places(&t->row[kept - 1], &t->row[i]) == 0) {
            for (size_t w = 0; w < runs; w++)
                mpg_wait_add(&t->row[kept - 1].sum[w], &t->row[i].sum[w]);
            free(t->row[i].name);
        } else
            t->row[kept++] = t->row[i];
    t->n = kept;
}

static int add_sites(struct mpg_waits_table *t, struct runs *x, int frames, const char *debug_path,
                     struct mpg_error *err)
{
    struct mpg_site_names names;
    int status = mpg_site_names_begin(&names, x->trace, frames, debug_path, err);
    for (size_t w = 0; w < x->n; w++)
        for (size_t i = 0; status == 0 && i < mpg_waits_sites(x->run[w]); i++) {
            const struct mpg_call_site place = mpg_waits_site(x->run[w], i);
            const char *name = mpg_site_name(&names, place.site, err);
            struct mpg_waits_row *row = name ? add_row(t, &x->capacity) : NULL;
            status = row && (row->name = strdup(name)) ? 0 : -1;
            if (status == 0) {
                row->call = place.call;
                row->sum[w] = mpg_waits_of_site(x->run[w], i);
            }
        }
    mpg_site_names_end(&names);
    if (status == 0)
        join_rows(t, x->n);
    return status;
}

/* ---- all of it ---- */

static int compare_waits(const void *a, const void *b)
{
    const struct mpg_waits_row *x = a, *y = b;
    const double first = mpg_wait_all(&x->sum[0]), second = mpg_wait_all(&y->sum[0]);
    if (first != second)
        return first < second ? 1 : -1;
    if (x->sum[0].time_ns != y->sum[0].time_ns)
        return x->sum[0].time_ns < y->sum[0].time_ns ? 1 : -1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

int mpg_waits_table_make(struct mpg_waits_table *t, const struct mpg_waits *const *run, size_t n,
                         const struct mpg_trace *trace, enum mpg_waits_by by, int frames,
                         const char *debug_path, struct mpg_error *err)
{
    struct runs x = {run, n, trace, 0};
    *t = (struct mpg_waits_table){.by = by};
    const int status = by == MPG_WAITS_BY_CALL     ? add_calls(t, &x)
                       : by == MPG_WAITS_BY_RANK   ? add_ranks(t, &x)
                       : by == MPG_WAITS_BY_REGION ? add_regions(t, &x)
                                                   : add_sites(t, &x, frames, debug_path, err);
    if (status < 0)
        return mpg_error_set(err, "out of memory");
    if (by != MPG_WAITS_BY_RANK && t->n > 0)
        qsort(t->row, t->n, sizeof *t->row, compare_waits);
    return 0;
}

void mpg_waits_table_clear(struct mpg_waits_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->row[i].name);
    free(t->row);
    *t = (struct mpg_waits_table){.n = 0};
}
