/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the cases of a run: each operation with each process count and each size. */
#include "config.h"

#include "bench/collective/cases.h"

#include <stdlib.h>

#include "bench/harness/plan.h"
#include "common/units.h"

#define FULL_BYTES 32768
enum { MIN_SAMPLES = 50 };

static int add(struct mpg_cases *cases, const struct mpg_case *one, struct mpg_error *err)
{
    int64_t bytes = mpg_operation_bytes(one->operation, one->processes, one->size_bytes);
    struct mpg_case *grown = realloc(cases->item, (cases->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    cases->item = grown;
    grown[cases->n++] = *one;
    cases->bytes = bytes > cases->bytes ? bytes : cases->bytes;
    return 0;
}

/* Parses the process counts in TEXT (NULL: powers of two, and RANKS) into COUNT, which has room for RANKS numbers; returns the
 * number of counts. */
static int parse_processes(const char *text, int ranks, int *count, struct mpg_error *err)
{
    struct mpg_rank_set set;
    int n = 0;
    if (!text) {
        for (int64_t p = 2; p < ranks; p *= 2)
            count[n++] = (int)p;
        count[n++] = ranks;
        return n;
    }
    if (mpg_rank_set_parse(text, &set, NULL) < 0)
        return mpg_error_set(err, "--processes: '%.80s' is not a list like 2,4,8", text);
    for (size_t i = 0; i < set.count; i++)
        if (set.ranges[i].first < 2 || set.ranges[i].last > ranks)
            n = mpg_error_set(err, "--processes: %.80s is not within 2 to %d, the number of ranks",
                              text, ranks);
    for (int p = 2; p <= ranks && n >= 0; p++)
        if (mpg_rank_set_contains(&set, p))
            count[n++] = p;
    mpg_rank_set_clear(&set);
    return n;
}

/* Adds a case for each size to MADE: OPERATION among P processes. */
static int add_operation(struct mpg_cases *cases, enum mpg_bench_operation operation, int p,
                         const int64_t *size, int64_t sizes, int64_t iterations,
                         struct mpg_error *err)
{
    struct mpg_plan_limits limits = {iterations, FULL_BYTES, MIN_SAMPLES};
    struct mpg_case one = {
        .operation = operation, .processes = p, .max = iterations, .calls = 1};
    if (operation == MPG_OPERATION_BARRIER)
        return add(cases, &one, err);
    for (int64_t i = 0; i < sizes; i++) {
        if (mpg_operation_reduces(operation) && size[i] % (int64_t)sizeof(double) != 0)
            return mpg_error_set(err, "--sizes: %lld is no multiple of 8, as allreduce, reduce, scan,"
                                      " reduce_scatter, reduce_local and reduce_sent add up doubles; leave them out by"
                                      " --operations", (long long)size[i]);
        if (mpg_operation_grows(operation) && p * size[i] > MPG_CASES_MAX_BYTES)
            continue;
        one.size_bytes = size[i];
        one.max = mpg_plan_max_samples(&limits, size[i]);
        if (add(cases, &one, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_cases_make(const char *operations, const char *processes, const char *sizes,
                   int64_t iterations, int ranks, struct mpg_cases *cases,
                   struct mpg_error *err)
{
    bool wanted[MPG_OPERATIONS] = {false};
    struct mpg_cases made = {0, NULL, 0};
    int64_t *size = NULL, n_sizes = mpg_sizes_parse(sizes, &size, err);
    int *count = malloc((size_t)ranks * sizeof *count);
    int counts = -1, status = -1;
    if (n_sizes < 0)
        mpg_error_prefix(err, "--sizes");
    else if (!count)
        mpg_error_set(err, "out of memory");
    else if (mpg_names_parse(operations, mpg_operation_names(), MPG_OPERATIONS, wanted, err) < 0)
        mpg_error_prefix(err, "--operations");
    else
        counts = parse_processes(processes, ranks, count, err);
    if (counts >= 0)
        status = 0;
    for (int o = 0; o < MPG_OPERATIONS; o++) /* local operations measure arithmetic: only with the largest process count, since
                                                all ranks then compete for memory */
        for (int i = mpg_operation_is_local((enum mpg_bench_operation)o) && counts > 0 ? counts - 1 : 0;
             i < counts && wanted[o] && status == 0; i++)
            status = add_operation(&made, (enum mpg_bench_operation)o, count[i], size, n_sizes,
                                   iterations, err);
    free(count);
    free(size);
    if (status < 0)
        mpg_cases_clear(&made);
    else
        *cases = made;
    return status;
}

void mpg_cases_clear(struct mpg_cases *cases)
{
    free(cases->item);
    *cases = (struct mpg_cases){0, NULL, 0};
}
