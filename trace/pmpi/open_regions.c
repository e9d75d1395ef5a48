/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/open_regions.h"

#include <string.h>

#include "common/reserve.h"
#include "trace/pmpi/counts.h"
#include "trace/pmpi/tracer.h"

void open_regions_begin(struct open_regions *r, uint32_t thread, int32_t string)
{
    struct mpg_error err;
    if (mpg_grow(&r->items, r->count, &r->capacity, sizeof *r->items, &err) < 0)
        tracer_fail(&err);
    else
        r->items[r->count++] = (struct open_region){thread, string};
}

bool open_regions_end(struct open_regions *r, uint32_t thread, int32_t string)
{
    size_t i = r->count;
    while (i > 0 && (r->items[i - 1].thread != thread || (string != OPEN_REGION_ANY && r->items[i - 1].string != string)))
        i--;
    if (i == 0)
        return false;
    memmove(&r->items[i - 1], &r->items[i], (r->count - i) * sizeof *r->items);
    r->count--;
    return true;
}

struct mpg_event open_region_event(const struct open_region *region)
{
    struct mpg_event e = counts_blank();
    e.call = MPG_CALL_Region_begin;
    e.to = 0;
    e.string = region->string;
    return e;
}
