/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of deferred receives: posted in a call without progress, progressed in a later call of the rank. */
#include "graph/matching/receive_progress.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

int mpg_graph_deferred_init(struct deferred_receives *all, int32_t ranks, struct mpg_error *err)
{
    all->rank = calloc((size_t)ranks, sizeof *all->rank);
    all->ranks = all->rank ? ranks : 0;
    return all->rank ? 0 : mpg_graph_out_of_memory(err);
}

bool mpg_graph_call_progresses(enum mpg_call call)
{
    const uint64_t only_starts =
        GRAPH_KIND(ISEND) | GRAPH_KIND(IRECV) | GRAPH_KIND(ISENDRECV) | GRAPH_KIND(IMRECV) | GRAPH_KIND(START) |
        GRAPH_KIND(SEND_INIT) | GRAPH_KIND(RECV_INIT) | GRAPH_KIND(COLLECTIVE_INIT) | GRAPH_KIND(NEIGHBOR_INIT) |
        GRAPH_KIND(PSEND_INIT) | GRAPH_KIND(PRECV_INIT) | GRAPH_KIND(PREADY) | GRAPH_KIND(ICOLLECTIVE) |
        GRAPH_KIND(ICONSTRUCTOR) | GRAPH_KIND(INEIGHBOR) | GRAPH_KIND(REQUEST) | GRAPH_KIND(REQUEST_FREE) |
        GRAPH_KIND(CANCEL) | GRAPH_KIND(SEND) | GRAPH_KIND(RMA) | GRAPH_KIND(IRMA);
    const uint64_t files = GRAPH_KIND(FILE_OPEN) | GRAPH_KIND(FILE_CLOSE) | GRAPH_KIND(FILE) | GRAPH_KIND(IFILE) |
                           GRAPH_KIND(FILE_COLLECTIVE);
    return !graph_is_among(mpg_call_kind(call), only_starts | files);
}

bool mpg_graph_makes_progress(const struct call *call)
{
    return !call->event->failed && mpg_graph_call_progresses(call->event->call);
}

int mpg_graph_deferred_add(struct deferred_receives *all, const struct call *call, struct message *m, struct mpg_error *err)
{
    struct deferred *deferred = &all->rank[call->rank];
    if (mpg_reserve_at(&deferred->message, sizeof *deferred->message, &deferred->capacity, deferred->n + 1, err) < 0)
        return -1;
    deferred->message[deferred->n++] = m;
    m->is_deferred = true;
    return 0;
}

void mpg_graph_deferred_remove(struct deferred_receives *all, struct message *m)
{
    struct deferred *deferred = &all->rank[m->destination];
    uint32_t i = deferred->n;
    while (deferred->message[--i] != m)
        ;
    memmove(&deferred->message[i], &deferred->message[i + 1], (--deferred->n - i) * sizeof *deferred->message);
    m->is_deferred = false;
}

void mpg_graph_deferred_clear(struct deferred_receives *all)
{
    for (int32_t r = 0; r < all->ranks; r++)
        free(all->rank[r].message);
    free(all->rank);
    *all = (struct deferred_receives){0};
}
