/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records provenance, and marks readable values. */
#include "simulate/attribution/provenance_private.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/attribution/lane_sums.h"

void mpg_provenance_fail(struct mpg_provenance *t)
{
    t->failed = true;
    mpg_error_set(&t->err, "out of memory for critical paths");
}

struct mpg_provenance *mpg_provenance_new(struct mpg_tally *tally, struct mpg_critical *path, struct mpg_error *err)
{
    struct mpg_provenance *t = calloc(1, sizeof *t);
    if (!t)
        goto fail;
    t->tally = tally;
    t->path = path;
    t->n = tally->n;
    t->words = mpg_provenance_words(t->n);
    t->lanes = calloc(t->words, sizeof *t->lanes);
    t->here = calloc(t->words, sizeof *t->here);
    t->root = calloc(t->n, sizeof *t->root);
    t->path_ns = calloc(t->n, sizeof *t->path_ns);
    t->branches = mpg_branches_new();
    if (!t->lanes || !t->here || !t->root || !t->path_ns || !t->branches)
        goto fail;
    for (uint32_t w = 0; w < t->n; w++)
        t->lanes[w / 64] |= UINT64_C(1) << w % 64;
    return t;
fail:
    mpg_provenance_free(t);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_provenance_free(struct mpg_provenance *t)
{
    if (!t)
        return;
    free(t->lanes);
    free(t->here);
    free(t->root);
    free(t->path_ns);
    free(t->parts);
    for (enum kind kind = OF_STREAMS; kind < KINDS; kind++) {
        free(t->mark[kind]);
        free(t->branch[kind]);
    }
    free(t->leaves.leaf);
    free(t->next.leaf);
    mpg_records_clear(&t->old);
    mpg_records_clear(&t->recent);
    mpg_branches_free(t->branches);
    free(t);
}

/* --- parts of slots --- */

void mpg_provenance_renew(struct mpg_provenance *t, uint32_t slot)
{
    if (slot < t->parts_capacity)
        t->parts[slot] = 0;
}

bool mpg_provenance_has(const struct mpg_provenance *t, uint32_t slot, enum mpg_value_part part)
{
    return slot < t->parts_capacity && (t->parts[slot] >> part_number(part) & 1);
}

static void note_part(struct mpg_provenance *t, struct mpg_value v)
{
    struct mpg_error err;
    if (kind_of(v.part) != OF_SLOTS)
        return;
    if (v.number >= t->parts_capacity &&
        mpg_reserve_at(&t->parts, sizeof *t->parts, &t->parts_capacity, v.number + 1, &err) < 0) {
        mpg_provenance_fail(t);
        return;
    }
    t->parts[v.number] |= (uint8_t)(1u << part_number(v.part));
}

/* --- recording --- */

/* Returns the origin of record R in the first lane. */
static const struct mpg_provenance_choice *first_choice(const struct mpg_provenance *t, const struct mpg_provenance_record *r)
{
    const struct mpg_records *s = &t->recent;
    const struct mpg_provenance_choice *of = &s->choice[r->choice];
    for (uint32_t i = 1; i < r->choices; i++)
        if (s->bits[s->choice[r->choice + i].bits] & 1)
            of = &s->choice[r->choice + i];
    return of;
}

void mpg_provenance_spool(struct mpg_provenance *t)
{
    struct mpg_records *s = &t->recent;
    if (s->records == 0 || t->failed)
        return;
    const struct mpg_provenance_record *r = s->record;
    const struct mpg_provenance_choice *c = first_choice(t, r);
    const double *alike = s->value + c->value, *own = s->value + r->value;
    double term[MPG_ATTRIBUTION_TERMS] = {0};
    for (int k = 0; k < MPG_PROVENANCE_TERMS; k++) {
        term[MPG_CRITICAL_COMPUTATION + k] = c->flags >> k & 1 ? *alike++ : 0;
        term[MPG_CRITICAL_COMPUTATION + k] += r->flags >> k & 1 ? *own++ : 0;
    }
    const struct mpg_value to = {r->to, (enum mpg_value_part)r->part}, from = {c->from, (enum mpg_value_part)c->part};
    mpg_critical_add(t->path, to, from, r->place, r->begins, term);
    s->records = s->choices = s->values = s->words = 0;
}

void mpg_provenance_add(struct mpg_provenance *t, struct mpg_value to, uint32_t place)
{
    struct mpg_records *s = &t->recent;
    if (t->path)
        mpg_provenance_spool(t);
    note_part(t, to);
    struct mpg_provenance_record *r = t->failed ? NULL : mpg_records_add(s, &t->record);
    if (!r) {
        mpg_provenance_fail(t);
        return;
    }
    *r = (struct mpg_provenance_record){.to = to.number, .part = (uint8_t)to.part, .place = place, .choice = s->choices,
                                   .value = s->values};
}

void mpg_provenance_begins(struct mpg_provenance *t)
{
    if (!t->failed)
        t->recent.record[t->record].begins = true;
}

bool mpg_provenance_is_path(const struct mpg_provenance *t)
{
    return t->path != NULL;
}

/* Returns a bit for each of the terms, set if the term is not 0. */
static uint16_t flags_of(const double *terms)
{
    uint32_t flags = 0;
    for (int k = 0; k < MPG_PROVENANCE_TERMS && terms; k++)
        flags |= (uint32_t)(terms[MPG_CRITICAL_COMPUTATION + k] != 0) << k;
    return (uint16_t)flags;
}

uint64_t *mpg_provenance_from(struct mpg_provenance *t, struct mpg_value from, const double *terms, uint32_t between)
{
    struct mpg_records *s = &t->recent;
    struct mpg_provenance_choice *c = t->failed ? NULL : mpg_records_choose(s, &t->choice);
    const uint16_t flags = flags_of(terms);
    if (!c) {
        mpg_provenance_fail(t);
        return t->here;
    }
    *c = (struct mpg_provenance_choice){.from = from.number, .part = (uint8_t)from.part, .flags = flags, .between = between,
                                   .value = s->values};
    for (int k = 0; k < MPG_PROVENANCE_TERMS; k++)
        if (flags >> k & 1) {
            double *value = mpg_records_values(s, 1);
            if (!value) {
                mpg_provenance_fail(t);
                return t->here;
            }
            *value = terms[MPG_CRITICAL_COMPUTATION + k];
        }
    struct mpg_provenance_record *r = &s->record[t->record];
    if (r->choices++ == 0)
        return NULL;
    uint64_t *bits = mpg_records_bits(s, t->words, &s->choice[t->choice].bits);
    if (bits)
        return bits;
    mpg_provenance_fail(t);
    return t->here;
}

void mpg_provenance_add_from(struct mpg_provenance *t, struct mpg_value from, const double *terms, uint32_t between,
                        const uint64_t *bits)
{
    uint64_t *words = mpg_provenance_from(t, from, terms, between);
    if (words)
        memcpy(words, bits, t->words * sizeof *bits);
}

void mpg_provenance_add_one_of(struct mpg_provenance *t, struct mpg_value to, const double *numbers,
                          const uint32_t *slots)
{
    mpg_provenance_add(t, to, UINT32_MAX);
    for (uint32_t w = 0; w < t->n; w++) {
        bool known = false;
        for (uint32_t i = 0; i < w && !known; i++)
            known = numbers[i] == numbers[w];
        uint64_t *bits =
            known ? NULL : mpg_provenance_from(t, mpg_value_slot(slots[(size_t)numbers[w]], MPG_VALUE_TIME), NULL, UINT32_MAX);
        for (uint32_t i = w; bits && i < t->n; i++)
            bits[i / 64] |= (uint64_t)(numbers[i] == numbers[w]) << i % 64;
    }
}

void mpg_provenance_add_difference(struct mpg_provenance *t, enum mpg_attribution_term term, const double *a, const double *b,
                                   double less)
{
    struct mpg_records *s = &t->recent;
    double *values = t->failed ? NULL : mpg_records_values(s, t->n);
    if (!values) {
        mpg_provenance_fail(t);
        return;
    }
    const bool any = b ? t->tally->code->difference(t->n, a, b, less, values) : t->tally->code->copy(t->n, a, less, values);
    struct mpg_provenance_record *r = &s->record[t->record];
    if (!any) {
        s->values -= t->n;
        return;
    }
    if (r->flags == 0)
        r->value = s->values - t->n;
    r->flags |= (uint16_t)(1u << (term - MPG_CRITICAL_COMPUTATION));
}

void mpg_provenance_add_term(struct mpg_provenance *t, enum mpg_attribution_term term, const double *values)
{
    mpg_provenance_add_difference(t, term, values, NULL, 0);
}

bool mpg_provenance_any(const uint64_t *bits, uint32_t lanes)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < mpg_provenance_words(lanes); k++)
        any |= bits[k];
    return any != 0;
}

bool mpg_provenance_all(const uint64_t *bits, uint32_t lanes)
{
    bool all = true;
    for (uint32_t k = 0; k < lanes / 64; k++)
        all &= bits[k] == UINT64_MAX;
    return all && (lanes % 64 == 0 || bits[lanes / 64] == (UINT64_C(1) << lanes % 64) - 1);
}

void mpg_provenance_find_larger(uint32_t n, const double *a, const double *b, uint64_t *bits)
{
    mpg_lane_sums()->find_larger(n, a, b, bits);
}

/* --- marks --- */

uint64_t *mpg_provenance_marks_of(struct mpg_provenance *t, uint32_t number, enum mpg_value_part part)
{
    const enum kind kind = kind_of(part);
    struct mpg_error err;
    if (number >= t->mark_capacity[kind] && mpg_reserve_at(&t->mark[kind], parts_of(kind) * t->words * sizeof **t->mark,
                                                           &t->mark_capacity[kind], number + 1, &err) < 0) {
        mpg_provenance_fail(t);
        return NULL;
    }
    return t->mark[kind] + ((size_t)number * parts_of(kind) + part_number(part)) * t->words;
}

uint64_t *mpg_provenance_mark(struct mpg_provenance *t, struct mpg_value value)
{
    return mpg_provenance_marks_of(t, value.number, value.part);
}

void mpg_provenance_mark_slots(struct mpg_provenance *t, const uint32_t *unused, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mpg_provenance_renew(t, unused[i]);
    for (uint32_t i = 0; i < t->parts_capacity; i++)
        for (unsigned k = 0; k < SLOT_PARTS && t->parts[i]; k++) {
            uint64_t *m = t->parts[i] >> k & 1 ? mpg_provenance_marks_of(t, i, (enum mpg_value_part)(MPG_VALUE_TIME + k)) : NULL;
            if (m)
                memcpy(m, t->lanes, t->words * sizeof *m);
        }
}
