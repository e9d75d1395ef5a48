/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aligns the clocks of ranks: one shared clock, measured offsets, or offsets bounded by messages. */
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>

#include "common/map.h"

struct point {
    int64_t time_ns, offset_ns;
};

struct rank_clock {
    int64_t first_ns;  /* enter of the rank's first call, on the rank's own clock; only of rank 0, or if SOURCE is NONE or
                        * BOUNDED */
    size_t points;
    struct point *point;
    double constant_ns; /* offset of the rank's clock, for times counted from first_ns; only if SOURCE is NONE or BOUNDED */
};

struct mpg_clock_map {
    enum mpg_clock_source source;
    int32_t ranks;
    int64_t origin_ns; /* enter of rank 0's first call, on rank 0's clock */
    struct rank_clock *rank;
};

static int read_points(const struct mpg_trace *t, int32_t r, struct rank_clock *c,
                       struct mpg_error *err)
{
    int64_t time_ns, offset_ns;
    while (mpg_trace_clock(t, r, c->points, &time_ns, &offset_ns)) {
        if ((c->points & (c->points - 1)) == 0) { /* the array is full: its capacity is always a power of two */
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
        const bool needs_first = r == 0 || map->source == MPG_CLOCK_NONE;
        if ((needs_first && read_first(t, r, &c->first_ns, err) < 0) ||
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

/* Returns the clock's offset at TIME_NS as *WHOLE_NS plus the result, ns: linear between measured points, constant before
 * the first and after the last. */
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
    size_t low = 0, high = c->points - 1; /* TIME_NS is in the interval [LOW, HIGH) of points */
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

bool mpg_clock_map_is_shared(const struct mpg_clock_map *map, int64_t *origin_ns)
{
    *origin_ns = map->origin_ns;
    return map->source == MPG_CLOCK_SHARED;
}

/* MIN_NS: minimum, over all messages of SENDER to RECEIVER, of receive time minus send time on the uncorrected clocks.
 * This is an upper bound of offset(sender) - offset(receiver). */
struct bound {
    int32_t sender, receiver;
    double min_ns;
};

struct mpg_clock_bounds {
    int32_t ranks;
    struct mpg_map index; /* (sender, receiver) -> 1 + index in BOUNDS */
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
    if (received_ns - sent_ns < bound->min_ns)
        bound->min_ns = received_ns - sent_ns;
    return 0;
}

/* Messages in both directions bound the receiver's offset minus the sender's to an interval. Returns the interval's width, ns,
 * and the middle in *MIDDLE_NS; INFINITY: there are messages in one direction only. */
static double pair_width(const struct mpg_clock_bounds *b, const struct bound *forth,
                         double *middle_ns)
{
    uint64_t *slot = mpg_map_find(&b->index, (uint64_t)forth->receiver, (uint64_t)forth->sender);
    if (!slot)
        return INFINITY;
    double back_ns = b->bounds[*slot - 1].min_ns;
    *middle_ns = (back_ns - forth->min_ns) / 2;
    return back_ns + forth->min_ns;
}

/* Heap of intervals that bound clock offsets, each between a rank of known offset and another rank. The narrowest interval
 * comes first; among equal widths the pair of ranks that was seen first. */
struct interval_heap {
    size_t count;
    struct offset_interval {
        double width_ns, middle_ns;
        size_t bound;
    } *offset_interval;
    size_t *of_rank, *next; /* for each sender a linked list of the sender's entries in `bounds`: index + 1; 0: the end */
};

static bool is_narrower(const struct offset_interval *a, const struct offset_interval *b)
{
    return a->width_ns != b->width_ns ? a->width_ns < b->width_ns : a->bound < b->bound;
}

static void push_interval(struct interval_heap *w, struct offset_interval offset_interval)
{
    size_t i = w->count++;
    for (; i > 0 && is_narrower(&offset_interval, &w->offset_interval[(i - 1) / 2]); i = (i - 1) / 2)
        w->offset_interval[i] = w->offset_interval[(i - 1) / 2];
    w->offset_interval[i] = offset_interval;
}

static struct offset_interval pop_interval(struct interval_heap *w)
{
    const struct offset_interval top = w->offset_interval[0], last = w->offset_interval[--w->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < w->count; i = child) {
        if (child + 1 < w->count && is_narrower(&w->offset_interval[child + 1], &w->offset_interval[child]))
            child++;
        if (!is_narrower(&w->offset_interval[child], &last))
            break;
        w->offset_interval[i] = w->offset_interval[child];
    }
    w->offset_interval[i] = last;
    return top;
}

/* Adds the intervals between RANK, whose offset is now known, and all receivers of RANK's messages. */
static void push_intervals(struct interval_heap *w, const struct mpg_clock_bounds *b, int32_t rank)
{
    for (size_t i = w->of_rank[rank]; i > 0; i = w->next[i - 1]) {
        struct offset_interval offset_interval = {.bound = i - 1};
        offset_interval.width_ns = pair_width(b, &b->bounds[i - 1], &offset_interval.middle_ns);
        if (offset_interval.width_ns < INFINITY)
            push_interval(w, offset_interval);
    }
}

static int begin_intervals(struct interval_heap *w, const struct mpg_clock_bounds *b, int32_t ranks)
{
    w->offset_interval = malloc((b->count + 1) * sizeof *w->offset_interval);
    w->of_rank = calloc((size_t)ranks, sizeof *w->of_rank);
    w->next = malloc((b->count + 1) * sizeof *w->next);
    if (!w->offset_interval || !w->of_rank || !w->next)
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        size_t *first = &w->of_rank[b->bounds[i].sender];
        w->next[i] = *first;
        *first = i + 1;
    }
    return 0;
}

/* Finds the offsets of all ranks to rank 0 along a minimum spanning tree of the interval widths (Prim). Returns 1 and
 * fills OFFSET, ns; 0 if messages do not connect all ranks, or if an interval is empty. */
static int grow_tree(const struct mpg_clock_bounds *b, int32_t ranks, struct interval_heap *w, bool *known,
                     double *offset)
{
    int32_t n = 1;
    known[0] = true;
    push_intervals(w, b, 0);
    while (n < ranks && w->count > 0) {
        const struct offset_interval best = pop_interval(w);
        const struct bound *forth = &b->bounds[best.bound];
        if (known[forth->receiver])
            continue;
        if (best.width_ns < 0)
            return 0;
        known[forth->receiver] = true;
        offset[forth->receiver] = offset[forth->sender] + best.middle_ns;
        push_intervals(w, b, forth->receiver);
        n++;
    }
    return n == ranks;
}

int mpg_clock_map_bound(struct mpg_clock_map *map, const struct mpg_clock_bounds *b,
                        struct mpg_error *err)
{
    bool *known = calloc((size_t)map->ranks, sizeof *known);
    double *offset = calloc((size_t)map->ranks, sizeof *offset);
    struct interval_heap interval_heap = {0};
    int status = known && offset && begin_intervals(&interval_heap, b, map->ranks) == 0
                     ? grow_tree(b, map->ranks, &interval_heap, known, offset)
                     : mpg_error_set(err, "out of memory");
    for (size_t i = 0; status == 1 && i < b->count; i++)
        if (offset[b->bounds[i].sender] - offset[b->bounds[i].receiver] >
            b->bounds[i].min_ns + 1e-3)
            status = 0;
    if (status == 1)
        mpg_clock_map_take_offsets(map, offset);
    free(interval_heap.offset_interval);
    free(interval_heap.of_rank);
    free(interval_heap.next);
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

int mpg_clock_bounds_take(void *bounds, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t k = 0; k < steps->n; k++) {
        const struct mpg_step *s = &steps->step[k];
        for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++) {
            const struct mpg_edge *e = &s->edges[i];
            if (e->kind == MPG_EDGE_ARRIVAL && e->source != s->rank &&
                mpg_clock_bounds_add(bounds, e->source, s->rank, e->sent_ns, s->leave_ns, err) < 0)
                return -1;
        }
    }
    return 0;
}
