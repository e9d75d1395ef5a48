/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/parallel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "trace/pmpi/facts.h"
#include "trace/pmpi/functions.h"

enum { NAME_SIZE = 512 };

static struct {
    struct mpg_map index; /* (return address; number of threads) -> the region's address */
    struct parallel_region *first, **end; /* in the order of first visits */
} regions;

static struct parallel_region *region_new(const void *place, uint32_t threads)
{
    char function[NAME_SIZE - 64], name[NAME_SIZE];
    functions_place(place, function, sizeof function);
    snprintf(name, sizeof name, "omp parallel %s (%u thread%s)", function, threads, threads == 1 ? "" : "s");
    struct parallel_region *r = calloc(1, sizeof *r);
    if (r) {
        r->name = strdup(name);
        r->thread = calloc(threads, sizeof *r->thread);
        r->threads = threads;
    }
    if (r && r->name && r->thread)
        return r;
    if (r) {
        free(r->name);
        free(r->thread);
    }
    free(r);
    return NULL;
}

struct parallel_region *parallel_find(const void *place, uint32_t threads)
{
    uint64_t *value = mpg_map_add(&regions.index, (uint64_t)(uintptr_t)place, threads);
    if (!value)
        return NULL;
    if (*value)
        return (struct parallel_region *)(uintptr_t)*value;
    struct parallel_region *r = region_new(place, threads);
    if (!r) {
        mpg_map_remove(&regions.index, (uint64_t)(uintptr_t)place, threads);
        return NULL;
    }
    *value = (uint64_t)(uintptr_t)r;
    *(regions.first ? regions.end : &regions.first) = r;
    regions.end = &r->next;
    return r;
}

int parallel_write(struct mpg_trace_writer *w, struct mpg_error *err)
{
    char text[NAME_SIZE + 128];
    for (const struct parallel_region *r = regions.first; r; r = r->next) {
        snprintf(text, sizeof text, "%u %" PRId64 " %" PRId64 " %" PRId64 " %s", r->threads, r->visits, r->time_ns, r->longest_ns,
                 r->name);
        if (facts_write(w, "parallel_region", text, err) < 0)
            return -1;
        for (uint32_t i = 0; i < r->threads; i++) {
            const struct parallel_thread *t = &r->thread[i];
            snprintf(text, sizeof text, "%u %" PRId64 " %" PRId64 " %" PRId64 " %s", i, t->work_ns, t->wait_ns, t->calls_ns,
                     r->name);
            if (facts_write(w, "parallel_thread", text, err) < 0)
                return -1;
        }
    }
    return 0;
}
