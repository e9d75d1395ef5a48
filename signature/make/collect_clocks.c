/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether the clocks at both ends of a path are comparable enough for one-way times. */
#include "signature/make/collect_network.h"

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Clocks with errors up to GOOD_PART of the minimum one-way time count as a common clock; clocks with errors beyond
 * USELESS_PART times the minimum one-way time are not used. */
#define GOOD_PART 0.1
#define USELESS_PART 2.0
/* A clock error lengthens one direction of an exchange and shortens the other. If the rank correlation of both directions is
 * below DRIFTING, the clocks drift. */
#define DRIFTING (-0.3)
/* The correlation is computed from at most this many exchanges. */
#define EXAMINED 20000
/* Medians of both directions are compared from this number of exchanges on; medians of fewer exchanges differ by chance. */
#define ENOUGH 200

/* Returns the minimum one-way time: half of the shortest time of any exchange in LIST, ns. */
static double min_one_way(const struct mpg_exchange_sizes *list)
{
    double min = INFINITY;
    for (size_t s = 0; s < list->n; s++)
        for (size_t i = 0; i < list->size[s].n; i++)
            min = fmin(min, list->size[s].exchange[i].time_ns / 2);
    return min;
}

/* Returns whether every exchange in LIST has a forward time. */
static bool all_measured(const struct mpg_exchange_sizes *list)
{
    for (size_t s = 0; s < list->n; s++)
        for (size_t i = 0; i < list->size[s].n; i++)
            if (isnan(list->size[s].exchange[i].there_ns))
                return false;
    return list->n > 0;
}

/* Returns an array for the caller to free: forward times of *N <= EXAMINED exchanges of ALL, then their backward times,
 * then 2 *N free elements. */
static double *take_directions(const struct mpg_exchanges *all, const struct mpg_one_way_split *ways,
                               size_t *n, struct mpg_error *err)
{
    size_t step = (all->n + EXAMINED - 1) / EXAMINED, taken = 0;
    *n = (all->n + step - 1) / step;
    double *there = malloc(4 * *n * sizeof *there);
    if (!there) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < all->n; i += step, taken++) {
        there[taken] = mpg_one_way_forward(ways, &all->exchange[i]);
        there[*n + taken] = all->exchange[i].time_ns - there[taken];
    }
    return there;
}

/* Sets *DRIFTING to whether forward and backward times of ALL are negatively correlated. Returns 0, or -1 with ERR. */
static int is_drifting(const struct mpg_exchanges *all, const struct mpg_one_way_split *ways,
                       bool *drifting, struct mpg_error *err)
{
    size_t n;
    double *there = take_directions(all, ways, &n, err);
    if (!there)
        return -1;
    *drifting = n > 2 && gsl_stats_spearman(there, 1, there + n, 1, n, there + 2 * n) < DRIFTING;
    free(there);
    return 0;
}

int mpg_one_way_compare(const struct mpg_exchange_sizes *list, const struct mpg_one_way_split *ways,
                        double *asymmetry, double *correlation, struct mpg_error *err)
{
    *asymmetry = *correlation = 0;
    for (size_t s = 0; s < list->n; s++) {
        size_t n;
        double *there = take_directions(&list->size[s], ways, &n, err);
        if (!there)
            return -1;
        if (s == 0 && n > 2)
            *correlation = gsl_stats_spearman(there, 1, there + n, 1, n, there + 2 * n);
        gsl_sort(there, 1, n);
        gsl_sort(there + n, 1, n);
        double forth = gsl_stats_median_from_sorted_data(there, 1, n);
        double back = gsl_stats_median_from_sorted_data(there + n, 1, n);
        if (forth + back > 0 && n >= ENOUGH)
            *asymmetry = fmax(*asymmetry, 2 * fabs(forth - back) / (forth + back));
        free(there);
    }
    if (!isfinite(*correlation)) /* equal times have no correlation */
        *correlation = 0;
    return 0;
}

/* Sets WAYS->shift_ns for each launch and pair: the median over ALL's exchanges of the forward time minus half the
 * round trip. ALL has the smallest message size, which takes equally long in both directions. NAN for a launch and pair
 * without exchanges. */
static int find_shifts(const struct mpg_exchanges *all, struct mpg_one_way_split *ways,
                       struct mpg_error *err)
{
    size_t keys = ways->launches * ways->pairs;
    struct mpg_keyed *keyed = malloc(all->n * sizeof *keyed);
    ways->shift_ns = calloc(keys, sizeof *ways->shift_ns);
    if (!keyed || !ways->shift_ns) {
        free(keyed);
        return mpg_collect_no_memory(err);
    }
    for (size_t k = 0; k < keys; k++)
        ways->shift_ns[k] = NAN;
    for (size_t i = 0; i < all->n; i++) {
        const struct mpg_measured_exchange *e = &all->exchange[i];
        keyed[i].key = (size_t)e->launch * ways->pairs + (size_t)e->pair;
        keyed[i].value = e->there_ns - e->time_ns / 2;
    }
    mpg_keyed_medians(keyed, all->n, ways->shift_ns, NULL);
    free(keyed);
    return 0;
}

/* Returns the constant clock offset to subtract from E's forward time; 0 if offsets are not used. */
static double shift_of(const struct mpg_one_way_split *ways, const struct mpg_measured_exchange *e)
{
    return ways->shift_ns ? ways->shift_ns[(size_t)e->launch * ways->pairs + (size_t)e->pair] : 0;
}

/* Returns whether every exchange in LIST belongs to a launch and pair with a known clock offset. */
static bool all_shifted(const struct mpg_exchange_sizes *list, const struct mpg_one_way_split *ways)
{
    for (size_t s = 0; s < list->n; s++)
        for (size_t i = 0; i < list->size[s].n; i++)
            if (isnan(shift_of(ways, &list->size[s].exchange[i])))
                return false;
    return true;
}

int mpg_one_way_find(const struct mpg_exchange_sizes *list,
                     const struct mpg_exchange_launch *launch, size_t launches, size_t pairs,
                     bool symmetric, struct mpg_one_way_split *ways, struct mpg_error *err)
{
    bool shared = true, drifting = false;
    *ways = (struct mpg_one_way_split){.launches = launches, .pairs = pairs};
    for (size_t i = 0; i < launches; i++) {
        shared = shared && launch[i].shared;
        if (!launch[i].shared)
            ways->error_ns = fmax(ways->error_ns, launch[i].error_ns);
        if (isnan(launch[i].error_ns))
            return 0;
    }
    double min_ns = min_one_way(list);
    if (!all_measured(list) || ways->error_ns > USELESS_PART * min_ns)
        return 0;
    if (shared || ways->error_ns <= GOOD_PART * min_ns) {
        ways->clocks = shared ? MPG_CLOCKS_ONE : MPG_CLOCKS_GOOD;
        return 0;
    }
    if (!symmetric)
        return 0;
    ways->clocks = MPG_CLOCKS_SHAPE;
    if (find_shifts(&list->size[0], ways, err) < 0 ||
        is_drifting(&list->size[0], ways, &drifting, err) < 0) {
        mpg_one_way_clear(ways);
        return -1;
    }
    if (drifting || !all_shifted(list, ways))
        mpg_one_way_clear(ways);
    return 0;
}

void mpg_one_way_clear(struct mpg_one_way_split *ways)
{
    free(ways->shift_ns);
    *ways = (struct mpg_one_way_split){.clocks = MPG_CLOCKS_NONE};
}

double mpg_one_way_forward(const struct mpg_one_way_split *ways, const struct mpg_measured_exchange *e)
{
    return fmax(0, e->there_ns - shift_of(ways, e));
}

/* ---- medians by key ---- */

static int ascending(const void *left, const void *right)
{
    const struct mpg_keyed *a = left, *b = right;
    int order = (a->key > b->key) - (a->key < b->key);
    return order ? order : (a->value > b->value) - (a->value < b->value);
}

void mpg_keyed_medians(struct mpg_keyed *keyed, size_t n, double *median, size_t *count)
{
    qsort(keyed, n, sizeof *keyed, ascending);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && keyed[end].key == keyed[first].key;)
            end++;
        size_t low = first + (end - first - 1) / 2, high = first + (end - first) / 2;
        median[keyed[first].key] = (keyed[low].value + keyed[high].value) / 2;
        if (count)
            count[keyed[first].key] = end - first;
    }
}
