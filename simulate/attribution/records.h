/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trail.c records between two of its walks. Private to simulate/attribution/. */
#ifndef MPG_WHERE_RECORDS_H
#define MPG_WHERE_RECORDS_H

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/reserve.h"
#include "simulate/attribution/attribution.h"

enum { MPG_PROVENANCE_TERMS = MPG_ATTRIBUTION_TERMS - MPG_CRITICAL_COMPUTATION };

/* Where a value comes from in some lanes. */
struct mpg_provenance_choice {
    uint32_t from, between, bits, value; /* bits, value: where its lanes, and its terms are, one after the other */
    uint16_t flags; /* which terms it has */
    uint8_t part;
};

/* A value: its choices one after the other, terms that differ likewise, a vector each. */
struct mpg_provenance_record {
    uint32_t to, place, choice, value;
    uint32_t choices;
    uint16_t flags;
    uint8_t part;
    bool begins; /* a call */
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

/* A new last one, its number into *NUMBER; NULL: out of memory. The same of those below: N values; N words that are 0. */
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
