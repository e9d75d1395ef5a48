/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Process groups, made by MPI's group functions. */
#include "trace/dumpi/groups.h"

#include <stdlib.h>
#include <string.h>

enum { WORLD = 2, EMPTY = 2, MAX_MEMBERS = 1 << 24 };

const struct dumpi_group *mpg_dumpi_groups_find(const struct dumpi_groups *g, int64_t number)
{
    static const struct dumpi_group empty = {.comm = -1};
    const uint64_t *index = mpg_map_find(&g->numbers, (uint64_t)number, 0);
    return index && *index ? &g->items[*index - 1] : number == EMPTY ? &empty : NULL;
}

void mpg_dumpi_groups_clear(struct dumpi_groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->items[i].ranks);
    free(g->items);
    mpg_map_clear(&g->numbers);
    mpg_map_clear(&g->sizes);
    g->items = NULL;
    g->n = g->capacity = g->members = 0;
}

/* Stores GROUP under NUMBER, the handle of the new group. G owns GROUP's list of ranks, also on failure. Returns 0, or -1 with
 * ERR. */
static int set(struct dumpi_groups *g, int64_t number, struct dumpi_group group, struct mpg_error *err)
{
    if (group.n > (size_t)g->world_size) {
        free(group.ranks);
        return mpg_error_set(err, "a group of %zu ranks, of %d in the trace", group.n, g->world_size);
    }
    uint64_t *index = mpg_map_add(&g->numbers, (uint64_t)number, 0);
    g->members += group.n;
    if (index && *index == 0 && g->n == g->capacity) {
        const size_t capacity = g->capacity ? 2 * g->capacity : 8;
        void *grown = realloc(g->items, capacity * sizeof *g->items);
        if (grown) {
            g->items = grown;
            g->capacity = capacity;
        }
    }
    if (!index || (*index == 0 && g->n == g->capacity) || g->members > MAX_MEMBERS) {
        free(group.ranks);
        return mpg_error_set(err, g->members > MAX_MEMBERS ? "groups of more than 2^24 members" : "out of memory");
    }
    if (*index == 0) {
        g->items[g->n] = (struct dumpi_group){.comm = -1};
        *index = ++g->n;
    }
    struct dumpi_group *item = &g->items[*index - 1];
    g->members -= item->n;
    free(item->ranks);
    *item = group;
    return 0;
}

/* Returns the number of members of GROUP; -1: unknown. */
static int64_t size_of(const struct dumpi_groups *g, const struct dumpi_group *group)
{
    if (group->ranks || group->comm < 0)
        return (int64_t)group->n;
    if (group->comm == WORLD)
        return g->world_size;
    const uint64_t *size = mpg_map_find(&g->sizes, (uint64_t)group->comm, 0);
    return size ? (int64_t)*size : -1;
}

static int32_t rank_at(const struct dumpi_group *group, int64_t i)
{
    return group->ranks ? group->ranks[i] : (int32_t)i;
}

/* Adds RANK to GROUP's list, which must have room. */
static void add(struct dumpi_group *group, int32_t rank)
{
    group->ranks[group->n++] = rank;
}

/* Sets *MADE to the members of OLD whose ranks in OLD are the N numbers PLACES. Numbers other than ranks of OLD are left out.
 * Returns false if out of memory. */
static bool pick(const struct dumpi_groups *g, const struct dumpi_group *old, const int32_t *places, size_t n,
                 struct dumpi_group *made)
{
    const int64_t size = size_of(g, old);
    made->comm = old->comm;
    made->ranks = malloc((n + 1) * sizeof *made->ranks);
    for (size_t i = 0; made->ranks && i < n; i++)
        if (places[i] >= 0 && (places[i] < size || (size < 0 && !old->ranks)))
            add(made, rank_at(old, places[i]));
    return made->ranks;
}

/* Fills *MADE with the members of OLD except those whose ranks in OLD are the N numbers PLACES. Returns false if out
 * of memory. */
static bool leave_out(const struct dumpi_groups *g, const struct dumpi_group *old, const int32_t *places, size_t n,
                      struct dumpi_group *made)
{
    const int64_t size = size_of(g, old);
    made->comm = size < 0 ? -1 : old->comm;
    if (size < 0)
        return true;
    made->ranks = malloc(((size_t)size + 1) * sizeof *made->ranks);
    bool *out = calloc((size_t)size + 1, sizeof *out);
    for (size_t i = 0; out && i < n; i++)
        if (places[i] >= 0 && places[i] < size)
            out[places[i]] = true;
    for (int64_t i = 0; out && made->ranks && i < size; i++)
        if (!out[i])
            add(made, rank_at(old, i));
    const bool done = out && made->ranks;
    free(out);
    return done;
}

/* Fills *MADE with the union (WHAT is 'u'), the intersection ('i') or the difference of A and B. Combining groups of different
 * communicators gives an unknown group. Returns false if out of memory. */
static bool combine(const struct dumpi_groups *g, const struct dumpi_group *a, const struct dumpi_group *b, char what,
                    struct dumpi_group *made)
{
    const int64_t a_size = size_of(g, a), b_size = size_of(g, b);
    made->comm = a->comm >= 0 ? a->comm : b->comm;
    if (a_size < 0 || b_size < 0 || (a->comm >= 0 && b->comm >= 0 && a->comm != b->comm)) {
        made->comm = -1;
        return true;
    }
    struct mpg_map in_a = {0}, in_b = {0};
    made->ranks = malloc(((size_t)a_size + (size_t)b_size + 1) * sizeof *made->ranks);
    bool done = made->ranks;
    for (int64_t i = 0; i < a_size && done; i++)
        done = mpg_map_add(&in_a, (uint64_t)rank_at(a, i), 0) != NULL;
    for (int64_t i = 0; i < b_size && done; i++)
        done = mpg_map_add(&in_b, (uint64_t)rank_at(b, i), 0) != NULL;
    for (int64_t i = 0; i < a_size && done; i++)
        if (what == 'u' || (mpg_map_find(&in_b, (uint64_t)rank_at(a, i), 0) != NULL) == (what == 'i'))
            add(made, rank_at(a, i));
    for (int64_t i = 0; i < b_size && done && what == 'u'; i++)
        if (!mpg_map_find(&in_a, (uint64_t)rank_at(b, i), 0))
            add(made, rank_at(b, i));
    mpg_map_clear(&in_a);
    mpg_map_clear(&in_b);
    return done;
}

static bool append(struct dumpi_list *l, int64_t rank)
{
    if (l->n == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 16;
        int32_t *grown = realloc(l->at, capacity * sizeof *grown);
        if (!grown)
            return false;
        l->at = grown;
        l->capacity = capacity;
    }
    l->at[l->n++] = (int32_t)rank;
    return true;
}

/* LIST has triples: first rank, last rank and step of a range. Stores all ranks of the ranges within 0 to SIZE - 1 in PLACES,
 * at most SIZE ranks. */
static bool spread(const struct dumpi_list *list, int64_t size, struct dumpi_list *places)
{
    for (size_t i = 0; i + 2 < list->n; i += 3) {
        int64_t p = list->at[i], last = list->at[i + 1];
        const int64_t step = list->at[i + 2];
        if (step > 0 && p < 0)
            p += (-p + step - 1) / step * step;
        if (step < 0 && p >= size)
            p += (p - size) / -step * step + step;
        last = step > 0 && last >= size ? size - 1 : step < 0 && last < 0 ? 0 : last;
        for (; step != 0 && (step > 0 ? p <= last : p >= last) && (int64_t)places->n < size; p += step)
            if (!append(places, p))
                return false;
    }
    return true;
}

int mpg_dumpi_groups_learn(struct dumpi_groups *g, const struct dumpi_record *r, struct mpg_error *err)
{
    const char *name = mpg_dumpi_layouts[r->function].name;
    const int64_t *s = r->scalars;
    struct dumpi_group made = {.comm = -1};
    struct dumpi_list places = {.n = 0};
    bool done = true;
    if (*name != 'C' && *name != 'G')
        return 0;
    if (strcmp(name, "Comm_size") == 0) {
        uint64_t *size = s[1] > 0 && s[1] <= g->world_size ? mpg_map_add(&g->sizes, (uint64_t)s[0], 0) : NULL;
        if (size)
            *size = (uint64_t)s[1];
        return 0;
    }
    if (strcmp(name, "Comm_group") == 0)
        return set(g, s[1], (struct dumpi_group){.comm = s[0]}, err);
    if (strncmp(name, "Group_", 6) != 0)
        return 0;
    const struct dumpi_group *a = mpg_dumpi_groups_find(g, s[0]), *b = r->scalar_number > 2 ? mpg_dumpi_groups_find(g, s[1])
        : NULL;
    const struct dumpi_group unknown = {.comm = -1};
    const char *what = name + 6;
    a = a ? a : &unknown;
    b = b ? b : &unknown;
    if (strncmp(what, "range_", 6) == 0) {
        done = spread(&r->lists[0], g->world_size, &places);
        what += 6;
    }
    const int32_t *list = places.n > 0 ? places.at : r->lists[0].at;
    const size_t n = what != name + 6 ? places.n : r->lists[0].n;
    if (strcmp(what, "incl") == 0)
        done = done && pick(g, a, list, n, &made);
    else if (strcmp(what, "excl") == 0)
        done = done && leave_out(g, a, list, n, &made);
    else if (strcmp(what, "union") == 0 || strcmp(what, "intersection") == 0 || strcmp(what, "difference") == 0)
        done = combine(g, a, b, *what, &made);
    else {
        free(places.at);
        return 0;
    }
    free(places.at);
    if (!done) {
        free(made.ranks);
        return mpg_error_set(err, "out of memory");
    }
    return set(g, s[r->scalar_number - 1], made, err);
}
