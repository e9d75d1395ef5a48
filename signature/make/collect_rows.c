/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of single launches, and runs of successive samples, which preserve the dependence between samples. A single
 * distribution of all samples shows neither differences between launches nor dependence. */
#include "signature/make/collect_network.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAUNCH_KNOTS = 48, /* knots of the distribution of a launch, if fewer than MANY launches are kept */
    MANY_KNOTS = 32,   /* knots if MANY or more launches are kept */
    MANY = 5,
    LAUNCHES = 8,      /* maximum number of launches with a separate distribution */
    BLOCKS = 8,        /* maximum number of kept runs of successive samples */
    LENGTH = 1024,     /* number of samples in a run; or the median length of the series if less */
    MIN_LENGTH = 32    /* smallest number of samples in a run; shorter series give no runs */
};
/* A run's level is the mean of its samples; samples above this quantile of the series are replaced by the quantile: a few long
 * samples must not decide. */
static const double CLIPPED = 0.99;

/* A sample; a series is the samples of a launch and pair. */
struct item {
    double value, next; /* NEXT: backward time of the exchange whose forward time is VALUE; NAN: VALUE is not a forward time */
    size_t series;      /* launch * pairs + pair */
    size_t place;       /* position in time order among all samples */
    double p;           /* probability of VALUE within the series (rank / length); equal values share a mean rank */
};

struct items {
    size_t n, pairs, launches;
    struct item *item;
};

/* ---- samples ---- */

static int by_value(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

static int by_series_and_value(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = (a->series > b->series) - (a->series < b->series);
    return order ? order : by_value(left, right);
}

static int by_series_and_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = (a->series > b->series) - (a->series < b->series);
    return order ? order : by_place(left, right);
}

/* Returns the end of the items, sorted by series, of the series of item FIRST. */
static size_t series_end(const struct items *items, size_t first)
{
    size_t end = first;
    while (end < items->n && items->item[end].series == items->item[first].series)
        end++;
    return end;
}

/* Sets the probability P of each of the items FIRST to END - 1, ascending in value: mean rank of equal values, over the number of
 * items. */
static void rank_run(struct item *item, size_t first, size_t end)
{
    for (size_t i = first, after; i < end; i = after) {
        for (after = i + 1; after < end && item[after].value == item[i].value;)
            after++;
        double p = ((double)(i - first) + (double)(after - first)) / 2 / (double)(end - first);
        for (size_t k = i; k < after; k++)
            item[k].p = p;
    }
}

/* Collects the samples of ALL's exchanges: the times that PICK chooses. Without PICK (deconvolved times) a sample is
 * the quantile of DISTRIBUTION at the rank of the exchange's time. */
static int take(const struct mpg_exchanges *all, mpg_pick_function *pick, const void *context,
                const struct mpg_distribution *distribution, struct items *items,
                struct mpg_error *err)
{
    if (!(items->item = malloc((all->n + 1) * sizeof *items->item)))
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < all->n; i++) {
        const struct mpg_measured_exchange *e = &all->exchange[i];
        double times[2] = {e->time_ns, NAN};
        int picked = pick ? pick(e, context, times) : 1;
        if (picked > 0)
            items->item[items->n++] = (struct item){
                times[0], picked > 1 ? times[1] : NAN,
                (size_t)e->launch * items->pairs + (size_t)e->pair, i, 0};
    }
    if (pick)
        return 0;
    qsort(items->item, items->n, sizeof *items->item, by_value);
    rank_run(items->item, 0, items->n);
    for (size_t i = 0; i < items->n; i++)
        items->item[i].value = mpg_distribution_quantile(distribution, items->item[i].p);
    qsort(items->item, items->n, sizeof *items->item, by_place);
    return 0;
}

/* ---- launches ---- */

int mpg_collect_launch_distributions(const double *value, size_t n, const size_t *start, size_t parts,
                      struct mpg_launches *launches, struct mpg_error *err)
{
    size_t kept = parts < LAUNCHES ? parts : LAUNCHES;
    if (kept < 2)
        return 0;
    if (!(launches->ns = calloc(kept, sizeof *launches->ns)))
        return mpg_collect_no_memory(err);
    for (size_t k = 0; k < kept; k++) {
        size_t part = k * parts / kept, end = part + 1 < parts ? start[part + 1] : n;
        launches->ns[k] = mpg_distribution_from_samples(value + start[part], end - start[part],
                                                        kept < MANY ? LAUNCH_KNOTS : MANY_KNOTS,
                                                        err);
        if (!launches->ns[k])
            return -1;
        launches->n++;
    }
    return 0;
}

/* Makes a distribution for each launch, but none if any launch has no samples. */
static int make_launches(const struct items *items, struct mpg_launches *launches,
                         struct mpg_error *err)
{
    double *value = malloc((2 * items->n + 1) * sizeof *value);
    size_t *start = malloc((items->launches + 1) * sizeof *start), n = 0;
    bool all = true;
    if (!value || !start) {
        free(value);
        free(start);
        return mpg_collect_no_memory(err);
    }
    for (size_t launch = 0; launch < items->launches; launch++) {
        start[launch] = n;
        for (size_t i = 0; i < items->n; i++)
            if (items->item[i].series / items->pairs == launch) {
                value[n++] = items->item[i].value;
                if (!isnan(items->item[i].next))
                    value[n++] = items->item[i].next;
            }
        all = all && n > start[launch];
    }
    int status = all ? mpg_collect_launch_distributions(value, n, start, items->launches, launches, err) : 0;
    free(value);
    free(start);
    return status;
}

/* ---- rows ---- */

/* A run of successive items of a series, from item FIRST on; LEVEL: the run's mean minus the series' mean. */
struct stretch {
    size_t first;
    double level;
};

static int by_level(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    return (a->level > b->level) - (a->level < b->level);
}

static int by_size(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Sets *LENGTH to the length of runs: the median length of the series, at most LENGTH; 0: the series are too short. */
static int find_length(const struct items *items, size_t *length, struct mpg_error *err)
{
    size_t *lengths = malloc((items->n + 1) * sizeof *lengths), n = 0;
    if (!lengths)
        return mpg_collect_no_memory(err);
    for (size_t first = 0, end; first < items->n; first = end) {
        end = series_end(items, first);
        lengths[n++] = end - first;
    }
    qsort(lengths, n, sizeof *lengths, by_size);
    *length = n > 0 ? lengths[n / 2] : 0;
    *length = *length > LENGTH ? LENGTH : *length < MIN_LENGTH ? 0 : *length;
    free(lengths);
    return 0;
}

/* Computes the levels of the runs of LENGTH items in the series FIRST to END - 1 into STRETCH; runs start a quarter of LENGTH
 * apart. Returns the number of runs. */
static size_t find_stretches(const struct items *items, size_t first, size_t end, size_t length,
                             struct stretch *stretch)
{
    const struct item *item = items->item;
    double mean = 0, max = INFINITY;
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (item[i].p > CLIPPED)
            max = fmin(max, item[i].value);
    for (size_t i = first; i < end; i++)
        mean += fmin(item[i].value, max) / (double)(end - first);
    for (size_t from = first; from + length <= end; from += (length + 3) / 4) {
        double sum = 0;
        for (size_t i = from; i < from + length; i++)
            sum += fmin(item[i].value, max);
        stretch[n++] = (struct stretch){from, sum / (double)length - mean};
    }
    return n;
}

/* An item of a kept run, with a random number to order equal probabilities. */
struct kept {
    double p;
    uint64_t tie;
    size_t at; /* position in mpg_rows.classes */
};

static int by_probability(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;
    int order = (a->p > b->p) - (a->p < b->p);
    return order ? order : (a->tie > b->tie) - (a->tie < b->tie);
}

/* Vigna's splitmix64. */
static uint64_t splitmix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Returns the class of probability U: classes are 2 % wide up to 96 %, then finer. */
static int class_of(double u)
{
    static const struct {
        double from, step;
        int first, classes;
    } range[] = {{0, 0.02, 0, 48},         {0.96, 0.005, 48, 6},   {0.99, 0.002, 54, 4},
                 {0.998, 0.0004, 58, 4},   {0.9996, 0.0003, 62, 1}, {0.9999, 0.0001, 63, 1}};
    int r = sizeof range / sizeof *range - 1;
    while (r > 0 && u < range[r].from)
        r--;
    int step = (int)((u - range[r].from) / range[r].step);
    return range[r].first + (step < range[r].classes ? step : range[r].classes - 1);
}

/* Fills ROWS from the first BLOCKS runs in STRETCH, each of LENGTH items. */
static int fill_rows(const struct items *items, const struct stretch *stretch, size_t blocks,
                     size_t length, struct mpg_rows *rows, struct mpg_error *err)
{
    size_t n = blocks * length;
    struct kept *kept = malloc(n * sizeof *kept);
    if (!kept || !(rows->classes = malloc(n))) {
        free(kept);
        return mpg_collect_no_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        kept[i] = (struct kept){items->item[stretch[i / length].first + i % length].p,
                                splitmix64(i), i};
    qsort(kept, n, sizeof *kept, by_probability);
    for (size_t i = 0; i < n; i++)
        rows->classes[kept[i].at] = mpg_rows_letter(class_of(((double)i + 0.5) / (double)n));
    free(kept);
    rows->blocks = blocks;
    rows->length = length;
    return mpg_rows_expand(rows, err);
}

/* Keeps a few runs in ROWS, at evenly spaced quantiles of the levels of all runs. */
static int make_rows(struct items *items, struct mpg_rows *rows, struct mpg_error *err)
{
    size_t length = 0, n = 0;
    qsort(items->item, items->n, sizeof *items->item, by_series_and_value);
    for (size_t first = 0, end; first < items->n; first = end) {
        end = series_end(items, first);
        rank_run(items->item, first, end);
    }
    qsort(items->item, items->n, sizeof *items->item, by_series_and_place);
    if (find_length(items, &length, err) < 0)
        return -1;
    if (length == 0)
        return 0;
    struct stretch *stretch = malloc((items->n / ((length + 3) / 4) + 1) * sizeof *stretch);
    if (!stretch)
        return mpg_collect_no_memory(err);
    for (size_t first = 0, end; first < items->n; first = end) {
        end = series_end(items, first);
        n += find_stretches(items, first, end, length, stretch + n);
    }
    qsort(stretch, n, sizeof *stretch, by_level);
    size_t blocks = n < BLOCKS ? n : BLOCKS;
    for (size_t b = 0; b < blocks; b++)
        stretch[b] = stretch[(2 * b + 1) * n / (2 * blocks)];
    int status = fill_rows(items, stretch, blocks, length, rows, err);
    free(stretch);
    return status;
}

/* ---- all sizes ---- */

int mpg_collect_launches(const struct mpg_exchange_sizes *from, mpg_pick_function *pick,
                         const void *context, size_t launches, size_t pairs, bool rows,
                         struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    for (size_t s = 0, made = 0; s < from->n && made < sizes->n; s++) {
        struct mpg_network_size *size = &sizes->size[made];
        if (from->size[s].size_bytes != size->size_bytes)
            continue;
        struct items items = {.pairs = pairs, .launches = launches};
        int status = take(&from->size[s], pick, context, size->time_ns, &items, err);
        if (status == 0)
            status = make_launches(&items, &size->launches, err);
        if (status == 0 && rows)
            status = make_rows(&items, &size->rows, err);
        free(items.item);
        if (status < 0)
            return mpg_error_prefix(err, "%lld bytes", (long long)size->size_bytes);
        made++;
    }
    return 0;
}
