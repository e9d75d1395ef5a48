/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When no rank can go on: say why, or (lenient) let one go without. */
#include <stdio.h>

#include "graph/graph_private.h"

/* What holds a stream up. */
struct need {
    const struct message *message;
    bool as_sender;
    const struct collective *collective;
};

static bool is_missing(const struct message *m)
{
    return m && !m->arrived;
}

static const struct message *first_missing(const struct group *group)
{
    for (uint32_t i = 0; group && i < group->count; i++)
        if (is_missing(group->messages[i]))
            return group->messages[i];
    return NULL;
}

static bool need_of_request(const struct request *q, const struct stream *s, struct need *need)
{
    const struct message *m = q->message;
    switch (q->kind) {
    case REQUEST_SEND:
        need->as_sender = m->send_waiter == s;
        need->message = need->as_sender ? m : NULL;
        break;
    case REQUEST_RECEIVE:
        need->message = m && m->receive_waiter == s ? m : NULL;
        break;
    case REQUEST_GROUP:
        need->message = first_missing(q->group);
        break;
    case REQUEST_COLLECTIVE:
        for (int32_t i = 0; i < q->collective->p; i++)
            if (q->collective->members[i].waiter == s)
                need->collective = q->collective;
        break;
    case REQUEST_TRANSFER:
    case REQUEST_NOTHING:
        break;
    }
    return need->message || need->collective;
}

static struct need find_need(const struct stream *s)
{
    struct need need = {.collective = s->collective};
    if (is_missing(s->receiving))
        need.message = s->receiving;
    else if (is_missing(s->sending) && s->sending->synchronous) {
        need.message = s->sending;
        need.as_sender = true;
    } else if (s->probed && !s->probed->is_sent)
        need.message = s->probed;
    else
        need.message = first_missing(s->group);
    for (uint32_t i = 0; i < s->completing_count && !need.message && !need.collective; i++)
        if (need_of_request(s->completing[i], s, &need))
            break;
    return need;
}

static bool is_blocked(const struct stream *s)
{
    return s->phase == PHASE_WAIT && s->unmet > 0;
}

/* The thread that RANK cannot go on without, or NULL. */
static struct stream *blocked_stream(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_state *r = &g->rank[rank];
    struct stream *first = NULL;
    for (struct stream *s = r->streams; s && !r->finished; s = s->sibling) {
        if (!is_blocked(s))
            continue;
        if (r->has_next && r->next.thread == s->thread)
            return s;
        first = first ? first : s;
    }
    return first;
}

/* A world rank that blocked S waits for, or NO_RANK. */
static int32_t waits_for(struct mpg_graph *g, const struct stream *s)
{
    struct need need = find_need(s);
    struct mpg_error ignored;
    const struct message *m = need.message;
    if (m)
        return need.as_sender ? m->destination : m->source;
    if (s->probing)
        return graph_peer(g, s, s->event.comm, s->event.from, &ignored);
    for (int32_t i = 0; need.collective && i < need.collective->p; i++)
        if (!need.collective->members[i].arrived && !need.collective->members[i].foreign)
            return mpg_trace_comm(g->trace, need.collective->comm)->world_ranks[i];
    return NO_RANK;
}

/* The thread that holds up the first blocked one: the end of the chain of who waits
 * for whom, or that of the least rank of the circle that it runs into. */
static struct stream *find_culprit(struct mpg_graph *g, bool *circle)
{
    struct stream *s = NULL;
    for (int32_t rank = 0; rank < g->ranks && !s; rank++)
        s = blocked_stream(g, rank);
    *circle = false;
    for (int32_t steps = 0; s && steps < g->ranks; steps++) {
        int32_t next = waits_for(g, s);
        struct stream *other = next < 0 ? NULL : blocked_stream(g, next);
        if (!other)
            return s;
        s = other;
    }
    if (!s)
        return NULL;
    struct stream *least = s; /* after so many steps this one is in the circle */
    for (struct stream *t = blocked_stream(g, waits_for(g, s)); t != s;
         t = blocked_stream(g, waits_for(g, t)))
        least = t->rank < least->rank ? t : least;
    *circle = true;
    return least;
}

static int explain_collective(const struct mpg_graph *g, const struct stream *s,
                              const struct collective *c, const char *why, struct mpg_error *err)
{
    const struct mpg_comm *comm = mpg_trace_comm(g->trace, c->comm);
    struct place here = graph_here(s);
    int32_t missing = 0, me = 0;
    while (missing < c->p && (c->members[missing].arrived || c->members[missing].foreign))
        missing++;
    for (int32_t i = 0; i < c->p; i++)
        if (comm->world_ranks[i] == s->rank)
            me = i;
    char posted[64] = "";
    if (c->members[me].place.number != here.number)
        snprintf(posted, sizeof posted, " what its call %llu (MPI_%s) starts",
                 (unsigned long long)c->members[me].place.number, mpg_call_name(c->called));
    return graph_error(&here, err,
                       "only %d of %d ranks of communicator %d call%s, rank %d does not%s",
                       c->arrived, c->expected, comm->label, *posted ? posted : " it",
                       missing < c->p ? comm->world_ranks[missing] : s->rank, why);
}

static int explain(const struct mpg_graph *g, const struct stream *s, bool circle,
                   struct mpg_error *err)
{
    struct place here = graph_here(s);
    struct need need = find_need(s);
    const struct message *m = need.message;
    const char *why = circle ? "; ranks wait for each other" : "";
    if (need.collective)
        return explain_collective(g, s, need.collective, why, err);
    if (m && need.as_sender)
        return graph_error(&here, err,
                           "no receive matches the synchronous send of %lld bytes in call %llu%s%s",
                           (long long)m->bytes, (unsigned long long)m->sent.number, why,
                           circle && mpg_call_is_standard(m->sent.call)
                               ? " (would a larger --eager-limit let it go?)"
                               : "");
    if (m && m->is_posted)
        return graph_error(&here, err, "no send matches the receive posted in call %llu%s",
                           (unsigned long long)m->posted.number, why);
    return graph_error(&here, err, "no send matches%s", why);
}

int graph_explain_stall(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    const struct stream *s = find_culprit(g, &circle);
    if (!s)
        return mpg_error_set(err, "no rank can go on");
    if (graph_explain_dead(g, err))
        return -1;
    return explain(g, s, circle, err);
}

/* Gives up on M, if S waits for it. */
static uint32_t give_up(struct message *m, const struct stream *s)
{
    if (!m || (m->receive_waiter != s && m->send_waiter != s && m->probe_waiter != s))
        return 0;
    if (m->receive_waiter == s)
        m->receive_waiter = NULL;
    if (m->send_waiter == s)
        m->send_waiter = NULL;
    if (m->probe_waiter == s)
        m->probe_waiter = NULL;
    m->given_up = true;
    return 1;
}

static uint32_t give_up_collective(struct collective *c, const struct stream *s)
{
    uint32_t n = 0;
    for (int32_t i = 0; c && i < c->p; i++)
        if (c->members[i].waiter == s) {
            c->members[i].waiter = NULL;
            n = 1;
        }
    return n;
}

/* Takes S off every list of those who wait, and counts what it goes without. */
static uint32_t forget_needs(struct stream *s)
{
    uint32_t n = give_up(s->receiving, s) + give_up(s->sending, s) + give_up(s->probed, s) +
                 graph_give_up_group(s->group, s) + give_up_collective(s->collective, s);
    if (s->probing) {
        graph_forget_probe(s);
        n++;
    }
    for (uint32_t i = 0; i < s->completing_count; i++) {
        struct request *q = s->completing[i];
        n += give_up(q->message, s) + graph_give_up_group(q->group, s) +
             give_up_collective(q->collective, s);
    }
    s->unmet = 1;
    return n;
}

int graph_drop_needs(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    struct stream *s = find_culprit(g, &circle);
    if (!s)
        return mpg_error_set(err, "no rank can go on");
    g->counts.unmatched += forget_needs(s);
    graph_satisfy(g, s);
    return 0;
}
