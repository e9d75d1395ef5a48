/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/passes/batch.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

/* Some 400 kB: threads that wait for each other do so some thousand times for a million messages. */
enum { STEPS = 1024, LISTS_BYTES = 256 << 10, ALIGNMENT = 16 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t lists_of(const struct mpg_step *s)
{
    if (s->kind == MPG_STEP_ENTER)
        return s->change == &mpg_no_change ? 0
                                           : aligned(sizeof *s->change) +
                                                 aligned(s->change->mark_number * sizeof *s->change->marks);
    if (s->kind != MPG_STEP_LEAVE)
        return 0;
    const size_t bytes = aligned(s->sent_number * sizeof *s->sent) + aligned((s->edge_number + s->lost_number) * sizeof *s->edges) +
                         (s->transfer == &mpg_no_transfer ? 0 : aligned(sizeof *s->transfer));
    const struct mpg_alternatives *a = s->alternatives;
    return a == &mpg_no_alternatives
               ? bytes
               : bytes + aligned(sizeof *a) + aligned(a->candidate_number * sizeof *a->candidates) +
                     aligned(a->receive_number * sizeof *a->receives);
}

int mpg_batch_init(struct mpg_batch *b, struct mpg_error *err)
{
    *b = (struct mpg_batch){.steps = calloc(STEPS, sizeof *b->steps),
                            .lists = malloc(LISTS_BYTES),
                            .capacity = LISTS_BYTES};
    return b->steps && b->lists ? 0 : mpg_error_set(err, "out of memory");
}

void mpg_batch_clear(struct mpg_batch *b)
{
    free(b->steps);
    free(b->lists);
    free(b->unused);
    *b = (struct mpg_batch){0};
}

void mpg_batch_empty(struct mpg_batch *b)
{
    b->n = 0;
    b->used = 0;
    b->tells_unused = false;
}

bool mpg_batch_has_room(const struct mpg_batch *b, const struct mpg_step *s)
{
    return b->n == 0 || (b->n < STEPS && b->used + lists_of(s) <= b->capacity);
}

/* A copy of N items of BYTES each, in B's lists. */
static void *copy(struct mpg_batch *b, const void *items, uint32_t n, size_t bytes)
{
    if (n == 0)
        return NULL;
    char *to = b->lists + b->used;
    memcpy(to, items, n * bytes);
    b->used += aligned(n * bytes);
    return to;
}

static const struct mpg_change *copy_change(struct mpg_batch *b, const struct mpg_change *change)
{
    if (change == &mpg_no_change)
        return change;
    struct mpg_change *c = copy(b, change, 1, sizeof *change);
    c->marks = copy(b, change->marks, change->mark_number, sizeof *change->marks);
    return c;
}

static const struct mpg_alternatives *copy_alternatives(struct mpg_batch *b, const struct mpg_alternatives *a)
{
    if (a == &mpg_no_alternatives)
        return a;
    struct mpg_alternatives *c = copy(b, a, 1, sizeof *a);
    c->candidates = copy(b, a->candidates, a->candidate_number, sizeof *a->candidates);
    c->receives = copy(b, a->receives, a->receive_number, sizeof *a->receives);
    return c;
}

int mpg_batch_add(struct mpg_batch *b, const struct mpg_step *s, uint32_t slots,
                  struct mpg_error *err)
{
    const size_t needed = lists_of(s);
    if (b->n == 0 && needed > b->capacity) { /* nothing points to the old ones */
        char *lists = realloc(b->lists, needed);
        if (!lists)
            return mpg_error_set(err, "out of memory");
        b->lists = lists;
        b->capacity = needed;
    }
    struct mpg_step *c = &b->steps[b->n++];
    memcpy(c, s, sizeof *c); /* all of its union */
    b->slots = slots;
    if (c->kind == MPG_STEP_ENTER)
        c->change = copy_change(b, s->change);
    if (c->kind != MPG_STEP_LEAVE)
        return 0;
    c->sent = copy(b, s->sent, s->sent_number, sizeof *s->sent);
    c->edges = copy(b, s->edges, s->edge_number + s->lost_number, sizeof *s->edges);
    if (s->transfer != &mpg_no_transfer)
        c->transfer = copy(b, s->transfer, 1, sizeof *s->transfer);
    c->alternatives = copy_alternatives(b, s->alternatives);
    return 0;
}

int mpg_batch_tell_unused(struct mpg_batch *b, const struct mpg_steps *steps, struct mpg_error *err)
{
    if (mpg_reserve_at(&b->unused, sizeof *b->unused, &b->unused_capacity, steps->unused_number, err) < 0)
        return -1;
    if (steps->unused_number > 0)
        memcpy(b->unused, steps->unused, steps->unused_number * sizeof *b->unused);
    b->unused_number = steps->unused_number;
    b->tells_unused = true;
    return 0;
}
