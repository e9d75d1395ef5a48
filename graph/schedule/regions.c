/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stack of ratios, and their integral over time. */
#include "graph/schedule/regions.h"

#include <stdlib.h>
#include <string.h>

#include "graph/place.h"

static double current(const struct regions *r, const struct mpg_region_ratios *ratios)
{
    return !ratios ? 1 : r->depth > 0 ? r->open[r->depth - 1].ratio : ratios->base;
}

int32_t graph_regions_innermost(const struct regions *r)
{
    return r->depth > 0 ? r->open[r->depth - 1].name : -1;
}

void graph_regions_begin(struct regions *r, int64_t now_ns)
{
    r->since_ns = now_ns;
    r->scaled_ns = 0;
}

/* The region that TEXT names in RATIOS, or NULL. */
static const struct mpg_region_ratio *find(const struct mpg_region_ratios *ratios, const char *text)
{
    for (size_t i = 0; ratios && i < ratios->n; i++)
        if (strcmp(ratios->region[i].name, text) == 0)
            return &ratios->region[i];
    return NULL;
}

static int push(struct regions *r, double ratio, int32_t name, struct mpg_error *err)
{
    if (r->depth == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 8;
        struct region *grown = realloc(r->open, capacity * sizeof *grown);
        if (!grown)
            return graph_out_of_memory(err);
        r->open = grown;
        r->capacity = capacity;
    }
    r->open[r->depth++] = (struct region){ratio, name};
    return 0;
}

int graph_regions_mark(struct regions *r, const struct mpg_region_ratios *ratios,
                       const struct mpg_trace *trace, const struct mpg_event *event,
                       struct mpg_error *err)
{
    const double now = current(r, ratios);
    if (event->enter_ns > r->since_ns)
        r->scaled_ns += (double)(event->enter_ns - r->since_ns) * now;
    r->since_ns = event->enter_ns > r->since_ns ? event->enter_ns : r->since_ns;
    if (mpg_call_kind(event->call) == MPG_KIND_REGION_END) {
        r->depth -= r->depth > 0;
        return 0;
    }
    const struct mpg_region_ratio *region = find(ratios, mpg_trace_string(trace, event->string));
    if (region)
        *region->met = true;
    return push(r, region ? region->ratio : now, event->string, err);
}

double graph_regions_ratio(const struct regions *r, const struct mpg_region_ratios *ratios,
                           int64_t begin_ns, int64_t now_ns)
{
    const double now = current(r, ratios);
    if (now_ns <= begin_ns)
        return now;
    return (r->scaled_ns + (double)(now_ns - r->since_ns) * now) / (double)(now_ns - begin_ns);
}

void graph_regions_clear(struct regions *r)
{
    free(r->open);
    *r = (struct regions){0};
}
