/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting, by size, standard sends that left early and that waited. */
#include "graph/matching/evidence.h"

/* Of different sizes: the rest are not counted. Sends that must have waited until a size is
 * taken for synchronous: a single one may be slow just when its receive is posted. */
enum { MOST_SIZES = 65536, WAITED_OFTEN = 8 };

void graph_note_evidence(struct evidence *evidence, const struct message *m)
{
    if (!m->standard || !m->has_left || !m->is_posted)
        return;
    if (evidence->any_left && m->bytes <= evidence->left_bytes)
        return;
    if (m->left_ns < m->poster_ns) {
        evidence->any_left = true;
        evidence->left_bytes = m->bytes;
        return;
    }
    struct mpg_map *waited = &evidence->waited;
    if (!m->blocking || m->poster_ns <= m->sender_ns ||
        (waited->count == MOST_SIZES && !mpg_map_find(waited, (uint64_t)m->bytes, 0)))
        return;
    uint64_t *seen = mpg_map_add(waited, (uint64_t)m->bytes, 0);
    if (seen)
        ++*seen;
}

/* Until that call was entered, and for less time afterwards: what arrives by itself does so whenever that is. */
void graph_note_progress(struct mpg_graph_counts *counts, const struct message *m)
{
    if (!m->is_awaited || !m->is_received || m->dropped)
        return;
    double from_ns = m->receiving_ns > m->sender_ns ? m->receiving_ns : m->sender_ns;
    if (m->synchronous && m->poster_ns > from_ns)
        from_ns = m->poster_ns;
    const double waited_ns = m->awaited_ns - from_ns, after_ns = m->received_ns - m->awaited_ns;
    if (after_ns < 0 || waited_ns <= after_ns)
        return;
    counts->held_messages++;
    counts->held_ns += waited_ns;
}

int64_t graph_evident_limit(const struct evidence *evidence, int64_t target_bytes)
{
    const struct mpg_map *sizes = &evidence->waited;
    const int64_t eager = evidence->any_left ? evidence->left_bytes : -1;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < sizes->capacity; i++)
        if (sizes->entries[i].used && (int64_t)sizes->entries[i].key[0] > eager &&
            (int64_t)sizes->entries[i].key[0] < least && sizes->entries[i].value >= WAITED_OFTEN)
            least = (int64_t)sizes->entries[i].key[0];
    int64_t limit = target_bytes > eager ? target_bytes : eager;
    return least != INT64_MAX && limit > least - 1 ? least - 1 : limit;
}
