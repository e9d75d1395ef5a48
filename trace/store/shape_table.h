/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shapes of a stream, as the decoder holds them. A rank that exchanges messages with thousands of ranks has thousands of
 * shapes. Most of them differ from another shape of the same call in one or two numbers: the peer and the size. Such shapes
 * share a pattern, and take 12 bytes. Private to trace/. */
#ifndef MPG_SHAPE_TABLE_H
#define MPG_SHAPE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/error.h"
#include "trace/shape.h"

/* A shape that is equal to a pattern, except in up to MPG_SHAPE_CHANGES words of 32 bits. */
enum { MPG_SHAPE_CHANGES = 2, MPG_SHAPE_SITE = offsetof(struct mpg_shape, site) / sizeof(uint32_t) };
struct mpg_short_shape {
    uint16_t pattern;                 /* index of the pattern */
    uint8_t at[MPG_SHAPE_CHANGES];    /* index of each changed word in struct mpg_shape; at[0] is 0: no word is changed */
    uint32_t word[MPG_SHAPE_CHANGES]; /* values of the changed words */
};

struct mpg_shape_pattern {
    struct mpg_shape shape;
    uint32_t users; /* number of shapes with this pattern; of an unused pattern, 1 + index of the next unused pattern, or 0 */
};

/* Zero-initialised: no shapes. */
struct mpg_shape_table {
    struct mpg_short_shape *shapes;
    struct mpg_shape_pattern *patterns;
    size_t capacity, pattern_number, pattern_capacity;
    uint64_t total;  /* number of shapes so far; shape i is stored at index i modulo MPG_MAX_SHAPES */
    uint32_t unused; /* 1 + index of the first unused pattern; 0: none */
};

/* Adds SHAPE, with number TOTAL modulo MPG_MAX_SHAPES, and replaces an earlier shape with this number. LIKE: number of an
 * existing shape of the same call, whose pattern SHAPE may share; MPG_MAX_SHAPES: none. Returns 0, or -1: out of memory. */
int mpg_shape_table_add(struct mpg_shape_table *table, const struct mpg_shape *shape, uint32_t like, struct mpg_error *err);
void mpg_shape_table_clear(struct mpg_shape_table *table);

static inline const struct mpg_shape *mpg_shape_pattern_of(const struct mpg_shape_table *table, const struct mpg_short_shape *s)
{
    return &table->patterns[s->pattern].shape;
}

/* Changes the words of S in the fields from *SITE on, which have the values of the pattern. *SITE belongs to a shape, or to an
 * event, which has equal fields in equal order. */
static inline void mpg_shape_change(const struct mpg_short_shape *s, int32_t *site)
{
    if (s->at[0] == 0)
        return;
    for (int i = 0; i < MPG_SHAPE_CHANGES; i++)
        memcpy((char *)site + (s->at[i] - MPG_SHAPE_SITE) * sizeof s->word[i], &s->word[i], sizeof s->word[i]);
}

#endif
