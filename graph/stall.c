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

/* Whether what RANK waits for was never begun by its other side. */
static bool has_no_partner(const struct mpg_graph *g, int32_t rank)
{
    bool as_sender;
    const struct message *m = awaited(g, rank, &as_sender);
    return m && (as_sender ? !m->is_posted : !m->is_sent);
}

/* Whether another blocked rank is waited for in turn: nobody who could still
 * provide the partner has finished. */
static bool all_blocked(const struct mpg_graph *g)
{
    return g->finished == 0;
}

static int explain(const struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    bool as_sender;
    struct place here = graph_here(g, rank);
    const struct rank_state *r = &g->rank[rank];
    const struct message *m = awaited(g, rank, &as_sender);
    const char *cycle = all_blocked(g) ? "; all ranks wait for each other" : "";
    if (r->collective) {
        const struct collective *c = r->collective;
        for (int32_t i = 0; i < c->p; i++)
            if (!c->members[i].arrived)
                return graph_error(&here, err,
                                   "only %d of %d ranks of communicator %d call it, rank %d does "
                                   "not%s",
                                   c->arrived, c->p, mpg_trace_comm(g->trace, c->comm)->label,
                                   mpg_trace_comm(g->trace, c->comm)->world_ranks[i], cycle);
    }
    if (m && as_sender)
        return graph_error(&here, err,
                           "no receive matches the synchronous send of %lld bytes in call %llu%s%s",
                           (long long)m->bytes, (unsigned long long)m->sent.number, cycle,
                           all_blocked(g) && mpg_call_is_standard(m->sent.call)
                               ? " (would a larger --eager-limit let it go?)"
                               : "");
    if (m)
        return graph_error(&here, err, "no send matches the receive posted in call %llu%s",
                           (unsigned long long)m->posted.number, cycle);
    return graph_error(&here, err, "no send matches%s", cycle);
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

int graph_explain_stall(const struct mpg_graph *g, struct mpg_error *err)
{
    int32_t first = NO_RANK;
    for (int32_t rank = 0; rank < g->ranks; rank++) {
        if (!is_blocked(g, rank))
            continue;
        if (first == NO_RANK || (!has_no_partner(g, first) && has_no_partner(g, rank)))
            first = rank;
    }
    (void)explain(g, first, err);
    return mention_threads(g, err);
}

/* Takes RANK off every list of those who wait. */
static void forget_needs(struct mpg_graph *g, int32_t rank)
{
    struct rank_state *r = &g->rank[rank];
    if (r->receiving)
        r->receiving->receive_waiter = NO_RANK;
    if (r->sending)
        r->sending->send_waiter = NO_RANK;
    if (r->probing)
        r->probing->probe_waiter = NO_RANK;
    if (r->collective)
        r->collective->members[graph_member_index(g, r->collective->comm, rank)].waiting = false;
    for (size_t i = 0; i < r->requests.capacity; i++) {
        if (!r->requests.entries[i].used)
            continue;
        const struct request *q = (struct request *)(uintptr_t)r->requests.entries[i].value;
        if (q->message && q->kind == REQUEST_RECEIVE)
            q->message->receive_waiter = NO_RANK;
        if (q->message && q->kind == REQUEST_SEND)
            q->message->send_waiter = NO_RANK;
    }
    r->unmet = 1;
}

int graph_drop_needs(struct mpg_graph *g, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < g->ranks; rank++)
        if (is_blocked(g, rank)) {
            g->counts.unmatched++;
            forget_needs(g, rank);
            graph_satisfy(g, rank);
            return 0;
        }
    return mpg_error_set(err, "no rank can go on");
}
