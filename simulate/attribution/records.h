/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of one window of back-tracking (backtrack.c). Private to simulate/attribution/. */
#ifndef MPG_ATTRIBUTION_RECORDS_H
#define MPG_ATTRIBUTION_RECORDS_H

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/reserve.h"
#include "simulate/attribution/attribution.h"

enum { MPG_PROVENANCE_TERMS = MPG_ATTRIBUTION_TERMS - MPG_CRITICAL_COMPUTATION };

/* An origin of a value, in some lanes. */
struct mpg_provenance_choice {
    uint32_t from, between, bits, value; /* bits, value: indices, in struct mpg_records, of the lanes' words and of the terms */
    uint16_t flags; /* one bit for each term */
    uint8_t part;
};

/* A new value. The value's origins are consecutive from index CHOICE; the vectors of terms differing between lanes are
 * consecutive from index VALUE. */
struct mpg_provenance_record {
    uint32_t to, place, choice, value;
    uint32_t choices;
    uint16_t flags;
    uint8_t part;
    bool begins; /* the value is the begin of a call */
};

/* Zero-initialised is empty. */
struct mpg_records {
    struct mpg_provenance_record *record;
    struct mpg_provenance_choice *choice;
    uint64_t *bits;
    double *value;
    uint32_t records, choices, words, values;
    uint32_t record_capacity, choice_capacity, bits_capacity, value_capacity;
};

static inline void mpg_records_clear(struct mpg_records *s)
{
    free(s->record);
    free(s->choice);
    free(s->bits);
    free(s->value);
}

/* Append a record, an origin, N values, or N words, all 0; *NUMBER: index of the first appended element. NULL: out of memory. */
static inline struct mpg_provenance_record *mpg_records_add(struct mpg_records *s, uint32_t *number)
{
    struct mpg_error err;
    if (s->records == s->record_capacity &&
        mpg_reserve_at(&s->record, sizeof *s->record, &s->record_capacity, s->records + 1, &err) < 0)
        return NULL;
    *number = s->records;
    return &s->record[s->records++];
}

static inline struct mpg_provenance_choice *mpg_records_choose(struct mpg_records *s, uint32_t *number)
{
    struct mpg_error err;
    if (s->choices == s->choice_capacity &&
        mpg_reserve_at(&s->choice, sizeof *s->choice, &s->choice_capacity, s->choices + 1, &err) < 0)
        return NULL;
    *number = s->choices;
    return &s->choice[s->choices++];
}

static inline double *mpg_records_values(struct mpg_records *s, uint32_t n)
{
    struct mpg_error err;
    if (s->values + n > s->value_capacity &&
        mpg_reserve_at(&s->value, sizeof *s->value, &s->value_capacity, s->values + n, &err) < 0)
        return NULL;
    s->values += n;
    return s->value + s->values - n;
}

static inline uint64_t *mpg_records_bits(struct mpg_records *s, uint32_t n, uint32_t *number)
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
