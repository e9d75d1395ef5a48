/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts clock offsets in ticks to offsets, in ns, of each rank's clock to rank 0's. */
#include "trace/otf2/clocks.h"

#include <stdio.h>
#include <stdlib.h>

bool mpg_otf2_clock_add(struct otf2_clock *c, uint64_t time, int64_t offset)
{
    if (c->n == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 4;
        void *grown = realloc(c->at, capacity * sizeof *c->at);
        if (!grown)
            return false;
        c->at = grown;
        c->capacity = capacity;
    }
    c->at[c->n++] = (struct otf2_offset){time, offset};
    return true;
}

bool mpg_otf2_has_offsets(const struct otf2_clocks *c)
{
    for (int32_t r = 0; r < c->ranks; r++)
        for (size_t i = 0; i < c->clock[r].n; i++)
            if (c->clock[r].at[i].offset != 0)
                return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct otf2_offset *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* Returns the duration TICKS in ns, rounded down, limited to +-INT64_MAX / 4. */
static int64_t ns_of(const struct otf2_clocks *c, __int128 ticks)
{
    enum { MAX_SECONDS = 2000000000 };
    const uint64_t most = 10000000000; /* ticks a second, a billion times of which fit into 64 bits */
    if (ticks >= 0 && ticks <= INT64_MAX && c->resolution <= most && (uint64_t)ticks / c->resolution < MAX_SECONDS)
        return (int64_t)((uint64_t)ticks / c->resolution * 1000000000 +
                         (uint64_t)ticks % c->resolution * 1000000000 / c->resolution);
    const __int128 scaled = ticks * 1000000000, resolution = (__int128)c->resolution;
    const __int128 ns = scaled / resolution - (scaled % resolution < 0);
    const __int128 limit = INT64_MAX / 4;
    return (int64_t)(ns > limit ? limit : ns < -limit ? -limit : ns);
}

static int64_t time_ns(const struct otf2_clocks *c, uint64_t ticks)
{
    return ns_of(c, (__int128)ticks - (__int128)c->origin);
}

/* Returns the offset of CLOCK at the clock's time AT_NS, ns: interpolated between measured offsets; before the first and after
 * the last offset, extrapolated from the two nearest. */
static int64_t offset_at(const struct otf2_clocks *c, const struct otf2_clock *clock, int64_t at_ns)
{
    if (clock->n == 0)
        return 0;
    if (clock->n == 1)
        return ns_of(c, clock->at[0].offset);
    size_t i = 1;
    while (i + 1 < clock->n && time_ns(c, clock->at[i].time) < at_ns)
        i++;
    const struct otf2_offset *a = &clock->at[i - 1], *b = &clock->at[i];
    const __int128 begin = time_ns(c, a->time), length = time_ns(c, b->time) - begin;
    const __int128 from = ns_of(c, a->offset), change = ns_of(c, b->offset) - from;
    return (int64_t)(length == 0 ? from : from + change * (at_ns - begin) / length);
}

/* Returns the offset of rank 0's clock to RANK's clock, ns, at the time AT_NS of RANK's clock. */
static int64_t to_first(const struct otf2_clocks *c, int32_t rank, int64_t at_ns)
{
    const int64_t common_ns = at_ns + offset_at(c, &c->clock[rank], at_ns);
    int64_t first_ns = common_ns - offset_at(c, &c->clock[0], common_ns);
    first_ns = common_ns - offset_at(c, &c->clock[0], first_ns);
    return first_ns - at_ns;
}

static int write_point(const struct otf2_clocks *c, struct mpg_build *b, int32_t rank, int64_t at_ns, int64_t *last_ns,
                       struct mpg_error *err)
{
    char value[64];
    if (at_ns <= *last_ns)
        return 0;
    *last_ns = at_ns;
    snprintf(value, sizeof value, "%lld %lld", (long long)at_ns, (long long)to_first(c, rank, at_ns));
    return mpg_build_fact(b, rank, "clock", value, err);
}

static int write_rank(const struct otf2_clocks *c, struct mpg_build *b, int32_t rank, struct mpg_error *err)
{
    const struct otf2_clock *clock = &c->clock[rank];
    int64_t last_ns = INT64_MIN;
    if (clock->n > 1 && c->first_ns[rank] < time_ns(c, clock->at[0].time) &&
        write_point(c, b, rank, c->first_ns[rank], &last_ns, err) < 0)
        return -1;
    for (size_t i = 0; i < clock->n; i++)
        if (write_point(c, b, rank, time_ns(c, clock->at[i].time), &last_ns, err) < 0)
            return -1;
    return clock->n > 1 ? write_point(c, b, rank, c->last_ns[rank], &last_ns, err) : 0;
}

int mpg_otf2_write_clocks(struct otf2_clocks *c, struct mpg_build *b, const char **words, struct mpg_error *err)
{
    bool measured = true, zero = true;
    for (int32_t r = 0; r < c->ranks; r++) {
        struct otf2_clock *clock = &c->clock[r];
        if (clock->n > 1)
            qsort(clock->at, clock->n, sizeof *clock->at, compare);
        measured = measured && (clock->n > 0 || r == 0);
        for (size_t i = 0; i < clock->n; i++)
            zero = zero && clock->at[i].offset == 0;
    }
    *words = "unknown";
    if (zero && (measured || c->is_one_host)) {
        *words = measured ? "shared" : "shared (no offsets, one host)";
        return mpg_build_fact(b, -1, "clocks", "shared", err);
    }
    if (!measured)
        return 0;
    *words = "measured";
    for (int32_t r = 0; r < c->ranks; r++)
        if (write_rank(c, b, r, err) < 0)
            return -1;
    return 0;
}
