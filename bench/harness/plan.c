/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Message sizes, their order and their iterations. */
#include "config.h"

#include "bench/harness/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int add_size(struct mpg_plan *plan, const char *text, struct mpg_error *err)
{
    int64_t size_bytes;
    if (mpg_units_parse_size(text, &size_bytes, err) < 0)
        return -1;
    if (size_bytes < 0 || size_bytes > MPG_PLAN_MAX_BYTES)
        return mpg_error_set(err, "%s is not within 0 to 1GiB", text);
    for (size_t i = 0; i < plan->n; i++)
        if (plan->step[i].size_bytes == size_bytes)
            return mpg_error_set(err, "%s is there twice", text);
    struct mpg_plan_step *grown = realloc(plan->step, (plan->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    plan->step = grown;
    grown[plan->n++] = (struct mpg_plan_step){.size_bytes = size_bytes};
    plan->max_bytes = size_bytes > plan->max_bytes ? size_bytes : plan->max_bytes;
    return 0;
}

static int parse_sizes(struct mpg_plan *plan, const char *sizes, struct mpg_error *err)
{
    int status = 0;
    char *copy = strdup(sizes);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    for (char *text = copy, *next; text && status == 0; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        status = add_size(plan, text, err);
    }
    free(copy);
    return status;
}

static int64_t iterations_for(int64_t size_bytes, int64_t iterations, int64_t full_bytes,
                              int64_t least)
{
    if (size_bytes <= full_bytes)
        return iterations;
    int64_t fewer = (int64_t)((double)iterations * (double)full_bytes / (double)size_bytes);
    int64_t floor = least < iterations ? least : iterations;
    return fewer > floor ? fewer : floor;
}

static void shuffle(struct mpg_plan *plan, uint64_t seed)
{
    for (size_t i = plan->n; i > 1; i--) {
        size_t j = (size_t)(splitmix64(&seed) % i);
        struct mpg_plan_step held = plan->step[i - 1];
        plan->step[i - 1] = plan->step[j];
        plan->step[j] = held;
    }
}

int mpg_plan_make(const char *sizes, int64_t iterations, int64_t full_bytes, int64_t least,
                  uint64_t seed, struct mpg_plan *plan, struct mpg_error *err)
{
    struct mpg_plan p = {0};
    if (parse_sizes(&p, sizes, err) < 0)
        goto fail;
    for (size_t i = 0; i < p.n; i++) {
        p.step[i].iterations =
            iterations_for(p.step[i].size_bytes, iterations, full_bytes, least);
        p.samples += (size_t)p.step[i].iterations;
        if (p.samples > MPG_PLAN_MAX_SAMPLES) {
            mpg_error_set(err, "more than %d samples in all", MPG_PLAN_MAX_SAMPLES);
            goto fail;
        }
    }
    shuffle(&p, seed);
    for (size_t i = 1; i < p.n; i++)
        p.step[i].first = p.step[i - 1].first + (size_t)p.step[i - 1].iterations;
    *plan = p;
    return 0;
fail:
    free(p.step);
    return -1;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct mpg_plan_step *x = a, *y = b;
    return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

void mpg_plan_sort(struct mpg_plan *plan)
{
    qsort(plan->step, plan->n, sizeof *plan->step, compare_sizes);
}

void mpg_plan_clear(struct mpg_plan *plan)
{
    free(plan->step);
    *plan = (struct mpg_plan){0};
}
