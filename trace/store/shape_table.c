/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/store/shape_table.h"

#include <stdlib.h>

enum { WORDS = sizeof(struct mpg_shape) / sizeof(uint32_t) };
_Static_assert(sizeof(struct mpg_shape) % sizeof(uint64_t) == 0 && MPG_SHAPE_SITE % 2 == 0, "a shape consists of pairs of words");
_Static_assert(MPG_MAX_SHAPES <= UINT16_MAX, "a pattern for each shape");

/* Makes room for one more item of SIZE bytes in the array at ITEMS (the address of its pointer), which has N of *CAPACITY items.
 * Begins with few items, because most ranks have few shapes, and a trace can have 65 536 ranks. Returns 0, or -1: out of
 * memory. */
static int grow(void *items, size_t n, size_t *capacity, size_t size, struct mpg_error *err)
{
    enum { MIN_ITEMS = 4 };
    void *array;
    if (n < *capacity)
        return 0;
    memcpy(&array, items, sizeof array);
    const size_t more = *capacity ? 2 * *capacity : MIN_ITEMS;
    if (!(array = realloc(array, more * size)))
        return mpg_error_set(err, "out of memory");
    memcpy(items, &array, sizeof array);
    *capacity = more;
    return 0;
}

/* Returns the words I and I + 1 of SHAPE as one number. */
static uint64_t two_words(const struct mpg_shape *shape, uint32_t i)
{
    uint64_t words;
    memcpy(&words, (const char *)shape + i * sizeof(uint32_t), sizeof words);
    return words;
}

static uint32_t word(const struct mpg_shape *shape, uint32_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)shape + i * sizeof value, sizeof value);
    return value;
}

/* Sets S to the changes from pattern P to SHAPE. Returns false: too many words differ, or call and flags do. Compares two words
 * at once, because most are equal. */
static bool shorten(const struct mpg_shape_pattern *p, const struct mpg_shape *shape, struct mpg_short_shape *s)
{
    const struct mpg_shape *was = &p->shape;
    uint32_t n = 0;
    if (was->call != shape->call || was->flags != shape->flags)
        return false;
    for (uint32_t i = MPG_SHAPE_SITE; i < WORDS; i += 2) {
        if (two_words(was, i) == two_words(shape, i))
            continue;
        for (uint32_t j = i; j < i + 2; j++) {
            if (word(was, j) == word(shape, j))
                continue;
            if (n == MPG_SHAPE_CHANGES)
                return false;
            s->at[n] = (uint8_t)j;
            s->word[n++] = word(shape, j);
        }
    }
    for (; n > 0 && n < MPG_SHAPE_CHANGES; n++) { /* repeats the first change, so that each change has a word */
        s->at[n] = s->at[0];
        s->word[n] = s->word[0];
    }
    return true;
}

/* Sets S to a new pattern equal to SHAPE. Returns 0, or -1: out of memory. */
static int add_pattern(struct mpg_shape_table *t, const struct mpg_shape *shape, struct mpg_short_shape *s, struct mpg_error *err)
{
    size_t i = t->pattern_number;
    if (t->unused) {
        i = t->unused - 1;
        t->unused = t->patterns[i].users;
    } else if (grow(&t->patterns, i, &t->pattern_capacity, sizeof *t->patterns, err) < 0)
        return -1;
    else
        t->pattern_number++;
    t->patterns[i] = (struct mpg_shape_pattern){.shape = *shape};
    *s = (struct mpg_short_shape){.pattern = (uint16_t)i};
    return 0;
}

/* Takes one user from the pattern of S. */
static void leave_pattern(struct mpg_shape_table *t, const struct mpg_short_shape *s)
{
    struct mpg_shape_pattern *p = &t->patterns[s->pattern];
    if (--p->users > 0)
        return;
    p->users = t->unused;
    t->unused = s->pattern + 1u;
}

int mpg_shape_table_add(struct mpg_shape_table *t, const struct mpg_shape *shape, uint32_t like, struct mpg_error *err)
{
    const size_t number = t->total % MPG_MAX_SHAPES;
    struct mpg_short_shape s = {.pattern = like < MPG_MAX_SHAPES ? t->shapes[like].pattern : 0};
    if (t->total < MPG_MAX_SHAPES && grow(&t->shapes, number, &t->capacity, sizeof *t->shapes, err) < 0)
        return -1;
    if ((like == MPG_MAX_SHAPES || !shorten(&t->patterns[s.pattern], shape, &s)) && add_pattern(t, shape, &s, err) < 0)
        return -1;
    t->patterns[s.pattern].users++;
    if (t->total >= MPG_MAX_SHAPES)
        leave_pattern(t, &t->shapes[number]);
    t->shapes[number] = s;
    t->total++;
    return 0;
}

void mpg_shape_table_clear(struct mpg_shape_table *t)
{
    free(t->shapes);
    free(t->patterns);
    *t = (struct mpg_shape_table){0};
}
