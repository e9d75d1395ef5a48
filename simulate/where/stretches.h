/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trail.c records, stretch by stretch: those that take too much memory are in a temporary file. Private to trail.c. */
#ifndef MPG_WHERE_STRETCHES_H
#define MPG_WHERE_STRETCHES_H

#include "common/error.h"
#include "common/reserve.h"
#include "simulate/where/where.h"

enum { MPG_TRAIL_TERMS = MPG_WHERE_TERMS - MPG_WHERE_COMPUTATION };

/* Where a value comes from in some lanes. */
struct mpg_trail_choice {
    uint32_t from, between, bits, value; /* bits, value: where its lanes, and its terms are, one after the other */
    uint16_t flags; /* which terms it has */
    uint8_t part;
};

/* A value: its choices one after the other, terms that differ likewise, a vector each. */
struct mpg_trail_record {
    uint32_t to, place, choice, value;
    uint32_t choices;
    uint16_t flags;
    uint8_t part;
};

struct mpg_stretch {
    struct mpg_trail_record *record;
    struct mpg_trail_choice *choice;
    uint64_t *bits;
    double *value;
    uint32_t records, choices, words, values;
    uint32_t record_capacity, choice_capacity, bits_capacity, value_capacity;
    uint32_t *column, columns; /* of lanes: where each is in a vector of so many; NULL: all are there, in their order */
    uint64_t at; /* in the file, bytes */
    bool is_away; /* there, not in memory */
};

struct mpg_stretches;

/* NULL: out of memory. */
struct mpg_stretches *mpg_stretches_new(void);
void mpg_stretches_free(struct mpg_stretches *stretches);
struct mpg_stretch *mpg_stretches_newest(struct mpg_stretches *stretches);
/* Begins a new one. Errors: out of memory; the file's. */
int mpg_stretches_cut(struct mpg_stretches *stretches, struct mpg_error *err);
/* How many have ended: 0 .. end - 1. */
uint32_t mpg_stretches_end(const struct mpg_stretches *stretches);
/* Number I, which is not dropped, with its VALUES, or perhaps without; valid until the next is asked for. NULL with ERR. */
const struct mpg_stretch *mpg_stretches_get(struct mpg_stretches *stretches, uint32_t i, bool values, struct mpg_error *err);
/* All before I are not needed any more. */
void mpg_stretches_drop(struct mpg_stretches *stretches, uint32_t i);
/* Lane W of N is not needed any more before stretch BEGIN[W]: where that leaves half of the lanes, or less, vectors become as
 * short. Without memory for that they stay. */
void mpg_stretches_narrow(struct mpg_stretches *stretches, const uint32_t *begin, uint32_t n);
void mpg_stretches_held(const struct mpg_stretches *stretches, uint64_t *memory, uint64_t *file);

/* Value of a vector of lane W at VALUES. */
static inline double mpg_stretch_value(const struct mpg_stretch *s, const double *values, uint32_t w)
{
    return values[s->column ? s->column[w] : w];
}

/* A new last one, its number into *NUMBER; NULL: out of memory. The same of those below: N values; N words that are 0. */
static inline struct mpg_trail_record *mpg_stretch_add(struct mpg_stretch *s, uint32_t *number)
{
    struct mpg_error err;
    if (s->records == s->record_capacity &&
        mpg_reserve_at(&s->record, sizeof *s->record, &s->record_capacity, s->records + 1, &err) < 0)
        return NULL;
    *number = s->records;
    return &s->record[s->records++];
}

static inline struct mpg_trail_choice *mpg_stretch_choose(struct mpg_stretch *s, uint32_t *number)
{
    struct mpg_error err;
    if (s->choices == s->choice_capacity &&
        mpg_reserve_at(&s->choice, sizeof *s->choice, &s->choice_capacity, s->choices + 1, &err) < 0)
        return NULL;
    *number = s->choices;
    return &s->choice[s->choices++];
}

static inline double *mpg_stretch_values(struct mpg_stretch *s, uint32_t n)
{
    struct mpg_error err;
    if (s->values + n > s->value_capacity &&
        mpg_reserve_at(&s->value, sizeof *s->value, &s->value_capacity, s->values + n, &err) < 0)
        return NULL;
    s->values += n;
    return s->value + s->values - n;
}

static inline uint64_t *mpg_stretch_bits(struct mpg_stretch *s, uint32_t n, uint32_t *number)
{
    struct mpg_error err;
    if (s->words + n > s->bits_capacity &&
        mpg_reserve_at(&s->bits, sizeof *s->bits, &s->bits_capacity, s->words + n, &err) < 0)
        return NULL;
    *number = s->words;
    s->words += n;
    memset(s->bits + s->words - n, 0, n * sizeof *s->bits);
    return s->bits + s->words - n;
}

#endif
