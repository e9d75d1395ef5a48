/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the list of runs in the order of their execution. */
#include "scale/run/plan.h"

#include <Random123/philox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

enum { MAX_RANKS = 1000000 };

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int mpg_scale_run_counts(const char *text, int32_t counts[SCALE_RUN_MAX_COUNTS], struct mpg_error *err)
{
    char *copy = strdup(text), *rest = copy;
    int n = 0, distinct = 0;
    if (!copy)
        return mpg_error_set(err, "out of memory");
    for (char *word; (word = strsep(&rest, ","));) {
        uint64_t first = 0, last = 0;
        if (mpg_units_parse_range(word, "process counts", &first, &last, err) < 0) {
            n = -1;
            break;
        }
        if (first < 1 || last > MAX_RANKS || last - first >= (uint64_t)(SCALE_RUN_MAX_COUNTS - n)) {
            n = mpg_error_set(err, "%s: give at most %d process counts, each from 1 to %d", text, SCALE_RUN_MAX_COUNTS,
                              MAX_RANKS);
            break;
        }
        for (; first <= last; first++)
            counts[n++] = (int32_t)first;
    }
    free(copy);
    if (n < 0)
        return -1;
    qsort(counts, (size_t)n, sizeof *counts, ascending);
    for (int i = 0; i < n; i++)
        if (distinct == 0 || counts[distinct - 1] != counts[i])
            counts[distinct++] = counts[i];
    return distinct;
}

/* Returns a random number by which the runs of a repetition are sorted. The number depends on the run and the seed only:
 * further repetitions do not change the order of the first repetitions. */
static uint32_t key_of(int64_t seed, const struct scale_todo *t)
{
    const philox4x32_ctr_t address = {{(uint32_t)t->ranks, (uint32_t)t->repetition, 0, 0}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)((uint64_t)seed >> 32)}};
    return philox4x32(address, key).v[0];
}

int mpg_scale_run_plan(const int32_t *counts, size_t count_number, int repetitions, int64_t seed,
                       struct scale_plan *plan, struct mpg_error *err)
{
    *plan = (struct scale_plan){.manifest = -1};
    plan->todo = calloc(count_number * (size_t)repetitions, sizeof *plan->todo);
    if (!plan->todo)
        return mpg_error_set(err, "out of memory");
    for (int r = 1; r <= repetitions; r++) {
        const size_t begin = plan->n;
        for (size_t k = 0; k < count_number; k++) {
            struct scale_todo next = {.ranks = counts[k], .repetition = r};
            snprintf(next.name, sizeof next.name, "%d-%d", counts[k], r);
            size_t i = plan->n++;
            for (; i > begin && key_of(seed, &plan->todo[i - 1]) > key_of(seed, &next); i--)
                plan->todo[i] = plan->todo[i - 1];
            plan->todo[i] = next;
        }
    }
    return 0;
}
