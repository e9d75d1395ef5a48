/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time of a reduction's arithmetic at any size. */
#include <math.h>
#include <string.h>

#include "signature/signature.h"

static bool is_of(const struct mpg_collective_time *r, const char *operation)
{
    return strcmp(r->operation, operation) == 0;
}

/* Sets *FIRST to SIG's times of OPERATION on the largest number of ranks at once, ascending in size; returns the number of
 * times. */
static size_t find_sums(const struct mpg_signature *sig, const char *operation,
                        const struct mpg_collective_time **first)
{
    size_t n = 0, i = sig->reductions;
    while (i > 0 && !is_of(&sig->reduction[i - 1], operation))
        i--;
    for (; i > 0 && is_of(&sig->reduction[i - 1], operation); i--, n++)
        if (n > 0 && sig->reduction[i - 1].processes != sig->reduction[i].processes)
            break;
    *first = n > 0 ? &sig->reduction[i] : NULL;
    return n;
}

/* Returns the index of the last of N ascending sizes that is at most SIZE_BYTES; 0 if all sizes are larger. */
static size_t place(const struct mpg_collective_time *sum, size_t n, double size_bytes)
{
    size_t i = 0;
    while (i + 1 < n && (double)sum[i + 1].size_bytes <= size_bytes)
        i++;
    return i;
}

static double median_ns(const struct mpg_collective_time *sum)
{
    return mpg_distribution_quantile(sum->time_ns, 0.5);
}

/* Returns the time per byte between the sizes of A and B, ns; if B is NULL, A's time divided by A's size. */
static double slope(const struct mpg_collective_time *a, const struct mpg_collective_time *b)
{
    if (!b)
        return a->size_bytes > 0 ? median_ns(a) / (double)a->size_bytes : 0;
    return (median_ns(b) - median_ns(a)) / (double)(b->size_bytes - a->size_bytes);
}

/* Returns the time at SIZE_BYTES, ns: linear between the N > 0 measured sizes SUM. */
static double time_ns(const struct mpg_collective_time *sum, size_t n, double size_bytes)
{
    if (size_bytes <= 0)
        return 0;
    size_t i = place(sum, n, size_bytes);
    double more = fmax(size_bytes - (double)sum[i].size_bytes, 0), a_byte;
    if (i + 1 < n)
        a_byte = slope(&sum[i], &sum[i + 1]);
    else
        a_byte = fmax(n > 1 ? slope(&sum[i - 1], &sum[i]) : slope(sum, NULL), 0);
    return median_ns(&sum[i]) + more * a_byte;
}

double mpg_signature_reduction_ns(const struct mpg_signature *sig, double size_bytes)
{
    const struct mpg_collective_time *sum;
    size_t n = find_sums(sig, "reduce_local", &sum);
    return n > 0 ? time_ns(sum, n, size_bytes) : 0;
}

double mpg_signature_reduction_sent_ns(const struct mpg_signature *sig, double size_bytes)
{
    const struct mpg_collective_time *sum;
    size_t n = find_sums(sig, "reduce_sent", &sum);
    return n > 0 ? time_ns(sum, n, size_bytes) : mpg_signature_reduction_ns(sig, size_bytes);
}

size_t mpg_signature_reduction_samples(const struct mpg_signature *sig, double size_bytes)
{
    const struct mpg_collective_time *sum;
    size_t n = find_sums(sig, "reduce_local", &sum);
    return n > 0 ? sum[place(sum, n, size_bytes)].time_ns->n : 0;
}
