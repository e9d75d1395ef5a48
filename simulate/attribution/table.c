/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/table.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/attribution/critical.h"
#include "trace/stat/names.h"

static const char *const words[MPG_ATTRIBUTION_BY_COUNT] = {"call", "callsite", "region", "rank", "pair"};

const char *mpg_attribution_by_word(enum mpg_attribution_by by)
{
    return words[by];
}

/* ---- names of places ---- */

/* Copies TEXT into *NAME. Returns 0, or -1 with ERR; if TEXT is NULL, ERR has been set by the caller. */
static int copy_name(const char *text, char **name, struct mpg_error *err)
{
    if (!text)
        return -1;
    return (*name = strdup(text)) ? 0 : mpg_error_set(err, "out of memory");
}

static int name_row(struct mpg_attribution_row *row, enum mpg_attribution_by by, const struct mpg_attribution_place *p,
                    const struct mpg_trace *trace, struct mpg_site_names *names, struct mpg_error *err)
{
    *row = (struct mpg_attribution_row){.rank = -1, .from = -1, .to = -1};
    switch (by) {
    case MPG_ATTRIBUTION_BY_CALLSITE:
        row->call = p->call;
        row->computes = p->computes;
        return copy_name(mpg_site_name(names, p->site, err), &row->name, err);
    case MPG_ATTRIBUTION_BY_REGION:
        return p->region >= 0 ? copy_name(mpg_trace_string(trace, p->region), &row->name, err) : 0;
    case MPG_ATTRIBUTION_BY_RANK:
        row->rank = p->rank;
        return 0;
    case MPG_ATTRIBUTION_BY_PAIR:
        row->from = p->from;
        row->to = p->to;
        return 0;
    default:
        row->call = p->call;
        row->computes = p->computes;
        return 0;
    }
}

/* ---- rows with one name ---- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(const void *a, const void *b)
{
    const struct mpg_attribution_row *x = a, *y = b;
    if (x->rank != y->rank)
        return compare_numbers(x->rank, y->rank);
    if (x->from != y->from)
        return compare_numbers(x->from, y->from);
    if (x->to != y->to)
        return compare_numbers(x->to, y->to);
    if (x->call != y->call)
        return compare_numbers(x->call, y->call);
    if (x->computes != y->computes)
        return compare_numbers(x->computes, y->computes);
    return !x->name || !y->name ? compare_numbers(x->name != NULL, y->name != NULL) : strcmp(x->name, y->name);
}

static void add(struct mpg_attribution_row *to, const struct mpg_attribution_row *more)
{
    to->calls += more->calls;
    for (int k = 0; k < MPG_ATTRIBUTION_TERMS; k++)
        to->term[k] += more->term[k];
}

static void add_blocks(double *to, const double *more, uint32_t blocks)
{
    for (uint32_t b = 0; b < blocks; b++)
        to[b] += more[b];
}

static void clear_row(struct mpg_attribution_row *row)
{
    free(row->name);
    free(row->block_ns);
}

static void join(struct mpg_attribution_table *t)
{
    size_t kept = 0;
    if (t->n > 0)
        qsort(t->row, t->n, sizeof *t->row, compare_names);
    for (size_t i = 0; i < t->n; i++)
        if (kept > 0 && compare_names(&t->row[kept - 1], &t->row[i]) == 0) {
            add(&t->row[kept - 1], &t->row[i]);
            add_blocks(t->row[kept - 1].block_ns, t->row[i].block_ns, t->blocks);
            clear_row(&t->row[i]);
        } else
            t->row[kept++] = t->row[i];
    t->n = kept;
}

/* Makes room for more rows in a full table of *FULL rows: joins rows with equal names, and enlarges the table if still more than
 * half full. So the table grows with the number of names, not of places. */
static int make_room(struct mpg_attribution_table *t, size_t *full, struct mpg_error *err)
{
    enum { FIRST = 1024 };
    join(t);
    if (*full > 0 && t->n <= *full / 2)
        return 0;
    const size_t wanted = *full > 0 ? 2 * *full : FIRST;
    struct mpg_attribution_row *row = realloc(t->row, wanted * sizeof *row);
    if (!row)
        return mpg_error_set(err, "out of memory");
    t->row = row;
    *full = wanted;
    return 0;
}

/* ---- order ---- */

static int compare_weights(const void *a, const void *b)
{
    const struct mpg_attribution_row *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return compare_names(a, b);
}

static void sort(struct mpg_attribution_table *t, double (*large)(const double *term))
{
    for (size_t i = 0; i < t->n; i++)
        t->row[i].weight = large(t->row[i].term);
    if (t->n > 0)
        qsort(t->row, t->n, sizeof *t->row, compare_weights);
}

/* ---- the table ---- */

static void fill(struct mpg_attribution_row *row, const struct mpg_attribution *w, uint32_t place, double weight)
{
    row->calls = w->calls[place];
    mpg_attribution_mean(w, place, row->term);
    for (int k = 0; k < MPG_ATTRIBUTION_TERMS; k++)
        row->term[k] *= weight;
}

/* Returns whether a place has no calls and no terms, as the begin of a stream mostly has. */
static bool is_empty(const struct mpg_attribution *w, uint32_t place)
{
    bool any = w->calls[place] > 0;
    double mean[MPG_ATTRIBUTION_TERMS];
    mpg_attribution_mean(w, place, mean);
    for (int k = 0; k < MPG_ATTRIBUTION_TERMS; k++)
        any = any || mean[k] != 0;
    return !any;
}

static int fill_blocks(struct mpg_attribution_row *row, const struct mpg_attribution *w, uint32_t place, struct mpg_error *err)
{
    double term[MPG_ATTRIBUTION_TERMS];
    if (!(row->block_ns = calloc(w->sums.width, sizeof *row->block_ns)))
        return mpg_error_set(err, "out of memory");
    for (uint32_t b = 0; b < w->sums.width; b++) {
        mpg_attribution_block(w, place, b, term);
        row->block_ns[b] = mpg_critical_injected_ns(term);
    }
    return 0;
}

struct mpg_attribution_share mpg_attribution_share_of(const double *part, const double *whole, uint32_t n)
{
    double parts = 0, collectives = 0, squares = 0;
    for (uint32_t b = 0; b < n; b++) {
        parts += part[b];
        collectives += whole[b];
    }
    struct mpg_attribution_share share = {.part = collectives > 0 ? parts / collectives : NAN, .low = NAN, .high = NAN};
    if (n < 2 || !(collectives > 0))
        return share;
    for (uint32_t b = 0; b < n; b++)
        squares += pow(part[b] - share.part * whole[b], 2);
    const double sd = sqrt(squares * n / (n - 1)) / collectives, t = gsl_cdf_tdist_Pinv(0.975, n - 1);
    /* the interval is within 0 to 1, but extends to a share below 0 or above 1 */
    share.low = fmax(share.part - t * sd, fmin(share.part, 0));
    share.high = fmin(share.part + t * sd, fmax(share.part, 1));
    return share;
}

static int find_shares(struct mpg_attribution_table *t, struct mpg_error *err)
{
    double *all = calloc(t->blocks ? t->blocks : 1, sizeof *all);
    if (!all)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < t->n; i++)
        add_blocks(all, t->row[i].block_ns, t->blocks);
    for (size_t i = 0; i < t->n; i++)
        t->row[i].share = mpg_attribution_share_of(t->row[i].block_ns, all, t->blocks);
    free(all);
    return 0;
}

int mpg_attribution_table_make(struct mpg_attribution_table *t, const struct mpg_attribution *w, const struct mpg_trace *trace,
                         enum mpg_attribution_by by, double (*large)(const double *term), struct mpg_error *err)
{
    const bool own = by == MPG_ATTRIBUTION_BY_RANK || by == MPG_ATTRIBUTION_BY_PAIR;
    struct mpg_site_names names = {.n = 0};
    size_t full = 0; /* number of rows at which rows are joined */
    int status = 0;
    *t = (struct mpg_attribution_table){.by = by, .blocks = w->sums.width};
    if (by == MPG_ATTRIBUTION_BY_CALLSITE)
        status = mpg_site_names_begin(&names, trace, 1, NULL, err);
    for (uint32_t k = 0; k < w->places.n && status == 0; k++) {
        const uint32_t i = w->order[k];
        struct mpg_attribution_row *row;
        if (by != MPG_ATTRIBUTION_BY_RANK && is_empty(w, i))
            continue;
        if (t->n == full && make_room(t, &full, err) < 0) {
            status = -1;
            break;
        }
        row = &t->row[t->n];
        status = name_row(row, by, &w->places.place[i], trace, &names, err);
        if (status == 0)
            status = fill_blocks(row, w, i, err);
        fill(row, w, i, own ? 1 : 1.0 / mpg_trace_ranks(trace));
        row->calls = by == MPG_ATTRIBUTION_BY_PAIR ? 0 : row->calls;
        t->n++;
    }
    mpg_site_names_end(&names);
    if (status < 0)
        return -1;
    join(t);
    if (find_shares(t, err) < 0)
        return -1;
    if (by != MPG_ATTRIBUTION_BY_RANK)
        sort(t, large);
    return 0;
}

void mpg_attribution_table_clear(struct mpg_attribution_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        clear_row(&t->row[i]);
    free(t->row);
    *t = (struct mpg_attribution_table){.n = 0};
}

struct mpg_attribution_row mpg_attribution_total(const struct mpg_attribution *w, int32_t ranks)
{
    struct mpg_attribution_row total = {.rank = -1, .from = -1, .to = -1};
    for (uint32_t i = 0; i < w->places.n; i++) {
        struct mpg_attribution_row row;
        fill(&row, w, w->order[i], 1.0 / ranks);
        add(&total, &row);
    }
    return total;
}
