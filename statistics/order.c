/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting, sample quantiles, binomial rank intervals. */
#include "statistics/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { DIGITS = 8, DIGIT_VALUES = 256, MIN_RADIX = 4096 };

/* Returns an integer with the sort order of VALUE: bits of a positive number are moved after the bits of negative numbers; bits
 * of negative numbers are inverted, since they descend. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Radix sort from the last byte on (Knuth, The Art of Computer Programming, vol. 3, 5.2.5), with ROOM for 2 N keys: linear in N,
 * where a sort by comparisons of a million values takes a second. */
static void sort_by_digits(double *value, uint64_t *room, size_t n)
{
    static const size_t none[DIGITS][DIGIT_VALUES];
    size_t count[DIGITS][DIGIT_VALUES];
    uint64_t *from = room, *to = room + n;
    memcpy(count, none, sizeof count);
    for (size_t i = 0; i < n; i++) {
        from[i] = key_of(value[i]);
        for (int d = 0; d < DIGITS; d++)
            count[d][from[i] >> 8 * d & (DIGIT_VALUES - 1)]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        if (count[d][from[0] >> 8 * d & (DIGIT_VALUES - 1)] == n) /* all keys have an equal digit here */
            continue;
        for (size_t k = 0, next = 0; k < DIGIT_VALUES; k++) {
            const size_t more = count[d][k];
            count[d][k] = next;
            next += more;
        }
        for (size_t i = 0; i < n; i++)
            to[count[d][from[i] >> 8 * d & (DIGIT_VALUES - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++)
        value[i] = value_of(from[i]);
}

void mpg_sort(double *value, size_t n)
{
    uint64_t *room = n >= MIN_RADIX ? malloc(2 * n * sizeof *room) : NULL;
    if (room)
        sort_by_digits(value, room, n);
    else if (n > 1)
        qsort(value, n, sizeof *value, compare);
    free(room);
}

double mpg_interpolated_quantile(const double *value, size_t n, double p)
{
    const double place = p * (double)(n - 1);
    const size_t below = (size_t)place;
    const double part = place - (double)below;
    return below + 1 >= n ? value[n - 1] : (1 - part) * value[below] + part * value[below + 1];
}

double mpg_sorted_quantile(const double *value, size_t n, double p)
{
    double rank = ceil(p * (double)n);
    size_t i = rank < 1 ? 0 : (size_t)rank - 1;
    return value[i < n ? i : n - 1];
}

/* Returns ln N!. lgamma() alone would store the sign in a variable shared by all threads. */
static double log_factorial(double n)
{
    int sign;
    return lgamma_r(n + 1, &sign);
}

/* Returns the probability of K successes in N trials of probability P. */
static double binomial(double n, double p, double k)
{
    return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Returns the smallest count with a cumulative binomial probability above SIDE. */
static size_t binomial_quantile(size_t n, double p, double side)
{
    /* Less than 1e-15 of the probability lies below mean - reach. */
    double mean = (double)n * p, reach = 9 * (1 + sqrt(mean * (1 - p)));
    double k = floor(fmax(0, mean - reach)), part = binomial((double)n, p, k), below = part;
    while (below <= side && k < (double)n) {
        part *= ((double)n - k) / (k + 1) * p / (1 - p);
        below += part;
        k++;
    }
    return (size_t)k;
}

void mpg_order_interval(size_t n, double p, double confidence, size_t *low, size_t *high)
{
    double side = (1 - confidence) / 2;
    /* The quantile lies below value LOW if fewer than LOW values lie below the quantile, a binomial event. HIGH is the
     * mirror image. */
    *low = binomial_quantile(n, p, side);
    *high = n + 1 - binomial_quantile(n, 1 - p, side);
}
