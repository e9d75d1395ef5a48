/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence for the eager limit: counts standard sends by size, sends that completed before the receive was posted and sends
 * that waited for the receive. */
#include "graph/matching/eager_limit.h"

/* MAX_SIZES: maximum number of different sizes counted. WAITED_OFTEN: number of sends of a size that must have waited
 * before the size counts as synchronous, since a single send can be slow by chance just when the receive is posted. */
enum { MAX_SIZES = 65536, WAITED_OFTEN = 8 };

/* Values stored for each size: the number of sends that waited, and the sum of their minimum waits, whole ns. */
enum { WAITED_SENDS, WAITED_NS, WAITED_KEYS };

void mpg_graph_note_eager_evidence(struct eager_evidence *eager_evidence, const struct message *m)
{
    if (!m->standard || !m->has_left || !m->is_posted)
        return;
    if (eager_evidence->any_left && m->bytes <= eager_evidence->left_bytes)
        return;
    if (m->left_ns < m->poster_ns) {
        eager_evidence->any_left = true;
        eager_evidence->left_bytes = m->bytes;
        return;
    }
    struct mpg_map *waited = &eager_evidence->waited;
    if (!m->blocking || m->poster_ns <= m->sender_ns ||
        (waited->count >= MAX_SIZES * WAITED_KEYS && !mpg_map_find(waited, (uint64_t)m->bytes, WAITED_SENDS)))
        return;
    uint64_t *seen = mpg_map_add(waited, (uint64_t)m->bytes, WAITED_SENDS);
    if (seen)
        ++*seen;
    uint64_t *ns = mpg_map_add(waited, (uint64_t)m->bytes, WAITED_NS);
    if (ns)
        *ns += (uint64_t)(m->poster_ns - m->sender_ns);
}

/* Counts M if M progressed only when the sender entered the call that completes the send. Evidence: the receiver waited longer
 * before the sender entered this call than after. A message with asynchronous progress arrives at a time that does not depend
 * on this call. */
void mpg_graph_note_progress(struct mpg_graph_counts *counts, const struct message *m)
{
    if (!m->is_awaited || !m->is_received || m->dropped)
        return;
    const struct more_of_message *more = graph_more(m);
    double from_ns = more->receiving_ns > m->sender_ns ? more->receiving_ns : m->sender_ns;
    if (m->synchronous && m->poster_ns > from_ns)
        from_ns = m->poster_ns;
    const double waited_ns = more->awaited_ns - from_ns, after_ns = more->received_ns - more->awaited_ns;
    if (after_ns < 0 || waited_ns <= after_ns)
        return;
    counts->held_messages++;
    counts->held_ns += waited_ns;
}

/* Returns the smallest size above EAGER with at least WAITED_OFTEN sends that waited, in bytes; INT64_MAX: none. EAGER: the
 * largest size of a send that completed before the receive was posted; -1: none. */
static int64_t min_waiting(const struct eager_evidence *eager_evidence, int64_t eager)
{
    const struct mpg_map *sizes = &eager_evidence->waited;
    int64_t min = INT64_MAX;
    for (size_t i = 0; i < sizes->capacity; i++)
        if (sizes->entries[i].used && sizes->entries[i].key[1] == WAITED_SENDS && (int64_t)sizes->entries[i].key[0] > eager &&
            (int64_t)sizes->entries[i].key[0] < min && sizes->entries[i].value >= WAITED_OFTEN)
            min = (int64_t)sizes->entries[i].key[0];
    return min;
}

void mpg_graph_count_waits(const struct eager_evidence *eager_evidence, struct mpg_graph_counts *counts)
{
    const struct mpg_map *sizes = &eager_evidence->waited;
    const int64_t min = min_waiting(eager_evidence, eager_evidence->any_left ? eager_evidence->left_bytes : -1);
    counts->waited_sends = 0;
    counts->waited_bytes = min == INT64_MAX ? 0 : min;
    counts->waited_ns = 0;
    for (size_t i = 0; min != INT64_MAX && i < sizes->capacity; i++) {
        const struct mpg_map_entry *e = &sizes->entries[i];
        if (!e->used || (int64_t)e->key[0] < min)
            continue;
        if (e->key[1] == WAITED_SENDS)
            counts->waited_sends += e->value;
        else
            counts->waited_ns += (double)e->value;
    }
}

int64_t mpg_graph_estimate_eager_limit(const struct eager_evidence *eager_evidence, int64_t target_bytes)
{
    const int64_t eager = eager_evidence->any_left ? eager_evidence->left_bytes : -1;
    const int64_t min = min_waiting(eager_evidence, eager);
    int64_t limit = target_bytes > eager ? target_bytes : eager;
    return min != INT64_MAX && limit > min - 1 ? min - 1 : limit;
}
