/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aligning clocks: shared, measured, or bounded by the messages. */
#include "graph/clocks.h"

#include <math.h>
#include <stdlib.h>

#include "common/map.h"

struct point {
    int64_t time_ns, offset_ns;
};

struct rank_clock {
    int64_t first_ns;  /* the rank's first enter */
    size_t points;
    struct point *point;
    double constant_ns; /* added to times counted from first_ns (NONE, BOUNDED) */
};

struct mpg_clock_map {
    enum mpg_clock_source source;
    int32_t ranks;
    int64_t origin_ns; /* of rank 0's clock */
    struct rank_clock *rank;
};

static int read_points(const struct mpg_trace *t, int32_t r, struct rank_clock *c,
                       struct mpg_error *err)
{
    int64_t time_ns, offset_ns;
    while (mpg_trace_clock(t, r, c->points, &time_ns, &offset_ns)) {
        if ((c->points & (c->points - 1)) == 0) { /* a power of two: it is full */
            size_t capacity = c->points ? 2 * c->points : 1;
            struct point *grown = realloc(c->point, capacity * sizeof *grown);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            c->point = grown;
        }
        c->point[c->points++] = (struct point){time_ns, offset_ns};
    }
    return 0;
}

static int read_first(struct mpg_trace *t, int32_t r, int64_t *first_ns, struct mpg_error *err)
{
    struct mpg_event e;
    struct mpg_cursor *c = mpg_cursor_open(t, r, err);
    int more = c ? mpg_cursor_next(c, &e, err) : -1;
    mpg_cursor_close(c);
    *first_ns = more > 0 ? e.enter_ns : 0;
    return more < 0 ? -1 : 0;
}

struct mpg_clock_map *mpg_clock_map_from_trace(struct mpg_trace *t, struct mpg_error *err)
{
    struct mpg_clock_map *map = calloc(1, sizeof *map);
    int32_t ranks = mpg_trace_ranks(t);
    if (!map || !(map->rank = calloc((size_t)ranks, sizeof *map->rank))) {
        mpg_error_set(err, "out of memory");
        mpg_clock_map_free(map);
        return NULL;
    }
    map->ranks = ranks;
    switch (mpg_trace_clocks(t)) {
    case MPG_CLOCKS_SHARED:
        map->source = MPG_CLOCK_SHARED;
        break;
    case MPG_CLOCKS_MEASURED:
        map->source = MPG_CLOCK_MEASURED;
        break;
    case MPG_CLOCKS_UNKNOWN:
        map->source = MPG_CLOCK_NONE;
    }
    for (int32_t r = 0; r < ranks; r++) {
        struct rank_clock *c = &map->rank[r];
        if (read_first(t, r, &c->first_ns, err) < 0 ||
            (map->source == MPG_CLOCK_MEASURED && read_points(t, r, c, err) < 0)) {
            mpg_clock_map_free(map);
            return NULL;
        }
    }
    map->origin_ns = map->rank[0].first_ns;
    return map;
}

void mpg_clock_map_free(struct mpg_clock_map *map)
{
    if (!map)
        return;
    for (int32_t r = 0; map->rank && r < map->ranks; r++)
        free(map->rank[r].point);
    free(map->rank);
    free(map);
}

enum mpg_clock_source mpg_clock_map_source(const struct mpg_clock_map *map)
{
    return map->source;
}

/* The measured offset at TIME: linear between the points, constant outside. */
static double interpolate(const struct rank_clock *c, int64_t time_ns, int64_t *whole_ns)
{
    if (c->points == 0) {
        *whole_ns = 0;
        return 0;
    }
    const struct point *last = &c->point[c->points - 1];
    if (time_ns <= c->point[0].time_ns || time_ns >= last->time_ns) {
        *whole_ns = (time_ns <= c->point[0].time_ns ? c->point : last)->offset_ns;
        return 0;
    }
    size_t low = 0, high = c->points - 1; /* TIME is from the point LOW on, before HIGH */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (time_ns >= c->point[middle].time_ns)
            low = middle;
        else
            high = middle;
    }
    const struct point *p = &c->point[low];
    *whole_ns = p->offset_ns;
    double slope = (double)(p[1].offset_ns - p[0].offset_ns) /
                   (double)(p[1].time_ns - p[0].time_ns);
    return slope * (double)(time_ns - p[0].time_ns);
}

double mpg_clock_align(const struct mpg_clock_map *map, int32_t rank, int64_t time_ns)
{
    const struct rank_clock *c = &map->rank[rank];
    int64_t whole_ns;
    double part_ns;
    switch (map->source) {
    case MPG_CLOCK_SHARED:
        return (double)(time_ns - map->origin_ns);
    case MPG_CLOCK_MEASURED:
        part_ns = interpolate(c, time_ns, &whole_ns);
        return (double)(time_ns - map->origin_ns + whole_ns) + part_ns;
    default:
        return (double)(time_ns - c->first_ns) + c->constant_ns;
    }
}

/* Bounds: per ordered pair (sender, receiver), the least received - sent, which
 * is at least offset(sender) - offset(receiver). */
struct bound {
    int32_t sender, receiver;
    double least_ns;
};

struct mpg_clock_bounds {
    int32_t ranks;
    struct mpg_map index; /* (sender, receiver) -> number + 1 */
    size_t count, capacity;
    struct bound *bounds;
};

struct mpg_clock_bounds *mpg_clock_bounds_new(int32_t ranks, struct mpg_error *err)
{
    struct mpg_clock_bounds *b = calloc(1, sizeof *b);
    if (b)
        b->ranks = ranks;
    else
        mpg_error_set(err, "out of memory");
    return b;
}

void mpg_clock_bounds_free(struct mpg_clock_bounds *b)
{
    if (!b)
        return;
    mpg_map_clear(&b->index);
    free(b->bounds);
    free(b);
}

int mpg_clock_bounds_add(struct mpg_clock_bounds *b, int32_t sender, int32_t receiver,
                         double sent_ns, double received_ns, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&b->index, (uint64_t)sender, (uint64_t)receiver);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    if (*slot == 0) {
        if (b->count == b->capacity) {
            size_t capacity = b->capacity ? 2 * b->capacity : 64;
            void *grown = realloc(b->bounds, capacity * sizeof *b->bounds);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            b->bounds = grown;
            b->capacity = capacity;
        }
        b->bounds[b->count] = (struct bound){sender, receiver, INFINITY};
        *slot = ++b->count;
    }
    struct bound *bound = &b->bounds[*slot - 1];
    if (received_ns - sent_ns < bound->least_ns)
        bound->least_ns = received_ns - sent_ns;
    return 0;
}

/* The width of what is known of the offset between two ranks, and its middle
 * (receiver's offset minus sender's); INFINITY if only one direction is known. */
static double pair_width(const struct mpg_clock_bounds *b, const struct bound *forth,
                         double *middle_ns)
{
    uint64_t *slot = mpg_map_find(&b->index, (uint64_t)forth->receiver, (uint64_t)forth->sender);
    if (!slot)
        return INFINITY;
    double back_ns = b->bounds[*slot - 1].least_ns;
    *middle_ns = (back_ns - forth->least_ns) / 2;
    return back_ns + forth->least_ns;
}

/* Grows a tree from rank 0, always over the narrowest interval (Prim). */
int mpg_clock_map_bound(struct mpg_clock_map *map, const struct mpg_clock_bounds *b,
                        struct mpg_error *err)
{
    bool *known = calloc((size_t)map->ranks, sizeof *known);
    double *offset = calloc((size_t)map->ranks, sizeof *offset);
    int status = 1;
    if (!known || !offset) {
        status = mpg_error_set(err, "out of memory");
        goto out;
    }
    known[0] = true;
    for (int32_t n = 1; n < map->ranks; n++) {
        const struct bound *best = NULL;
        double best_width = INFINITY, best_middle = 0, middle = 0;
        for (size_t i = 0; i < b->count; i++) {
            const struct bound *forth = &b->bounds[i];
            if (!known[forth->sender] || known[forth->receiver])
                continue;
            double width = pair_width(b, forth, &middle);
            if (width < best_width) {
                best = forth;
                best_width = width;
                best_middle = middle;
            }
        }
        if (!best || best_width < 0) {
            status = 0;
            goto out;
        }
        known[best->receiver] = true;
        offset[best->receiver] = offset[best->sender] + best_middle;
    }
    for (size_t i = 0; i < b->count; i++)
        if (offset[b->bounds[i].sender] - offset[b->bounds[i].receiver] >
            b->bounds[i].least_ns + 1e-3)
            status = 0;
    for (int32_t r = 0; status == 1 && r < map->ranks; r++)
        map->rank[r].constant_ns = offset[r];
    if (status == 1)
        map->source = MPG_CLOCK_BOUNDED;
out:
    free(known);
    free(offset);
    return status;
}

void mpg_clock_map_offsets(const struct mpg_clock_map *map, double *offsets)
{
    for (int32_t r = 0; r < map->ranks; r++)
        offsets[r] = map->rank[r].constant_ns;
}

void mpg_clock_map_take_offsets(struct mpg_clock_map *map, const double *offsets)
{
    for (int32_t r = 0; r < map->ranks; r++)
        map->rank[r].constant_ns = offsets[r];
    map->source = MPG_CLOCK_BOUNDED;
}
