/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting, by size, standard sends that left early and that waited. */
#include "graph/matching/evidence.h"

/* Of different sizes: the rest are not counted. Sends that must have waited until a size is
 * taken for synchronous: a single one may be slow just when its receive is posted. */
enum { MOST_SIZES = 65536, WAITED_OFTEN = 8 };

static const uint64_t LEFT = UINT64_C(1) << 63;

void graph_note_evidence(struct evidence *evidence, const struct message *m)
{
    if (!m->standard || !m->has_left || !m->is_posted)
        return;
    bool left = m->left_ns < m->poster_ns, waited = m->blocking && m->poster_ns > m->sender_ns;
    if ((!left && !waited) ||
        (evidence->sizes.count == MOST_SIZES &&
         !mpg_map_find(&evidence->sizes, (uint64_t)m->bytes, 0)))
        return;
    uint64_t *seen = mpg_map_add(&evidence->sizes, (uint64_t)m->bytes, 0);
    if (seen)
        *seen = left ? *seen | LEFT : *seen + 1;
}

int64_t graph_evident_limit(const struct evidence *evidence, int64_t target_bytes)
{
    const struct mpg_map *sizes = &evidence->sizes;
    int64_t eager = -1, least = INT64_MAX;
    for (size_t i = 0; i < sizes->capacity; i++)
        if (sizes->entries[i].used && (sizes->entries[i].value & LEFT) &&
            (int64_t)sizes->entries[i].key[0] > eager)
            eager = (int64_t)sizes->entries[i].key[0];
    for (size_t i = 0; i < sizes->capacity; i++)
        if (sizes->entries[i].used && (int64_t)sizes->entries[i].key[0] > eager &&
            (int64_t)sizes->entries[i].key[0] < least && sizes->entries[i].value >= WAITED_OFTEN)
            least = (int64_t)sizes->entries[i].key[0];
    int64_t limit = target_bytes > eager ? target_bytes : eager;
    return least != INT64_MAX && limit > least - 1 ? least - 1 : limit;
}
