/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the plan of a pair's measurement: cells of operation, message size and window. */
#include "config.h"

#include "bench/harness/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

enum { BLOCKS = 50, MIN_BLOCK = 20 };

/* ---- sizes ---- */

static int compare_sizes(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int parse_size(const char *text, int64_t *size_bytes, struct mpg_error *err)
{
    if (mpg_units_parse_size(text, size_bytes, err) < 0)
        return -1;
    if (*size_bytes < 0 || *size_bytes > MPG_PLAN_MAX_BYTES)
        return mpg_error_set(err, "%s is not within 0 to 1GiB", text);
    return 0;
}

int64_t mpg_sizes_parse(const char *text, int64_t **size, struct mpg_error *err)
{
    size_t count = 1, n = 0;
    int status = 0;
    for (const char *p = text; *p; p++)
        count += *p == ',';
    int64_t *list = malloc(count * sizeof *list);
    char *copy = strdup(text);
    if (!list || !copy)
        status = mpg_error_set(err, "out of memory");
    for (char *next = copy, *word; status == 0 && (word = strsep(&next, ","));)
        status = parse_size(word, &list[n++], err);
    if (status == 0)
        qsort(list, n, sizeof *list, compare_sizes);
    for (size_t i = 1; i < n && status == 0; i++)
        if (list[i] == list[i - 1])
            status = mpg_error_set(err, "%lld bytes appear twice", (long long)list[i]);
    free(copy);
    if (status < 0) {
        free(list);
        return -1;
    }
    *size = list;
    return (int64_t)n;
}

/* ---- names ---- */

/* Writes "'WORD' is none of a,b,c" to ERR; returns -1. */
static int set_unknown(const char *word, const char *const name[], int n, struct mpg_error *err)
{
    mpg_error_set(err, "'%.40s' is none of ", word);
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(err->text);
        snprintf(err->text + length, sizeof err->text - length, "%s%s", i > 0 ? "," : "", name[i]);
    }
    return -1;
}

int mpg_names_parse(const char *text, const char *const name[], int n, bool wanted[], struct mpg_error *err)
{
    int status = 0;
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        return mpg_error_set(err, "out of memory");
    for (char *word; status == 0 && (word = strsep(&rest, ","));) {
        int i = 0;
        while (i < n && strcmp(word, name[i]) != 0)
            i++;
        if (i == n)
            status = set_unknown(word, name, n, err);
        else if (wanted[i])
            status = mpg_error_set(err, "%s appears twice", word);
        else
            wanted[i] = true;
    }
    free(copy);
    return status;
}

/* ---- cells ---- */

int64_t mpg_plan_max_samples(const struct mpg_plan_limits *limits, int64_t size_bytes)
{
    if (size_bytes <= limits->full_bytes)
        return limits->max;
    int64_t fewer = (int64_t)((double)limits->max * (double)limits->full_bytes /
                              (double)size_bytes);
    int64_t floor = limits->min < limits->max ? limits->min : limits->max;
    return fewer > floor ? fewer : floor;
}

static int64_t block_of(int64_t max)
{
    int64_t block = max / BLOCKS > MIN_BLOCK ? max / BLOCKS : MIN_BLOCK;
    block = block < MPG_PLAN_MAX_BLOCK ? block : MPG_PLAN_MAX_BLOCK;
    return block < max ? block : max;
}

static int add_cell(struct mpg_bench_plan *plan, int operation, int64_t size_bytes, int64_t window,
                    const struct mpg_plan_limits *limits, struct mpg_error *err)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->cell[i].operation == operation && plan->cell[i].size_bytes == size_bytes && plan->cell[i].window == window)
            return 0;
    if (size_bytes < 0 || size_bytes > MPG_PLAN_MAX_BYTES)
        return mpg_error_set(err, "%lld bytes are not within 0 to 1GiB", (long long)size_bytes);
    int64_t max = mpg_plan_max_samples(limits, size_bytes);
    if (plan->samples + max > MPG_PLAN_MAX_SAMPLES)
        return mpg_error_set(err, "more than %d samples in all: name fewer sizes, or record fewer of"
                                  " each", MPG_PLAN_MAX_SAMPLES);
    struct mpg_bench_cell *grown = realloc(plan->cell, (plan->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    plan->cell = grown;
    grown[plan->n++] = (struct mpg_bench_cell){size_bytes, window, max, block_of(max), operation};
    plan->samples += max;
    plan->max_bytes = size_bytes > plan->max_bytes ? size_bytes : plan->max_bytes;
    return 0;
}

int mpg_plan_add(struct mpg_bench_plan *plan, int64_t size_bytes, int64_t window,
                 const struct mpg_plan_limits *limits, struct mpg_error *err)
{
    return add_cell(plan, 0, size_bytes, window, limits, err);
}

int mpg_plan_add_operation(struct mpg_bench_plan *plan, int operation, int64_t size_bytes,
                           const struct mpg_plan_limits *limits, struct mpg_error *err)
{
    return add_cell(plan, operation, size_bytes, 1, limits, err);
}

int mpg_plan_add_sizes(struct mpg_bench_plan *plan, const char *sizes, int64_t eager_limit_bytes,
                       const struct mpg_plan_limits *limits, struct mpg_error *err)
{
    static const char all[] = "0,1,8,16,32,64,128,256,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,"
                              "128KiB,256KiB,512KiB,1MiB,2MiB,4MiB";
    int64_t *size = NULL, eager = sizes ? 0 : eager_limit_bytes;
    int64_t n = mpg_sizes_parse(sizes ? sizes : all, &size, err);
    int status = n < 0 ? -1 : 0;
    for (int64_t i = 0; i < n && status == 0; i++)
        status = mpg_plan_add(plan, size[i], 1, limits, err);
    if (status == 0 && eager > 0 && (mpg_plan_add(plan, eager, 1, limits, err) < 0 ||
                                     mpg_plan_add(plan, eager + 1, 1, limits, err) < 0))
        status = -1;
    free(size);
    return status;
}

void mpg_plan_clear(struct mpg_bench_plan *plan)
{
    free(plan->cell);
    *plan = (struct mpg_bench_plan){0};
}
