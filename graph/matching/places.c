/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear probing over lines; each counts what went past it, so that nothing moves when something is removed. */
#include "graph/matching/places.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"

_Static_assert(sizeof(struct line_of_places) == 64 || sizeof(void *) != 8, "a line of places is not one of a cache");

/* Four receivers that follow each other share a line, as who sends to all asks for one after the other: which of the four
 * it is, is in the bits that lines are not chosen by. */
static uint32_t hash_of(const struct channel_name *n)
{
    uint64_t h = (uint64_t)(uint32_t)n->source << 32 | (uint32_t)n->destination >> 2;
    h = (h ^ h >> 29) * 0xff51afd7ed558ccdu;
    h ^= ((uint64_t)n->space << 62 ^ (uint64_t)(uint32_t)n->where << 31 ^ (uint32_t)n->tag) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 34) | (uint32_t)n->destination << 30;
}

static bool is_alone(const void *what)
{
    return (uintptr_t)what & 1;
}

static struct place_of_name read_place(void *what)
{
    if (is_alone(what))
        return (struct place_of_name){.alone = (struct message *)(void *)((char *)what - 1)};
    return (struct place_of_name){.channel = what};
}

static void *write_place(struct place_of_name what)
{
    return what.alone ? (void *)((char *)what.alone + 1) : what.channel;
}

static bool is_called(struct place_of_name what, const struct channel_name *n)
{
    const struct message *m = what.alone;
    if (m)
        return m->source == n->source && m->destination == n->destination && m->tag == n->tag &&
               m->comm == n->where && m->space == n->space;
    const struct channel_name *o = &what.channel->name;
    return o->source == n->source && o->destination == n->destination && o->tag == n->tag && o->where == n->where &&
           o->space == n->space;
}

struct place_of_name mpg_graph_find_place(const struct places *places, const struct channel_name *name, void ***where)
{
    const uint32_t hash = hash_of(name);
    for (size_t n = 0; n < places->lines; n++) { /* each line may have been passed, by what stands behind it still */
        struct line_of_places *line = &places->line[(hash + n) & (places->lines - 1)];
        for (int i = 0; i < PLACES_A_LINE; i++) {
            if (line->hash[i] != hash || !line->what[i])
                continue;
            const struct place_of_name what = read_place(line->what[i]);
            *where = &line->what[i];
            if (is_called(what, name))
                return what;
        }
        if (line->passed == 0)
            break;
    }
    *where = NULL;
    return (struct place_of_name){NULL, NULL};
}

/* There is room. */
static void insert(struct places *places, uint32_t hash, void *what)
{
    for (size_t l = hash & (places->lines - 1);; l = (l + 1) & (places->lines - 1)) {
        struct line_of_places *line = &places->line[l];
        for (int i = 0; i < PLACES_A_LINE; i++)
            if (!line->what[i]) {
                line->what[i] = what;
                line->hash[i] = hash;
                return;
            }
        line->passed++;
    }
}

static int grow(struct places *places)
{
    enum { LEAST = 16 };
    struct places larger = {.lines = places->lines ? 2 * places->lines : LEAST, .count = places->count};
    const size_t bytes = larger.lines * sizeof *larger.line;
    larger.line = bytes < MPG_LARGE_PAGE ? aligned_alloc(sizeof *larger.line, bytes) : mpg_large_alloc(bytes);
    if (!larger.line)
        return -1;
    memset(larger.line, 0, bytes);
    for (size_t l = 0; l < places->lines; l++)
        for (int i = 0; i < PLACES_A_LINE; i++)
            if (places->line[l].what[i])
                insert(&larger, places->line[l].hash[i], places->line[l].what[i]);
    free(places->line);
    *places = larger;
    return 0;
}

int mpg_graph_add_place(struct places *places, const struct channel_name *name, struct place_of_name what)
{
    if (5 * places->count >= 3 * PLACES_A_LINE * places->lines && grow(places) < 0)
        return -1;
    insert(places, hash_of(name), write_place(what));
    places->count++;
    return 0;
}

void mpg_graph_change_place(void **where, struct place_of_name what)
{
    *where = write_place(what);
}

void mpg_graph_remove_place(struct places *places, const struct channel_name *name, void **where)
{
    const size_t home = hash_of(name) & (places->lines - 1);
    const size_t there = (size_t)((char *)where - (char *)places->line) / sizeof *places->line;
    for (size_t l = home; l != there; l = (l + 1) & (places->lines - 1))
        places->line[l].passed--;
    *where = NULL;
    places->count--;
}

struct place_of_name mpg_graph_next_place(const struct places *places, size_t *i)
{
    for (; *i < PLACES_A_LINE * places->lines; ++*i) {
        void *what = places->line[*i / PLACES_A_LINE].what[*i % PLACES_A_LINE];
        if (!what)
            continue;
        ++*i;
        return read_place(what);
    }
    return (struct place_of_name){NULL, NULL};
}

void mpg_graph_places_clear(struct places *places)
{
    free(places->line);
    *places = (struct places){0};
}
