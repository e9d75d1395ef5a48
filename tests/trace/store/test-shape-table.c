/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoder's table of shapes (TAP): gives back each shape, before and after numbers wrap around, and shapes that differ in two
 * words at most share patterns. */
#include <stdint.h>
#include <string.h>

#include "tests/tap.h"
#include "trace/store/shape_table.h"

enum { SHAPES = 5 * MPG_MAX_SHAPES + 77 };

/* Returns shape I of a stream: some repeat all but peer and size, some change in many fields, and calls alternate. */
static struct mpg_shape shape_of(uint32_t i)
{
    const uint32_t random = i * 2654435761u;
    struct mpg_shape s = {.call = i % 3, .flags = i % 7 == 0, .comm = 2, .to = (int32_t)i, .bytes = (int64_t)(random >> 20) + 8};
    if (random % 5 == 0)
        s.bytes = -s.bytes;
    if (random % 11 == 0) {
        s.site = (int32_t)(random >> 8);
        s.tag = (int32_t)(random >> 12);
        s.request_number = i;
        s.recvbytes = (int64_t)random << 20;
    }
    return s;
}

static bool is_equal(const struct mpg_shape_table *t, uint32_t number, const struct mpg_shape *shape)
{
    const struct mpg_short_shape *s = &t->shapes[number];
    struct mpg_shape whole = *mpg_shape_pattern_of(t, s);
    mpg_shape_change(s, &whole.site);
    return memcmp(&whole, shape, sizeof whole) == 0;
}

/* Returns whether the table T, which has SHAPES shapes, holds the last MPG_MAX_SHAPES shapes. */
static bool holds_last(const struct mpg_shape_table *t, uint32_t shapes)
{
    for (uint32_t i = shapes > MPG_MAX_SHAPES ? shapes - MPG_MAX_SHAPES : 0; i < shapes; i++) {
        const struct mpg_shape shape = shape_of(i);
        if (!is_equal(t, i % MPG_MAX_SHAPES, &shape))
            return false;
    }
    return true;
}

/* Adds shapes FIRST .. END-1. Each is like the last shape of the same call. */
static bool add(struct mpg_shape_table *t, uint32_t first, uint32_t end)
{
    struct mpg_error err;
    for (uint32_t i = first; i < end; i++) {
        const struct mpg_shape shape = shape_of(i);
        if (mpg_shape_table_add(t, &shape, i < 3 ? MPG_MAX_SHAPES : (i - 3) % MPG_MAX_SHAPES, &err) < 0)
            return false;
    }
    return true;
}

int main(void)
{
    struct mpg_shape_table t = {0};
    ok(add(&t, 0, MPG_MAX_SHAPES) && holds_last(&t, MPG_MAX_SHAPES), "all shapes before numbers wrap around");
    ok(add(&t, MPG_MAX_SHAPES, SHAPES) && holds_last(&t, SHAPES), "the last shapes after numbers wrap around");
    ok(t.pattern_number <= MPG_MAX_SHAPES + 1, "unused patterns are used again");
    mpg_shape_table_clear(&t);

    struct mpg_error err;
    struct mpg_shape shape = {.call = 1, .comm = 1};
    bool added = true;
    for (uint32_t i = 0; i < MPG_MAX_SHAPES; i++) {
        shape.to = (int32_t)i;
        shape.bytes = (int64_t)i * 100;
        added = added && mpg_shape_table_add(&t, &shape, i ? i - 1 : MPG_MAX_SHAPES, &err) == 0;
    }
    ok(added && t.pattern_number == 1 && is_equal(&t, MPG_MAX_SHAPES - 1, &shape),
       "one pattern for all peers and sizes of a call");
    mpg_shape_table_clear(&t);
    return done();
}
