/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removal of samples with off-CPU time. */
#include "config.h"

#include "signature/make/off_cpu_filter.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Off-CPU time below this share of a sample's time is ignored. */
#define MIN_PART 0.01
/* At least a quarter of the samples of a kind must remain, else all stay: the few undisturbed samples of a busy machine would be
 * the fastest samples. */
enum { MIN_LEFT = 4 };

/* Two samples are of one kind if equal in all of these columns that the file has. */
static const enum mpg_column kinds[] = {MPG_COLUMN_OPERATION, MPG_COLUMN_PROCESSES,
                                        MPG_COLUMN_SIZE_BYTES, MPG_COLUMN_WINDOW, MPG_COLUMN_PAIR,
                                        MPG_COLUMN_PAIRS, MPG_COLUMN_DIRECTIONS};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_of_ranks(enum mpg_benchmark benchmark)
{
    return benchmark == MPG_BENCHMARK_PINGPONG || benchmark == MPG_BENCHMARK_BANDWIDTH ||
           benchmark == MPG_BENCHMARK_OVERHEAD || benchmark == MPG_BENCHMARK_COLLECTIVE ||
           benchmark == MPG_BENCHMARK_SHARING || benchmark == MPG_BENCHMARK_ONE_SIDED ||
           benchmark == MPG_BENCHMARK_OVERLAP;
}

/* Returns the time of R's sample I, ns. */
static double time_of(const struct mpg_results *r, size_t i)
{
    if (r->benchmark == MPG_BENCHMARK_PINGPONG)
        return r->column[MPG_COLUMN_RTT_NS][i];
    if (r->benchmark == MPG_BENCHMARK_OVERHEAD)
        return r->column[MPG_COLUMN_SEND_NS][i] + r->column[MPG_COLUMN_RECEIVE_NS][i];
    if (r->benchmark == MPG_BENCHMARK_ONE_SIDED)
        return r->column[MPG_COLUMN_CALL_NS][i] + r->column[MPG_COLUMN_COMPLETE_NS][i];
    if (r->benchmark == MPG_BENCHMARK_OVERLAP)
        return r->column[MPG_COLUMN_ALONE_NS][i] + r->column[MPG_COLUMN_BOTH_NS][i];
    return r->column[MPG_COLUMN_TIME_NS][i];
}

static bool is_off(const struct mpg_results *r, size_t i)
{
    double off_ns = r->column[MPG_COLUMN_OFF_CPU_NS][i];
    return off_ns > 0 && off_ns > MIN_PART * time_of(r, i);
}

static int compare_kinds(const struct mpg_results *r, size_t a, size_t b)
{
    for (int k = 0; k < KINDS; k++) {
        const double *column = r->column[kinds[k]];
        if (column && column[a] != column[b])
            return column[a] < column[b] ? -1 : 1;
    }
    return 0;
}

static int by_kind(const void *left, const void *right, void *results)
{
    const size_t *a = left, *b = right;
    int order = compare_kinds(results, *a, *b);
    return order ? order : (*a > *b) - (*a < *b);
}

/* Sets OUT for the samples to remove: samples with off-CPU time, if enough samples of the kind remain. ORDER: all samples,
 * grouped by kind. Returns the number of samples with off-CPU time that stay. */
static size_t mark(const struct mpg_results *r, const size_t *order, bool *out)
{
    size_t whole = 0;
    for (size_t first = 0, end; first < r->samples; first = end) {
        size_t off = 0;
        for (end = first; end < r->samples && compare_kinds(r, order[first], order[end]) == 0; end++)
            off += is_off(r, order[end]);
        bool enough = MIN_LEFT * (end - first - off) >= end - first;
        whole += enough ? 0 : off;
        for (size_t i = first; i < end; i++)
            out[order[i]] = enough && is_off(r, order[i]);
    }
    return whole;
}

/* Removes from R the samples for which OUT is set. */
static void close_gaps(struct mpg_results *r, const bool *out)
{
    size_t n = 0;
    for (size_t i = 0; i < r->samples; i++) {
        if (out[i])
            continue;
        for (int c = 0; c < MPG_COLUMNS; c++)
            if (r->column[c])
                r->column[c][n] = r->column[c][i];
        n++;
    }
    r->samples = n;
}

int mpg_off_cpu_filter_apply(struct mpg_results *r, struct mpg_off_cpu_filter *sum, struct mpg_error *err)
{
    const size_t samples = r->samples;
    if (!is_of_ranks(r->benchmark) || !r->column[MPG_COLUMN_OFF_CPU_NS])
        return 0;
    size_t *order = malloc((samples + 1) * sizeof *order);
    bool *out = malloc((samples + 1) * sizeof *out);
    int status = order && out ? 0 : mpg_error_set(err, "out of memory for %zu samples", samples);
    if (status == 0) {
        for (size_t i = 0; i < samples; i++)
            order[i] = i;
        qsort_r(order, samples, sizeof *order, by_kind, r);
        sum->of[r->benchmark].kept += mark(r, order, out);
        close_gaps(r, out);
        sum->of[r->benchmark].samples += samples;
        sum->of[r->benchmark].removed += samples - r->samples;
    }
    free(out);
    free(order);
    return status;
}

size_t mpg_off_cpu_filter_describe(const struct mpg_off_cpu_filter *sum, char *text, size_t size)
{
    size_t used = 0, whole = 0;
    *text = '\0';
    for (int b = 0; b < MPG_BENCHMARKS; b++) {
        if (sum->of[b].samples == 0 || used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s %zu of %zu", used > 0 ? ", " : "",
                                 mpg_benchmark_name((enum mpg_benchmark)b), sum->of[b].removed,
                                 sum->of[b].samples);
        whole += sum->of[b].kept;
    }
    return whole;
}
