/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/rank.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct item {
    double value;
    size_t place;
};

static int compare_items(const void *a, const void *b)
{
    const double x = ((const struct item *)a)->value, y = ((const struct item *)b)->value;
    return (x > y) - (x < y);
}

/* Returns the N values in ascending order with their indices; the caller frees the array. NULL: out of memory. */
static struct item *sorted_items(const double *value, size_t n)
{
    struct item *item = malloc((n + 1) * sizeof *item);
    for (size_t i = 0; item && i < n; i++)
        item[i] = (struct item){value[i], i};
    if (item)
        qsort(item, n, sizeof *item, compare_items);
    return item;
}

int mpg_midranks(const double *value, size_t n, double *rank, struct mpg_error *err)
{
    struct item *item = sorted_items(value, n);
    if (!item)
        return out_of_memory(err);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && item[end].value == item[i].value; end++)
            ;
        for (size_t k = i; k < end; k++)
            rank[item[k].place] = (double)(i + 1 + end) / 2;
    }
    free(item);
    return 0;
}

/* Computes with doubled midranks, which are integers: the sums are exact, and a perfect correlation gives exactly +-1. */
int mpg_spearman(const double *x, const double *y, size_t n, double *r, struct mpg_error *err)
{
    double *rank = malloc(2 * n * sizeof *rank), sum_x = 0, sum_y = 0, xx = 0, yy = 0, xy = 0;
    if (!rank)
        return out_of_memory(err);
    const int status = mpg_midranks(x, n, rank, err) < 0 ? -1 : mpg_midranks(y, n, rank + n, err);
    for (size_t i = 0; status == 0 && i < n; i++) {
        const double a = 2 * rank[i] - (double)(n + 1), b = 2 * rank[n + i] - (double)(n + 1);
        sum_x += a;
        sum_y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    const double of_x = (double)n * xx - sum_x * sum_x, of_y = (double)n * yy - sum_y * sum_y;
    if (status == 0)
        *r = of_x > 0 && of_y > 0 ? ((double)n * xy - sum_x * sum_y) / sqrt(of_x * of_y) : NAN;
    free(rank);
    return status;
}

/* ---- significance ---- */

/* Heap's algorithm (Comput. J. 6 (1963) 293) makes each permutation from the previous permutation by a single exchange: updating
 * the sum of products takes O(1). Doubled midranks are integers: comparisons are exact. */
double mpg_rank_permutations(const double *x, const double *y, size_t n)
{
    int64_t a[MPG_RANK_EXACT], b[MPG_RANK_EXACT], sum_a = 0, sum_b = 0, products = 0;
    size_t state[MPG_RANK_EXACT] = {0};
    uint64_t all = 1, as_far = 1;
    for (size_t i = 0; i < n; i++) {
        a[i] = llround(2 * x[i]);
        b[i] = llround(2 * y[i]);
        sum_a += a[i];
        sum_b += b[i];
        products += a[i] * b[i];
    }
    const int64_t middle = sum_a * sum_b, far = llabs((int64_t)n * products - middle);
    for (size_t i = 1; i < n;) {
        if (state[i] >= i) {
            state[i++] = 0;
            continue;
        }
        const size_t k = i % 2 == 0 ? 0 : state[i];
        products += (a[i] - a[k]) * (b[k] - b[i]);
        const int64_t kept = b[i];
        b[i] = b[k];
        b[k] = kept;
        all++;
        as_far += llabs((int64_t)n * products - middle) >= far;
        state[i]++;
        i = 1;
    }
    return (double)as_far / (double)all;
}

double mpg_rank_student(double r, size_t n)
{
    const double left = 1 - r * r, freedom = (double)n - 2;
    return left > 0 ? 2 * gsl_cdf_tdist_Q(fabs(r) * sqrt(freedom / left), freedom) : 0;
}
