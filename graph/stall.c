/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When no rank can go on: say why, or (lenient) let one go without. */
#include <stdio.h>
#include <string.h>

#include "graph/graph_private.h"

/* The first message that RANK waits for, and whether as its sender. */
static const struct message *awaited(const struct mpg_graph *g, int32_t rank, bool *as_sender)
{
    const struct rank_state *r = &g->rank[rank];
    *as_sender = false;
    if (r->receiving && !r->receiving->arrived)
        return r->receiving;
    if (r->sending && r->sending->synchronous && !r->sending->arrived) {
        *as_sender = true;
        return r->sending;
    }
    for (size_t i = 0; i < r->requests.capacity; i++) {
        if (!r->requests.entries[i].used)
            continue;
        const struct request *q = (struct request *)(uintptr_t)r->requests.entries[i].value;
        if (!q->message)
            continue;
        if (q->message->receive_waiter == rank && q->kind == REQUEST_RECEIVE)
            return q->message;
        if (q->message->send_waiter == rank && q->kind == REQUEST_SEND) {
            *as_sender = true;
            return q->message;
        }
    }
    return NULL;
}

static bool is_blocked(const struct mpg_graph *g, int32_t rank)
{
    return g->rank[rank].phase == PHASE_WAIT && g->rank[rank].unmet > 0;
}

/* A world rank that blocked RANK waits for, or NO_RANK. */
static int32_t waits_for(struct mpg_graph *g, int32_t rank)
{
    bool as_sender;
    const struct rank_state *r = &g->rank[rank];
    const struct message *m = awaited(g, rank, &as_sender);
    struct mpg_error ignored;
    if (m)
        return as_sender ? m->destination : m->source;
    if (r->probing)
        return graph_peer(g, rank, r->event.comm, r->event.from, &ignored);
    for (int32_t i = 0; r->collective && i < r->collective->p; i++)
        if (!r->collective->members[i].arrived)
            return mpg_trace_comm(g->trace, r->collective->comm)->world_ranks[i];
    return NO_RANK;
}

/* The rank that holds up the first blocked one: the end of the chain of who
 * waits for whom, or the least of the circle that it runs into. */
static int32_t find_culprit(struct mpg_graph *g, bool *circle)
{
    int32_t rank = 0, next;
    while (rank + 1 < g->ranks && !is_blocked(g, rank))
        rank++;
    *circle = false;
    for (int32_t steps = 0; steps < g->ranks; steps++, rank = next) {
        next = waits_for(g, rank);
        if (next < 0 || !is_blocked(g, next))
            return rank;
    }
    int32_t least = rank; /* after so many steps this one is in the circle */
    for (next = waits_for(g, rank); next != rank; next = waits_for(g, next))
        least = next < least ? next : least;
    *circle = true;
    return least;
}

static int explain(const struct mpg_graph *g, int32_t rank, bool circle, struct mpg_error *err)
{
    bool as_sender;
    struct place here = graph_here(g, rank);
    const struct rank_state *r = &g->rank[rank];
    const struct message *m = awaited(g, rank, &as_sender);
    const char *why = circle ? "; ranks wait for each other" : "";
    if (r->collective) {
        const struct collective *c = r->collective;
        for (int32_t i = 0; i < c->p; i++)
            if (!c->members[i].arrived)
                return graph_error(&here, err,
                                   "only %d of %d ranks of communicator %d call it, rank %d does "
                                   "not%s",
                                   c->arrived, c->p, mpg_trace_comm(g->trace, c->comm)->label,
                                   mpg_trace_comm(g->trace, c->comm)->world_ranks[i], why);
    }
    if (m && as_sender)
        return graph_error(&here, err,
                           "no receive matches the synchronous send of %lld bytes in call %llu%s%s",
                           (long long)m->bytes, (unsigned long long)m->sent.number, why,
                           circle && mpg_call_is_standard(m->sent.call)
                               ? " (would a larger --eager-limit let it go?)"
                               : "");
    if (m)
        return graph_error(&here, err, "no send matches the receive posted in call %llu%s",
                           (unsigned long long)m->posted.number, why);
    return graph_error(&here, err, "no send matches%s", why);
}

/* Calls of several threads, of which a rank's one stream keeps no order that a
 * blocked one could wait in, may be the reason. */
static int mention_threads(const struct mpg_graph *g, struct mpg_error *err)
{
    const char *key, *value;
    for (int32_t rank = 0; rank < g->ranks; rank++)
        for (size_t i = 0; mpg_trace_fact(g->trace, rank, i, &key, &value); i++)
            if (strcmp(key, "overlapping") == 0) {
                size_t used = strlen(err->text);
                snprintf(err->text + used, sizeof err->text - used,
                         " (rank %d made %s calls while another thread of it was in MPI, which "
                         "this trace cannot tell apart)",
                         rank, value);
                return -1;
            }
    return -1;
}

int graph_explain_stall(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    int32_t rank = find_culprit(g, &circle);
    (void)explain(g, rank, circle, err);
    return mention_threads(g, err);
}

/* Gives up on M, if RANK waits for it. */
static uint32_t give_up(struct message *m, int32_t rank)
{
    if (!m || (m->receive_waiter != rank && m->send_waiter != rank))
        return 0;
    if (m->receive_waiter == rank)
        m->receive_waiter = NO_RANK;
    if (m->send_waiter == rank)
        m->send_waiter = NO_RANK;
    m->given_up = true;
    return 1;
}

/* Takes RANK off every list of those who wait, and counts what it goes without. */
static uint32_t forget_needs(struct mpg_graph *g, int32_t rank)
{
    struct rank_state *r = &g->rank[rank];
    uint32_t n = give_up(r->receiving, rank) + give_up(r->sending, rank);
    if (r->probing && r->probing->probe_waiter == rank) {
        r->probing->probe_waiter = NO_RANK;
        n++;
    }
    if (r->collective) {
        r->collective->members[graph_member_index(g, r->collective->comm, rank)].waiting = false;
        n++;
    }
    for (size_t i = 0; i < r->requests.capacity; i++)
        if (r->requests.entries[i].used)
            n += give_up(((struct request *)(uintptr_t)r->requests.entries[i].value)->message,
                         rank);
    r->unmet = 1;
    return n;
}

int graph_drop_needs(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    int32_t rank = find_culprit(g, &circle);
    if (!is_blocked(g, rank))
        return mpg_error_set(err, "no rank can go on");
    g->counts.unmatched += forget_needs(g, rank);
    graph_satisfy(g, rank);
    return 0;
}
