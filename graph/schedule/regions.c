/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stack of ratios, and their integral over time. */
#include "graph/schedule/regions.h"

#include <stdlib.h>
#include <string.h>

#include "graph/place.h"

static double current(const struct regions *r, const struct mpg_region_ratios *ratios)
{
    return r->depth > 0 ? r->ratio[r->depth - 1] : ratios->base;
}

void graph_regions_begin(struct regions *r, int64_t now_ns)
{
    r->since_ns = now_ns;
    r->scaled_ns = 0;
}

/* The region that TEXT names in RATIOS, or NULL. */
static const struct mpg_region_ratio *find(const struct mpg_region_ratios *ratios, const char *text)
{
    for (size_t i = 0; i < ratios->n; i++)
        if (strcmp(ratios->region[i].name, text) == 0)
            return &ratios->region[i];
    return NULL;
}

static int push(struct regions *r, double ratio, struct mpg_error *err)
{
    if (r->depth == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 8;
        double *grown = realloc(r->ratio, capacity * sizeof *grown);
        if (!grown)
            return graph_out_of_memory(err);
        r->ratio = grown;
        r->capacity = capacity;
    }
    r->ratio[r->depth++] = ratio;
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
    return push(r, region ? region->ratio : now, err);
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
    free(r->ratio);
    *r = (struct regions){0};
}
