/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stretch is what is recorded between two cuts. A walk goes from the newest record to older ones with, of each value, the
 * lanes in which something comes from it: where only one value has a lane's bit at a cut, the lane's path goes through it. */
#include "simulate/where/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/where/stretches.h"

/* Cuts between two walks; how far back one looks for a lane's common value is some times the largest power of two that divides
 * its number, so that walks take each stretch some log n times at most. */
enum { CUTS_A_WALK = 4, FAR = 4 };
enum { STREAM_PARTS = 2, SLOT_PARTS = 4, NOWHERE = UINT32_MAX };

struct mpg_trail {
    struct mpg_tally *tally;
    uint32_t n, words;
    uint64_t *lanes; /* words: all there are */
    struct mpg_stretches *stretches;
    uint32_t record, choice; /* those that are made, in the newest stretch */
    uint8_t *parts; /* of each slot: which have a value, bits */
    uint32_t parts_capacity;
    uint64_t *mark[2]; /* capacity x parts x words: of streams, of slots */
    uint32_t mark_capacity[2];
    uint32_t *frontier, *next_frontier; /* a lane: the stretch from which on it is not resolved */
    uint32_t *between; /* a lane: where what messages took is, of the value that the walk is at */
    double *path_ns;   /* a lane: what has been resolved */
    uint64_t *certain, *alive, *here; /* words each, of a walk */
    struct mpg_error err;
    bool failed;
};

static void fail(struct mpg_trail *t)
{
    t->failed = true;
    mpg_error_set(&t->err, "out of memory for critical paths");
}

struct mpg_trail *mpg_trail_new(struct mpg_tally *tally, struct mpg_error *err)
{
    struct mpg_trail *t = calloc(1, sizeof *t);
    if (!t)
        goto fail;
    t->tally = tally;
    t->n = tally->n;
    t->words = mpg_trail_words(t->n);
    t->lanes = calloc(t->words, sizeof *t->lanes);
    t->certain = calloc(t->words, sizeof *t->certain);
    t->alive = calloc(t->words, sizeof *t->alive);
    t->here = calloc(t->words, sizeof *t->here);
    t->frontier = calloc(t->n, sizeof *t->frontier);
    t->next_frontier = calloc(t->n, sizeof *t->next_frontier);
    t->between = calloc(t->n, sizeof *t->between);
    t->path_ns = calloc(t->n, sizeof *t->path_ns);
    t->stretches = mpg_stretches_new();
    if (!t->lanes || !t->certain || !t->alive || !t->here || !t->frontier || !t->next_frontier || !t->between || !t->path_ns ||
        !t->stretches)
        goto fail;
    for (uint32_t w = 0; w < t->n; w++)
        t->lanes[w / 64] |= UINT64_C(1) << w % 64;
    return t;
fail:
    mpg_trail_free(t);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_trail_free(struct mpg_trail *t)
{
    if (!t)
        return;
    free(t->lanes);
    free(t->certain);
    free(t->alive);
    free(t->here);
    free(t->frontier);
    free(t->next_frontier);
    free(t->between);
    free(t->path_ns);
    free(t->parts);
    free(t->mark[0]);
    free(t->mark[1]);
    mpg_stretches_free(t->stretches);
    free(t);
}

void mpg_trail_held(const struct mpg_trail *t, uint64_t *memory, uint64_t *file)
{
    mpg_stretches_held(t->stretches, memory, file);
}

/* --- parts of slots --- */

static bool is_of_slot(enum mpg_path_part part)
{
    return part >= MPG_PATH_TIME;
}

static unsigned part_number(enum mpg_path_part part)
{
    return is_of_slot(part) ? (unsigned)(part - MPG_PATH_TIME) : (unsigned)part;
}

void mpg_trail_renew(struct mpg_trail *t, uint32_t slot)
{
    if (slot < t->parts_capacity)
        t->parts[slot] = 0;
}

bool mpg_trail_has(const struct mpg_trail *t, uint32_t slot, enum mpg_path_part part)
{
    return slot < t->parts_capacity && (t->parts[slot] >> part_number(part) & 1);
}

static void note_part(struct mpg_trail *t, struct mpg_path_value v)
{
    struct mpg_error err;
    if (!is_of_slot(v.part))
        return;
    if (v.number >= t->parts_capacity &&
        mpg_reserve_at(&t->parts, sizeof *t->parts, &t->parts_capacity, v.number + 1, &err) < 0) {
        fail(t);
        return;
    }
    t->parts[v.number] |= (uint8_t)(1u << part_number(v.part));
}

/* --- recording --- */

void mpg_trail_add(struct mpg_trail *t, struct mpg_path_value to, uint32_t place)
{
    struct mpg_stretch *s = mpg_stretches_newest(t->stretches);
    note_part(t, to);
    struct mpg_trail_record *r = t->failed ? NULL : mpg_stretch_add(s, &t->record);
    if (!r) {
        fail(t);
        return;
    }
    *r = (struct mpg_trail_record){.to = to.number, .part = (uint8_t)to.part, .place = place, .choice = s->choices,
                                   .value = s->values};
}

/* Of terms that are not 0, bits. */
static uint16_t flags_of(const double *terms)
{
    uint16_t flags = 0;
    for (int k = MPG_WHERE_COMPUTATION; k < MPG_WHERE_TERMS && terms; k++)
        flags |= (uint16_t)((terms[k] != 0) << (k - MPG_WHERE_COMPUTATION));
    return flags;
}

uint64_t *mpg_trail_from(struct mpg_trail *t, struct mpg_path_value from, const double *terms, uint32_t between)
{
    struct mpg_stretch *s = mpg_stretches_newest(t->stretches);
    struct mpg_trail_choice *c = t->failed ? NULL : mpg_stretch_choose(s, &t->choice);
    const uint16_t flags = flags_of(terms);
    if (!c) {
        fail(t);
        return t->here;
    }
    *c = (struct mpg_trail_choice){.from = from.number, .part = (uint8_t)from.part, .flags = flags, .between = between,
                                   .value = s->values};
    for (int k = 0; k < MPG_TRAIL_TERMS; k++)
        if (flags >> k & 1) {
            double *value = mpg_stretch_values(s, 1);
            if (!value) {
                fail(t);
                return t->here;
            }
            *value = terms[MPG_WHERE_COMPUTATION + k];
        }
    struct mpg_trail_record *r = &s->record[t->record];
    if (r->choices++ == 0)
        return NULL;
    uint64_t *bits = mpg_stretch_bits(s, t->words, &s->choice[t->choice].bits);
    if (bits)
        return bits;
    fail(t);
    return t->here;
}

double *mpg_trail_term(struct mpg_trail *t, enum mpg_where_term term)
{
    struct mpg_stretch *s = mpg_stretches_newest(t->stretches);
    if (t->failed)
        return t->path_ns; /* n, of no use any more */
    struct mpg_trail_record *r = &s->record[t->record];
    if (r->flags == 0)
        r->value = s->values;
    r->flags |= (uint16_t)(1u << (term - MPG_WHERE_COMPUTATION));
    double *values = mpg_stretch_values(s, t->n);
    if (values)
        return values;
    fail(t);
    return t->path_ns;
}

void mpg_trail_add_from(struct mpg_trail *t, struct mpg_path_value from, const double *terms, uint32_t between,
                        const uint64_t *bits)
{
    uint64_t *words = mpg_trail_from(t, from, terms, between);
    if (words)
        memcpy(words, bits, t->words * sizeof *bits);
}

void mpg_trail_add_term(struct mpg_trail *t, enum mpg_where_term term, const double *values)
{
    bool any = false;
    for (uint32_t w = 0; w < t->n; w++)
        any |= values[w] != 0;
    if (any)
        memcpy(mpg_trail_term(t, term), values, t->n * sizeof *values);
}

bool mpg_trail_any(const uint64_t *bits, uint32_t lanes)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < mpg_trail_words(lanes); k++)
        any |= bits[k];
    return any != 0;
}

void mpg_trail_find_larger(uint32_t n, const double *a, const double *b, uint64_t *bits)
{
    for (uint32_t k = 0; k < n; k += 64) {
        uint64_t word = 0;
        const uint32_t m = n - k < 64 ? n - k : 64;
        for (uint32_t w = 0; w < m; w++)
            word |= (uint64_t)(a[k + w] > b[k + w]) << w;
        bits[k / 64] = word;
    }
}

/* --- marks --- */

static uint32_t parts_of(int kind)
{
    return kind ? SLOT_PARTS : STREAM_PARTS;
}

/* The lanes of VALUE; NULL: out of memory. */
static uint64_t *marks_of(struct mpg_trail *t, uint32_t number, enum mpg_path_part part)
{
    const int kind = is_of_slot(part);
    struct mpg_error err;
    if (number >= t->mark_capacity[kind] &&
        mpg_reserve_at(&t->mark[kind], parts_of(kind) * t->words * sizeof **t->mark, &t->mark_capacity[kind], number + 1, &err) < 0) {
        fail(t);
        return NULL;
    }
    return t->mark[kind] + ((size_t)number * parts_of(kind) + part_number(part)) * t->words;
}

uint64_t *mpg_trail_mark(struct mpg_trail *t, struct mpg_path_value value)
{
    return marks_of(t, value.number, value.part);
}

void mpg_trail_mark_slots(struct mpg_trail *t, const uint32_t *unused, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mpg_trail_renew(t, unused[i]);
    for (uint32_t i = 0; i < t->parts_capacity; i++)
        for (unsigned k = 0; k < SLOT_PARTS && t->parts[i]; k++) {
            uint64_t *m = t->parts[i] >> k & 1 ? marks_of(t, i, (enum mpg_path_part)(MPG_PATH_TIME + k)) : NULL;
            if (m)
                memcpy(m, t->lanes, t->words * sizeof *m);
        }
}

static void clear_marks(struct mpg_trail *t)
{
    for (int kind = 0; kind < 2; kind++)
        if (t->mark[kind])
            memset(t->mark[kind], 0, (size_t)t->mark_capacity[kind] * parts_of(kind) * t->words * sizeof **t->mark);
}

/* Into here: lanes that one value has, a stream's time. */
static void find_single(struct mpg_trail *t)
{
    for (uint32_t k = 0; k < t->words; k++) {
        uint64_t once = 0, twice = 0, of_streams = 0;
        for (int kind = 0; kind < 2; kind++) {
            const uint32_t values = t->mark_capacity[kind] * parts_of(kind);
            for (uint32_t i = 0; i < values; i++) {
                const uint64_t m = t->mark[kind][(size_t)i * t->words + k];
                twice |= once & m;
                once |= m;
                if (kind == 0 && i % STREAM_PARTS == MPG_PATH_STREAM)
                    of_streams |= m;
            }
        }
        t->here[k] = once & ~twice & of_streams;
    }
}

/* --- walking --- */

/* What messages take is between two ranks. */
static bool is_of_message(int term)
{
    const int k = term + MPG_WHERE_COMPUTATION;
    return k == MPG_WHERE_LATENCY || k == MPG_WHERE_MESSAGES || k == MPG_WHERE_BYTES || k == MPG_WHERE_SIZE;
}

static bool is_time(int term)
{
    const int k = term + MPG_WHERE_COMPUTATION;
    return k != MPG_WHERE_SCALED && k != MPG_WHERE_MESSAGES && k != MPG_WHERE_SIZE && k != MPG_WHERE_WHOLES;
}

static void add_term(struct mpg_trail *t, uint32_t place, uint32_t between, int term, uint32_t w, double value)
{
    mpg_tally_sum(t->tally, is_of_message(term) ? between : place, w)[MPG_WHERE_COMPUTATION + term] += value;
    if (is_time(term))
        t->path_ns[w] += value;
}

/* Record R is on lane W's path, by its choice C. */
static void add_lane(struct mpg_trail *t, const struct mpg_stretch *s, const struct mpg_trail_record *r,
                     const struct mpg_trail_choice *c, uint32_t w)
{
    if (r->place != NOWHERE)
        t->between[w] = c->between != NOWHERE ? c->between : r->place;
    const uint32_t place = r->place != NOWHERE ? r->place : t->between[w];
    const double *value = s->value + c->value;
    for (uint32_t left = c->flags; left; left &= left - 1)
        add_term(t, place, t->between[w], __builtin_ctz(left), w, *value++);
    value = s->value + r->value;
    const uint32_t width = s->column ? s->columns : t->n;
    for (uint32_t left = r->flags; left; left &= left - 1, value += width)
        add_term(t, place, t->between[w], __builtin_ctz(left), w, mpg_stretch_value(s, value, w));
}

/* Lanes HERE of word K come from C. */
static void go_to(struct mpg_trail *t, const struct mpg_stretch *s, const struct mpg_trail_record *r,
                  const struct mpg_trail_choice *c, uint32_t k, uint64_t here)
{
    if (here == 0)
        return;
    uint64_t *marks = marks_of(t, c->from, (enum mpg_path_part)c->part);
    if (!marks)
        return;
    marks[k] |= here;
    for (uint64_t left = here & t->certain[k]; left; left &= left - 1)
        add_lane(t, s, r, c, 64 * k + (uint32_t)__builtin_ctzll(left));
}

static void step_back(struct mpg_trail *t, const struct mpg_stretch *s, const struct mpg_trail_record *r)
{
    const struct mpg_trail_choice *c = &s->choice[r->choice];
    for (uint32_t k = 0; k < t->words; k++) {
        uint64_t *marks = marks_of(t, r->to, (enum mpg_path_part)r->part);
        if (!marks)
            return;
        uint64_t here = marks[k] & t->alive[k];
        marks[k] = 0;
        if (here == 0)
            continue;
        for (uint32_t i = 1; i < r->choices; i++) {
            const uint64_t its = here & s->bits[c[i].bits + k];
            go_to(t, s, r, &c[i], k, its);
            here &= ~its;
        }
        go_to(t, s, r, c, k, here);
    }
}

/* At the cut after stretch C - 1: who is resolved before it ends there; who becomes it, if that is asked for. */
static void pass_cut(struct mpg_trail *t, uint32_t c, bool looks)
{
    for (uint32_t w = 0; w < t->n; w++)
        if (t->frontier[w] == c)
            t->alive[w / 64] &= ~(UINT64_C(1) << w % 64);
    if (looks)
        find_single(t);
    for (uint32_t k = 0; k < t->words; k++) {
        t->certain[k] &= t->alive[k];
        for (uint64_t left = looks ? t->here[k] & t->alive[k] & ~t->certain[k] : 0; left; left &= left - 1)
            t->next_frontier[64 * k + (uint32_t)__builtin_ctzll(left)] = c;
        t->certain[k] |= looks ? t->here[k] & t->alive[k] : 0;
        t->alive[k] &= looks ? t->alive[k] : t->certain[k];
    }
}

static bool are_any(const struct mpg_trail *t, const uint64_t *without)
{
    bool any = false;
    for (uint32_t k = 0; k < t->words; k++)
        any = any || (t->alive[k] & ~(without ? without[k] : 0)) != 0;
    return any;
}

static bool is_any(const struct mpg_trail *t, const uint64_t *lanes)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < t->words; k++)
        any |= lanes[k];
    return any != 0;
}

/* From the newest stretch back to where each lane is resolved; down to LEAST those are looked for that can be. */
static int walk(struct mpg_trail *t, uint32_t least, struct mpg_error *err)
{
    memcpy(t->next_frontier, t->frontier, t->n * sizeof *t->frontier);
    for (uint32_t c = mpg_stretches_end(t->stretches); c > 0 && !t->failed; c--) {
        pass_cut(t, c, c > least && are_any(t, t->certain));
        if (!are_any(t, NULL))
            break;
        const struct mpg_stretch *s = mpg_stretches_get(t->stretches, c - 1, is_any(t, t->certain), err);
        if (!s)
            return -1;
        for (uint32_t i = s->records; i > 0; i--)
            step_back(t, s, &s->record[i - 1]);
    }
    if (t->failed)
        *err = t->err;
    return t->failed ? -1 : 0;
}

bool mpg_trail_cut(struct mpg_trail *t)
{
    if (mpg_stretches_cut(t->stretches, &t->err) < 0)
        t->failed = true;
    return !t->failed && mpg_stretches_end(t->stretches) % CUTS_A_WALK == 0;
}

int mpg_trail_resolve(struct mpg_trail *t, struct mpg_error *err)
{
    const uint32_t end = mpg_stretches_end(t->stretches), far = FAR * (end & -end);
    memcpy(t->alive, t->lanes, t->words * sizeof *t->alive);
    memset(t->certain, 0, t->words * sizeof *t->certain);
    if (walk(t, far < end ? end - far : 0, err) < 0)
        return -1;
    uint32_t least = end;
    for (uint32_t w = 0; w < t->n; w++) {
        t->frontier[w] = t->next_frontier[w];
        least = t->frontier[w] < least ? t->frontier[w] : least;
    }
    mpg_stretches_drop(t->stretches, least);
    mpg_stretches_narrow(t->stretches, t->frontier, t->n);
    clear_marks(t);
    return 0;
}

int mpg_trail_finish(struct mpg_trail *t, const double *run_ns, struct mpg_error *err)
{
    if (!t->failed && mpg_stretches_cut(t->stretches, &t->err) < 0)
        t->failed = true;
    memcpy(t->alive, t->lanes, t->words * sizeof *t->alive);
    memcpy(t->certain, t->lanes, t->words * sizeof *t->certain);
    if (walk(t, UINT32_MAX, err) < 0)
        return -1;
    for (uint32_t w = 0; w < t->n; w++)
        if (!(fabs(run_ns[w] - t->path_ns[w]) <= 1e-6 * fabs(run_ns[w]) + 1))
            return mpg_error_set(err, "the critical path of lane %u is %.17g ns of a run of %.17g ns", w, t->path_ns[w], run_ns[w]);
    return 0;
}
