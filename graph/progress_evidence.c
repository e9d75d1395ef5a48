/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts, by message size, the sends that waited for the receiver and the sends that did not wait. */
#include "graph/progress_evidence.h"

/* Sends of a size or kind count as weak progress (complete only when the receiver is inside MPI) if at most one send did not
 * wait for every ONE_IN that waited. Both kinds of exception occur: an eager send can end by chance just when the receiver
 * enters MPI, and a weak send can complete during an unrecorded call of the receiver. */
enum { ONE_IN = 10, MAX_SIZES = 65536 };

static bool too_many_left(uint64_t waited, uint64_t left)
{
    return left * ONE_IN > waited;
}

bool mpg_graph_waits_are_evident(uint64_t waited, uint64_t left)
{
    return waited >= MPG_WAITED_OFTEN && !too_many_left(waited, left);
}

static void add(struct mpg_map *map, int64_t bytes, uint64_t more)
{
    if (map->count == MAX_SIZES && !mpg_map_find(map, (uint64_t)bytes, 0))
        return;
    uint64_t *sum = mpg_map_add(map, (uint64_t)bytes, 0); /* NULL: out of memory; the observation is left out */
    if (sum)
        *sum += more;
}

void mpg_graph_evidence_count(struct progress_evidence *e, int64_t bytes, double waited_ns)
{
    add(waited_ns < 0 ? &e->left : &e->waited, bytes, 1);
    if (waited_ns >= 0)
        add(&e->waited_ns, bytes, (uint64_t)waited_ns);
}

int64_t mpg_graph_evidence_left(const struct progress_evidence *e)
{
    int64_t eager = -1;
    for (size_t i = 0; i < e->left.capacity; i++) {
        const struct mpg_map_entry *x = &e->left.entries[i];
        const uint64_t *waited = x->used ? mpg_map_find(&e->waited, x->key[0], 0) : NULL;
        if (x->used && too_many_left(waited ? *waited : 0, x->value) && (int64_t)x->key[0] > eager)
            eager = (int64_t)x->key[0];
    }
    return eager;
}

/* Sizes count only above the largest size of which too many sends did not wait. */
int64_t mpg_graph_evidence_limit(const struct progress_evidence *e, uint64_t often)
{
    const int64_t eager = mpg_graph_evidence_left(e);
    int64_t min = INT64_MAX;
    for (size_t i = 0; i < e->waited.capacity; i++) {
        const struct mpg_map_entry *x = &e->waited.entries[i];
        if (x->used && x->value >= often && (int64_t)x->key[0] > eager && (int64_t)x->key[0] < min)
            min = (int64_t)x->key[0];
    }
    return min == INT64_MAX ? min : min - 1;
}

uint64_t mpg_graph_evidence_unexplained(const struct progress_evidence *e, double *waited_ns)
{
    const int64_t limit = mpg_graph_evidence_limit(e, MPG_WAITED_OFTEN);
    uint64_t n = 0;
    *waited_ns = 0;
    for (size_t i = 0; i < e->waited.capacity; i++) {
        const struct mpg_map_entry *x = &e->waited.entries[i];
        if (!x->used || x->value < MPG_WAITED_OFTEN || (int64_t)x->key[0] > limit)
            continue;
        const uint64_t *ns = mpg_map_find(&e->waited_ns, x->key[0], 0);
        n += x->value;
        *waited_ns += ns ? (double)*ns : 0;
    }
    return n;
}

void mpg_graph_evidence_clear(struct progress_evidence *e)
{
    mpg_map_clear(&e->waited);
    mpg_map_clear(&e->waited_ns);
    mpg_map_clear(&e->left);
    *e = (struct progress_evidence){0};
}
