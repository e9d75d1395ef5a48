/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a rank's streams by enter time. */
#include <stdlib.h>

#include "trace/store/decode.h"

int mpg_merge_start(struct mpg_merge *m, struct mpg_trace *t, int32_t rank, struct mpg_error *err)
{
    uint32_t n = t->rank[rank].threads;
    *m = (struct mpg_merge){.threads = n,
                            .decoders = calloc(n, sizeof *m->decoders),
                            .events = calloc(n, sizeof *m->events),
                            .ended = calloc(n, sizeof *m->ended)};
    if (!m->decoders || !m->events || !m->ended) {
        m->threads = 0;
        mpg_merge_stop(m);
        return mpg_error_set(err, "out of memory");
    }
    for (uint32_t i = 0; i < n; i++)
        mpg_decoder_start(&m->decoders[i], t, rank, i);
    return 0;
}

void mpg_merge_stop(struct mpg_merge *m)
{
    for (uint32_t i = 0; i < m->threads; i++)
        mpg_decoder_stop(&m->decoders[i]);
    free(m->decoders);
    free(m->events);
    free(m->ended);
    *m = (struct mpg_merge){.threads = 0};
}

/* Reads the next event of each stream whose last event has been returned. Not earlier, because an event's lists belong to the
 * decoder until the decoder goes on. Returns 0, or -1 with ERR. */
static int read_ahead(struct mpg_merge *m, struct mpg_error *err)
{
    for (uint32_t i = 0; i < m->threads; i++) {
        if (m->events[i] || m->ended[i])
            continue;
        int more = mpg_decoder_next(&m->decoders[i], &m->events[i], err);
        if (more < 0)
            return -1;
        m->ended[i] = more == 0;
    }
    return 0;
}

/* Returns whether E comes before OTHER in the merged order. At equal times MPI_Finalize comes last, after aggregates of
 * further threads. */
static bool comes_before(const struct mpg_event *e, const struct mpg_event *other)
{
    if (e->enter_ns != other->enter_ns)
        return e->enter_ns < other->enter_ns;
    return mpg_call_kind(other->call) == MPG_KIND_FINALIZE && mpg_call_kind(e->call) != MPG_KIND_FINALIZE;
}

int mpg_merge_first(struct mpg_merge *m, struct mpg_event **e, struct mpg_error *err)
{
    if (read_ahead(m, err) < 0)
        return -1;
    struct mpg_event *first = NULL;
    for (uint32_t i = 0; i < m->threads; i++)
        if (m->events[i] && (!first || comes_before(m->events[i], first))) {
            first = m->events[i];
            m->current = i;
        }
    if (!first)
        return 0;
    *e = first;
    m->events[m->current] = NULL;
    return 1;
}
