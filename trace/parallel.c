/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/parallel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

/* A region whose facts are being read. */
struct reading {
    struct mpg_parallel *found;
    size_t capacity;           /* of found->region */
    uint32_t threads;          /* number of threads read so far for the last region */
    uint32_t thread_capacity;  /* capacity of the last region's array of threads */
};

/* Removes the last region if incomplete: not all threads were read. */
static void drop_partial(struct reading *r)
{
    struct mpg_parallel *p = r->found;
    if (p->n > 0 && r->threads < p->region[p->n - 1].threads)
        free(p->region[--p->n].thread);
}

/* Reads N numbers, >= 0, from *TEXT into NUMBER, and moves *TEXT to the name behind the numbers. Returns false if *TEXT has fewer
 * numbers. */
static bool read_numbers(const char **text, int n, int64_t *number)
{
    for (int i = 0; i < n; i++) {
        char *end;
        if (**text < '0' || **text > '9')
            return false;
        number[i] = strtoll(*text, &end, 10); /* INT64_MAX if larger */
        if (*end != ' ')
            return false;
        *text = end + 1;
    }
    return **text != '\0';
}

static int damaged(int32_t rank, const char *key, const char *value, struct mpg_error *err)
{
    return mpg_error_set(err, "rank %" PRId32 ": fact '%s %s' is damaged", rank, key, value);
}

static int add_region(struct reading *r, int32_t rank, const char *value, struct mpg_error *err)
{
    struct mpg_parallel *p = r->found;
    const char *name = value;
    int64_t x[4];
    if (!read_numbers(&name, 4, x) || x[0] < 1 || x[0] > MPG_PARALLEL_MAX_THREADS || x[3] > x[2])
        return damaged(rank, "parallel_region", value, err);
    drop_partial(r);
    if (mpg_grow(&p->region, p->n, &r->capacity, sizeof *p->region, err) < 0)
        return -1;
    p->region[p->n++] = (struct mpg_parallel_region){.name = name,
                                                     .threads = (uint32_t)x[0],
                                                     .visits = (uint64_t)x[1],
                                                     .time_ns = (double)x[2],
                                                     .longest_ns = (double)x[3]};
    r->threads = r->thread_capacity = 0;
    return 0;
}

static int add_thread(struct reading *r, int32_t rank, const char *value, struct mpg_error *err)
{
    struct mpg_parallel *p = r->found;
    struct mpg_parallel_region *region = p->n > 0 ? &p->region[p->n - 1] : NULL;
    const char *name = value;
    int64_t x[4];
    if (!read_numbers(&name, 4, x) || !region || x[0] != r->threads || x[0] >= region->threads || strcmp(name, region->name) != 0)
        return damaged(rank, "parallel_thread", value, err);
    if (mpg_reserve_at(&region->thread, sizeof *region->thread, &r->thread_capacity, r->threads + 1, err) < 0)
        return -1;
    region->thread[r->threads++] = (struct mpg_parallel_thread){(double)x[1], (double)x[2], (double)x[3]};
    return 0;
}

int mpg_parallel_read(const struct mpg_trace *trace, int32_t rank, struct mpg_parallel *found, struct mpg_error *err)
{
    struct reading r = {.found = found};
    const char *key, *value;
    int status = 0;
    *found = (struct mpg_parallel){.threads = 1};
    for (size_t i = 0; status == 0 && mpg_trace_fact(trace, rank, i, &key, &value); i++)
        if (strcmp(key, "parallel_region") == 0)
            status = add_region(&r, rank, value, err);
        else if (strcmp(key, "parallel_thread") == 0)
            status = add_thread(&r, rank, value, err);
    drop_partial(&r);
    for (size_t i = 0; i < found->n; i++)
        found->threads = found->region[i].threads > found->threads ? found->region[i].threads : found->threads;
    return status;
}

const struct mpg_parallel_region *mpg_parallel_find(const struct mpg_parallel *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->region[i].name, name) == 0)
            return &p->region[i];
    return NULL;
}

void mpg_parallel_clear(struct mpg_parallel *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->region[i].thread);
    free(p->region);
    *p = (struct mpg_parallel){.threads = 1};
}
