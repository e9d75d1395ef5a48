/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parriveds that found nothing, and find in a lane that all has come (docs/MODEL.md, section 6: A Parrived). */
#include <stdlib.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* What S asks for. */
static void make_key(const struct mpg_step *s, uint64_t key[2])
{
    key[0] = (uint64_t)(uint32_t)s->rank << 32 | (uint32_t)s->alternatives->asking.partition;
    key[1] = (uint64_t)s->alternatives->asking.request;
}

/* Lanes that S's question has been answered in; NULL: none. */
static bool *find_told(const struct mpg_choosing *c, const struct mpg_step *s)
{
    uint64_t key[2];
    make_key(s, key);
    const uint64_t *slot = mpg_map_find(&c->told, key[0], key[1]);
    return slot ? (bool *)(uintptr_t)*slot : NULL;
}

static bool *add_told(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    uint64_t key[2];
    make_key(s, key);
    uint64_t *slot = mpg_map_add(&c->told, key[0], key[1]);
    bool *told = slot ? calloc(c->n, sizeof *told) : NULL;
    if (slot)
        *slot = (uint64_t)(uintptr_t)told;
    if (!told)
        mpg_error_set(err, "out of memory");
    return told;
}

int mpg_choosing_ask(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                     struct mpg_error *err)
{
    const struct mpg_pick *p = &c->pick[0];
    bool *told = find_told(c, s);
    if (p->done || (told && told[w])) {
        c->vanishes[w] = true;
        c->counts.tests_saved++;
        return 0;
    }
    if (p->at_ns > now_ns + MPG_ROUNDING_NS)
        return 0;
    if (!told && !(told = add_told(c, s, err)))
        return -1;
    told[w] = true;
    c->counts.tests_early++;
    c->unsaid = c->unsaid || w == 0;
    return 0;
}

void mpg_choosing_ask_again(struct mpg_choosing *c, const struct mpg_step *s)
{
    uint64_t key[2];
    bool *told = s->alternatives->asking.found ? find_told(c, s) : NULL;
    for (uint32_t w = 0; told && w < c->n; w++)
        c->vanishes[w] = c->vanishes[w] || told[w];
    if (!told)
        return;
    make_key(s, key);
    mpg_map_remove(&c->told, key[0], key[1]);
    free(told);
}

void mpg_choosing_clear_told(struct mpg_choosing *c)
{
    for (size_t i = 0; i < c->told.capacity; i++)
        if (c->told.entries[i].used)
            free((void *)(uintptr_t)c->told.entries[i].value);
    mpg_map_clear(&c->told);
}
