/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains why no rank can go on: follows the chain of waits from the first blocked thread on. */
#include "graph/schedule/stall.h"

#include "graph/schedule/choosing.h"
#include "graph/schedule/incomplete.h"

static bool is_missing(const struct message *m)
{
    return m && !m->arrived;
}

/* Returns the message or collective awaited by S. */
static struct need find_need(const struct stream *s)
{
    struct need need = {.part = s->part.collective ? &s->part : NULL};
    if (is_missing(s->receiving))
        need.message = s->receiving;
    else if (is_missing(s->sending) && s->sending->synchronous) {
        need.message = s->sending;
        need.as_sender = true;
    } else if (mpg_graph_probe_lacks_message(&s->probing))
        need.message = s->probing.taken;
    else
        need.message = mpg_graph_missing_of_group(s->group);
    if (!need.message && !need.part)
        (void)mpg_graph_completion_need(&s->completing, &s->call.waiter, &need);
    return need;
}

static bool is_blocked(const struct stream *s)
{
    return s->phase == PHASE_WAIT && s->call.waiter.unmet > 0;
}

/* Returns the blocked thread without which RANK cannot go on: the thread of the next event if blocked, else the first
 * blocked thread. NULL: no thread of RANK is blocked. */
static struct stream *blocked_stream(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_run *r = g->rank[rank].run;
    struct stream *first = NULL;
    for (struct stream *s = r ? r->streams : NULL; s; s = s->sibling) {
        if (!is_blocked(s))
            continue;
        if (r->next && r->next->thread == s->thread)
            return s;
        first = first ? first : s;
    }
    return first;
}

/* Returns a world rank awaited by the blocked thread S. NO_RANK: none. */
static int32_t waits_for(struct mpg_graph *g, const struct stream *s)
{
    struct need need = find_need(s);
    struct mpg_error ignored;
    if (need.message)
        return need.as_sender ? need.message->destination : need.message->source;
    if (s->probing.channel)
        return mpg_graph_peer(&g->members, &s->call, s->call.event->comm, s->call.event->from, &ignored);
    return need.part ? mpg_graph_part_lacks(&g->collectives, need.part) : NO_RANK;
}

/* Returns the thread at the end of the chain of waits from the first blocked thread. If the chain ends in a cycle, sets
 * *CIRCLE and returns the cycle's thread of the lowest rank. NULL: no thread is blocked. */
static struct stream *find_blocker(struct mpg_graph *g, bool *circle)
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
    struct stream *min = s;   /* after as many steps as there are ranks S must be in the cycle */
    for (struct stream *t = blocked_stream(g, waits_for(g, s)); t != s;
         t = blocked_stream(g, waits_for(g, t)))
        min = t->call.rank < min->call.rank ? t : min;
    *circle = true;
    return min;
}

static int explain(const struct mpg_graph *g, const struct stream *s, bool circle,
                   struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(&s->call);
    struct need need = find_need(s);
    const struct message *m = need.message;
    const char *why = circle ? "; ranks wait for each other" : "";
    if (m && mpg_is_inserted(s->call.number))
        return mpg_graph_error_lenient(&here, err, "rank %d does not reach the paired begin of the region%s",
                                       need.as_sender ? m->destination : m->source, why);
    if (need.part)
        return mpg_graph_explain_part(&g->collectives, need.part, &s->call, why, err);
    if (need.unready)
        return mpg_graph_error_lenient(&here, err,
                                       "%u partitions of the send that starts in call %llu are not "
                                       "ready%s",
                                       need.unready, (unsigned long long)need.start, why);
    if (m && need.as_sender)
        return mpg_graph_error_lenient(
            &here, err, "no receive matches the synchronous send of %lld bytes in call %llu%s%s", (long long)m->bytes,
            (unsigned long long)m->sent_number, why,
            circle && mpg_call_is_standard((enum mpg_call)m->sent_call) ? " (a larger --eager-limit may let it complete)" : "");
    if (m && m->is_posted)
        return mpg_graph_error_lenient(&here, err, "no send matches the receive posted in call %llu%s",
                                       (unsigned long long)m->posted_number, why);
    return mpg_graph_error_lenient(&here, err, "no send matches%s", why);
}

int mpg_graph_explain_stall(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    const struct stream *s = find_blocker(g, &circle);
    if (!s)
        return mpg_error_set(err, "no rank can continue");
    if (mpg_graph_explain_dead(g, err))
        return -1;
    return explain(g, s, circle, err);
}

/* S gives up waiting: removes S from all lists of waiters. Returns the number of waits given up. */
static uint32_t forget_needs(const struct mpg_graph *g, struct stream *s)
{
    struct waiter *waiter = &s->call.waiter;
    mpg_graph_forget_choosing(s);
    mpg_graph_end_choice(&g->rank[s->call.rank].run->requests, &s->call, &s->completing);
    uint32_t n = mpg_graph_abandon_message(s->receiving, waiter) + mpg_graph_abandon_message(s->sending, waiter) +
                 mpg_graph_abandon_probe(&s->probing, waiter) + mpg_graph_abandon_group(s->group, waiter) +
                 mpg_graph_abandon_part(&s->part, waiter) + mpg_graph_abandon_completion(&s->completing, waiter);
    waiter->unmet = 1;
    return n;
}

int mpg_graph_drop_needs(struct mpg_graph *g, struct mpg_error *err)
{
    bool circle;
    struct stream *s = find_blocker(g, &circle);
    if (!s)
        return mpg_error_set(err, "no rank can continue");
    g->counts.unmatched += forget_needs(g, s);
    graph_satisfy(&s->call.waiter);
    return 0;
}
