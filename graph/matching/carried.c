/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who carries which message, and what the trace shows of it. */
#include "graph/matching/carried.h"

#include <math.h>
#include <stdlib.h>

int mpg_graph_carrying_init(struct carrying *c, const struct mpg_carried *limits, bool observes, int32_t ranks,
                            struct steps *steps, struct mpg_error *err)
{
    *c = (struct carrying){.observes = observes, .ranks = ranks, .steps = steps, .pool = {.size = sizeof(struct passage)},
                           .passing_pool = {.size = sizeof(struct passing)},
                           .latest_ns = -INFINITY, .received_ns = -INFINITY};
    if (limits)
        c->limits = *limits;
    c->is_on = observes || (limits && mpg_carries_any(limits));
    c->serves = observes || (limits && limits->served_number > 0);
    if (c->is_on && !(c->rank = calloc((size_t)ranks, sizeof *c->rank)))
        return mpg_graph_out_of_memory(err);
    for (int32_t r = 0; c->is_on && r < ranks; r++)
        c->rank[r].latest_ns = -INFINITY; /* times before rank 0's first event are negative */
    return 0;
}

/* One of its users needs P no more. */
static void let_go(struct carrying *c, struct passage *p)
{
    if (--p->users > 0)
        return;
    graph_free_slot(c->steps, p->slot);
    mpg_pool_give(&c->pool, p);
}

void mpg_graph_carrying_clear(struct carrying *c)
{
    mpg_pool_clear(&c->pool);
    mpg_pool_clear(&c->passing_pool);
    free(c->rank);
    mpg_graph_carried_forget(&c->blocking);
    mpg_graph_carried_forget(&c->requested);
    mpg_graph_carried_forget(&c->posted);
    mpg_graph_carried_forget(&c->starts);
    free(c->served);
    *c = (struct carrying){0};
}

/* Whether a library sees to messages in a call of KIND: not where one only starts something. */
static bool sees_to_messages(const struct call *call)
{
    if (call->event->failed)
        return false;
    switch (mpg_call_kind(call->event->call)) {
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_COMPLETE:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_MRECV:
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_FINALIZE:
        return true;
    case MPG_KIND_SEND:
        return call->event->to != MPG_PROC_NULL;
    default:
        return false;
    }
}

/* Whether it sees to one-sided transfers besides: not where a library copies without the target, or only takes a lock. */
static bool sees_to_transfers(const struct call *call)
{
    if (call->event->failed)
        return false;
    switch (mpg_call_plain(call->event->call)) {
    case MPG_CALL_Accumulate:
    case MPG_CALL_Get_accumulate:
    case MPG_CALL_Fetch_and_op:
    case MPG_CALL_Compare_and_swap:
    case MPG_CALL_Raccumulate:
    case MPG_CALL_Rget_accumulate:
    case MPG_CALL_Win_start:
    case MPG_CALL_Win_complete:
    case MPG_CALL_Win_wait:
    case MPG_CALL_Win_test:
    case MPG_CALL_Win_unlock:
    case MPG_CALL_Win_unlock_all:
    case MPG_CALL_Win_flush:
    case MPG_CALL_Win_flush_all:
    case MPG_CALL_Win_flush_local:
    case MPG_CALL_Win_flush_local_all:
        return true;
    default:
        return false;
    }
}

/* M goes by P, unless something later is found. */
static void take(struct carrying *c, struct message *m, struct passage *p)
{
    struct more_of_message *more = graph_more(m);
    if (more->carrier)
        let_go(c, more->carrier);
    more->carrier = p;
    p->users++;
}

/* M goes by P; without, or if P begins only when the call that completes M's send is over, by what it has taken, or by nobody. */
static void settle(struct carrying *c, struct message *m, struct passage *p)
{
    struct more_of_message *more = graph_more(m);
    m->is_carried = true;
    if (p && (!more->carrier || p->enter_ns <= more->carry_until_ns))
        take(c, m, p);
    graph_wake(&more->carry_waiter);
}

/* Whether M's receiver was in P already when M was sent, and P was over before M's send was, as far as that is known: P did not
 * see to M, if the next call begins by then. */
static bool looked_on(const struct carrying *c, const struct passage *p, const struct message *m)
{
    const double until_ns = graph_more(m)->carry_until_ns;
    return !c->observes && isfinite(until_ns) && p->enter_ns < m->sender_ns && p->leave_ns < until_ns;
}

/* Whether M goes by P only if no other call begins in time: P is taken for now. */
static bool takes_for_now(struct carrying *c, struct message *m, struct passage *p)
{
    if (graph_more(m)->carrier || !looked_on(c, p, m))
        return false;
    take(c, m, p);
    return true;
}

/* Whether M goes no earlier than in the call that posts its receive. What is observed has to do without: who sends what is done
 * at once would wait for that call, which may come only later. */
static bool goes_when_posted(const struct carrying *c, const struct message *m)
{
    if (mpg_is_inserted(m->sent_number))
        return false;
    return m->sync_source || (m->sent_requested && !c->observes);
}

/* Whether M is inserted, and P the call that receives it, which has the same number: that lasts until M comes, whenever it begins
 * in the traced run. */
static bool receives_inserted(const struct passage *p, uint64_t sent_number)
{
    return p->number == sent_number && mpg_is_inserted(sent_number);
}

/* Whether M, of which it is known, can start before the call of P is over. */
static bool carries(const struct carrying *c, const struct passage *p, const struct message *m)
{
    return (p->leave_ns >= graph_more(m)->carry_from_ns || receives_inserted(p, m->sent_number)) &&
           (!goes_when_posted(c, m) || p->turn >= 2 * m->posted_number);
}

/* The first of LATEST, calls of a rank as they begin, that has TURN or a later one and is over at or after FROM_NS, or receives
 * what inserted call SENT sends (0: none). NULL: none so far; or, *IS_KNOWN false, it may be one that is not remembered. */
static struct passage *find_passage(const struct latest *latest, uint64_t turn, double from_ns, uint64_t sent, bool *is_known)
{
    const uint64_t first = latest->n > MOST_PASSAGES ? latest->n - MOST_PASSAGES : 0;
    uint64_t i = first;
    while (i < latest->n && (latest->passage[i % MOST_PASSAGES]->turn < turn ||
                             (latest->passage[i % MOST_PASSAGES]->leave_ns < from_ns &&
                              !receives_inserted(latest->passage[i % MOST_PASSAGES], sent))))
        i++;
    *is_known = i == latest->n || i > first || first == 0; /* one before it may have been the first */
    return i < latest->n && *is_known ? latest->passage[i % MOST_PASSAGES] : NULL;
}

/* That of CALL becomes the last of LATEST; NULL: out of memory. */
static struct passage *keep(struct carrying *c, struct latest *latest, const struct call *call, double leave_ns,
                            struct mpg_error *err)
{
    struct passage *p = mpg_pool_take(&c->pool), **place = &latest->passage[latest->n % MOST_PASSAGES];
    if (!p) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    *p = (struct passage){
        .enter_ns = call->enter_ns, .leave_ns = leave_ns, .number = call->number, .turn = c->rank[call->rank].turn, .users = 1};
    if (mpg_graph_store(c->steps, call, &p->slot, err) < 0)
        return NULL;
    if (latest->n >= MOST_PASSAGES)
        let_go(c, *place);
    *place = p;
    latest->n++;
    return p;
}

int mpg_graph_carry(struct carrying *c, struct call *call, double leave_ns, bool is_alone, struct mpg_error *err)
{
    if (!c->is_on)
        return 0;
    struct passages *all = &c->rank[call->rank];
    all->turn = mpg_is_inserted(call->number) ? all->turn | 1 : 2 * call->number;
    if (all->all.n > 0 && is_alone)
        call->saw_ns = all->all.passage[(all->all.n - 1) % MOST_PASSAGES]->leave_ns;
    const bool sees = sees_to_messages(call);
    if (!sees && !(c->serves && sees_to_transfers(call)))
        return 0;
    struct passage *p = keep(c, sees ? &all->all : &all->windows, call, leave_ns, err);
    if (!p)
        return -1;
    if (!sees)
        return 0;
    for (struct message **link = &all->first; *link;) {
        struct message *m = *link;
        if (!carries(c, p, m) || takes_for_now(c, m, p)) {
            link = &graph_more(m)->carry_next;
            continue;
        }
        *link = graph_more(m)->carry_next;
        settle(c, m, p);
    }
    return 0;
}

/* Whether M, which SENDER has not sent, is so only after the Start that awaits it is over. */
static bool is_posted_late(const struct passages *sender, const struct message *m)
{
    return sender->is_over || sender->latest_ns > graph_more(m)->carry_until_ns;
}

void mpg_graph_await_post(struct carrying *c, struct message *m, double leave_ns, struct waiter *waiter)
{
    struct passages *sender = &c->rank[m->source];
    graph_more(m)->carry_until_ns = leave_ns;
    if (m->arrived || is_posted_late(sender, m))
        return;
    graph_more(m)->carry_next = sender->posts;
    sender->posts = m;
    graph_await(waiter, &m->receive_waiter);
}

/* M is not in LIST. */
static void unlist(struct message **list, const struct message *m)
{
    while (*list && *list != m)
        list = &graph_more(*list)->carry_next;
    if (*list)
        *list = graph_more(m)->carry_next;
}

void mpg_graph_forget_post(struct carrying *c, const struct message *m)
{
    if (c->limits.starts)
        unlist(&c->rank[m->source].posts, m);
}

/* Who waits for Posts of SENDER that come too late goes on; if ALL, for whatever Post: whether there was any. */
static bool let_starts_go(struct passages *sender, bool all)
{
    bool any = false;
    for (struct message **link = &sender->posts; *link;) {
        struct message *m = *link;
        if (!all && !is_posted_late(sender, m)) {
            link = &graph_more(m)->carry_next;
            continue;
        }
        *link = graph_more(m)->carry_next;
        graph_wake(&m->receive_waiter);
        any = true;
    }
    return any;
}

/* Whether all that begins before UNTIL_NS is known. (What begins at it counts nowhere: ranks that leave calls at the same
 * time would wait for each other here.) */
static bool has_passed(const struct passages *all, double until_ns)
{
    return all->is_over || all->latest_ns >= until_ns;
}

int mpg_graph_await_passing(struct carrying *c, int32_t rank, double until_ns, struct waiter *waiter, struct mpg_error *err)
{
    struct passages *all = &c->rank[rank];
    if (has_passed(all, until_ns))
        return 0;
    struct passing *p = mpg_pool_take(&c->passing_pool);
    if (!p)
        return mpg_graph_out_of_memory(err);
    *p = (struct passing){all->passing, until_ns, waiter};
    all->passing = p;
    waiter->unmet++;
    return 0;
}

/* Who waits for a rank to have passed what it has goes on; if ALL, who waits for more, too: whether there was any. */
static bool let_pass(struct carrying *c, struct passages *all, bool every)
{
    bool any = false;
    for (struct passing **link = &all->passing; *link;) {
        struct passing *p = *link;
        if (!every && !has_passed(all, p->until_ns)) {
            link = &p->next;
            continue;
        }
        struct waiter *waiter = p->waiter;
        *link = p->next;
        mpg_pool_give(&c->passing_pool, p);
        graph_satisfy(waiter);
        any = true;
    }
    return any;
}

const struct passage *mpg_graph_passage_after(const struct carrying *c, int32_t rank, uint64_t after, double from_ns,
                                              bool *is_known)
{
    return find_passage(&c->rank[rank].all, 2 * after + 1, from_ns, 0, is_known);
}

const struct passage *mpg_graph_serving_after(const struct carrying *c, int32_t rank, double from_ns, bool *is_known)
{
    bool is_known_too;
    const struct passage *p = find_passage(&c->rank[rank].all, 1, from_ns, 0, is_known);
    const struct passage *q = find_passage(&c->rank[rank].windows, 1, from_ns, 0, &is_known_too);
    *is_known = *is_known && is_known_too;
    return !*is_known ? NULL : !p || (q && q->turn < p->turn) ? q : p;
}

/* Whether who carries M would begin only after the call that completes M's send is over. */
static bool is_too_late(const struct carrying *c, const struct message *m)
{
    return !c->observes && c->rank[m->destination].latest_ns > graph_more(m)->carry_until_ns;
}

void mpg_graph_carry_on(struct carrying *c, int32_t rank, double leave_ns)
{
    if (!c->is_on)
        return;
    struct passages *all = &c->rank[rank];
    all->latest_ns = leave_ns;
    for (struct message **link = &all->first; *link;) {
        struct message *m = *link;
        if (!is_too_late(c, m)) {
            link = &graph_more(m)->carry_next;
            continue;
        }
        *link = graph_more(m)->carry_next;
        settle(c, m, NULL);
    }
    (void)let_starts_go(all, false);
    (void)let_pass(c, all, false);
}

void mpg_graph_carry_over(struct carrying *c, int32_t rank)
{
    if (!c->is_on)
        return;
    struct passages *all = &c->rank[rank];
    all->is_over = true;
    (void)let_starts_go(all, false);
    (void)let_pass(c, all, false);
    while (all->first) {
        struct message *m = all->first;
        all->first = graph_more(m)->carry_next;
        settle(c, m, NULL);
    }
}

bool mpg_graph_carry_gives_up(struct carrying *c)
{
    bool any = false;
    for (int32_t r = 0; c->is_on && r < c->ranks; r++) {
        any = let_starts_go(&c->rank[r], true) || any;
        any = let_pass(c, &c->rank[r], true) || any;
        while (c->rank[r].first) {
            struct message *m = c->rank[r].first;
            c->rank[r].first = graph_more(m)->carry_next;
            settle(c, m, NULL);
            any = true;
        }
    }
    return any;
}

bool mpg_graph_is_to_be_carried(const struct carrying *c, const struct message *m)
{
    const int64_t most = m->sent_requested ? c->limits.requested_bytes : c->limits.blocking_bytes;
    if (mpg_is_inserted(m->sent_number)) /* of one that waits for its receiver by its protocol that is said already */
        return c->is_on && !c->observes && !m->synchronous && m->bytes > most;
    return c->is_on && m->is_user && m->standard && m->destination != m->source && (c->observes || m->bytes > most);
}

void mpg_graph_carry_wants(const struct carrying *c, struct message *m)
{
    m->wants_carrier = mpg_graph_is_to_be_carried(c, m);
    if (m->has_more)
        graph_more(m)->carry_until_ns = INFINITY;
}

void mpg_graph_carry_resized(const struct carrying *c, const struct message *m, struct mpg_graph_counts *counts)
{
    const struct mpg_carried *shown = &c->limits;
    const int64_t least = m->sent_requested ? shown->requested_bytes : shown->blocking_bytes;
    const int64_t left = m->sent_requested ? shown->requested_left : shown->blocking_left;
    if (!shown->is_shown || graph_target_bytes(m) == m->bytes || !m->is_user || !m->standard || m->destination == m->source)
        return;
    if (m->wants_carrier)
        counts->kept_waiting += graph_target_bytes(m) <= least;
    else
        counts->kept_leaving += graph_target_bytes(m) > m->bytes && graph_target_bytes(m) > left && !m->synchronous;
}

static void list(struct passages *all, struct message *m)
{
    graph_more(m)->carry_next = all->first;
    all->first = m;
}

/* M goes by the call of its receiver with TURN or by a later one: settled, or listed where that is still to come. */
static void find_carrier(struct carrying *c, struct message *m, uint64_t turn)
{
    struct passages *all = &c->rank[m->destination];
    bool is_known;
    struct passage *p = find_passage(&all->all, turn, m->sender_ns, m->sent_number, &is_known);
    if (p && takes_for_now(c, m, p))
        p = find_passage(&all->all, p->turn + 1, m->sender_ns, m->sent_number, &is_known);
    if (p || !is_known || all->is_over)
        settle(c, m, p);
    else
        list(all, m);
}

void mpg_graph_carry_message(struct carrying *c, struct message *m)
{
    if (!m->wants_carrier || m->is_carried)
        return;
    struct passages *all = &c->rank[m->destination];
    unlist(&all->first, m); /* which did not know yet when it can start */
    const bool when_posted = goes_when_posted(c, m), can_start = !when_posted || m->is_posted;
    graph_more(m)->carry_from_ns = can_start ? m->sender_ns : INFINITY;
    if (can_start)
        find_carrier(c, m, when_posted ? 2 * m->posted_number : 0);
    else if (all->is_over)
        settle(c, m, NULL);
    else
        list(all, m);
}

void mpg_graph_carry_posted(struct carrying *c, struct message *m)
{
    if (goes_when_posted(c, m))
        mpg_graph_carry_message(c, m);
}

void mpg_graph_await_carrier(struct carrying *c, struct message *m, double leave_ns, struct waiter *waiter)
{
    if (!m->wants_carrier)
        return;
    struct more_of_message *more = graph_more(m);
    if (!mpg_is_inserted(m->sent_number)) /* else it may last */
        more->carry_until_ns = leave_ns;
    if (m->is_carried && more->carrier && looked_on(c, more->carrier, m)) {
        m->is_carried = false;
        find_carrier(c, m, more->carrier->turn + 1);
    }
    if (m->is_carried)
        return;
    if (is_too_late(c, m)) {
        unlist(&c->rank[m->destination].first, m);
        settle(c, m, NULL);
        return;
    }
    graph_await(waiter, &more->carry_waiter);
}

void mpg_graph_carried_received(struct carrying *c, const struct message *m)
{
    if (c->observes && m->is_sent && m->sender_ns > c->received_ns)
        c->received_ns = m->sender_ns;
}

/* What is waited for longest says it: CALL began before its carrier did, and received nothing that left later. */
void mpg_graph_carried_note(struct carrying *c, const struct call *call)
{
    if (!c->observes)
        return;
    if (c->latest_ns > call->enter_ns && c->latest_ns > c->received_ns) {
        struct carried_evidence *e = c->latest_requested ? &c->requested : &c->blocking;
        mpg_graph_carried_count(e, c->latest_bytes, call->leave_ns >= c->latest_ns ? c->latest_ns - call->enter_ns : -1);
    }
    c->latest_ns = c->received_ns = -INFINITY;
}

int mpg_graph_carried_edge(struct carrying *c, const struct call *call, struct message *m, struct mpg_error *err)
{
    const struct passage *carrier = m->has_more ? graph_more(m)->carrier : NULL;
    if (!carrier)
        return 0;
    if (c->observes && carrier->enter_ns > graph_more(m)->carry_from_ns && carrier->enter_ns > c->latest_ns) {
        c->latest_ns = carrier->enter_ns;
        c->latest_bytes = m->bytes;
        c->latest_requested = m->sent_requested;
    }
    if (c->observes || (carrier->enter_ns > call->leave_ns && !mpg_is_inserted(call->number)))
        return 0;
    struct mpg_edge *edge = graph_add_edge(c->steps, MPG_EDGE_HELD);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->source = m->destination;
    edge->slot = carrier->slot;
    edge->from_ns = carrier->enter_ns;
    edge->awaits_call = true;
    edge->origin = graph_origin(m);
    return 0;
}

void mpg_graph_carried_done(struct carrying *c, struct message *m)
{
    if (m->wants_carrier && !m->is_carried)
        unlist(&c->rank[m->destination].first, m);
    if (m->has_more && graph_more(m)->carrier) {
        let_go(c, graph_more(m)->carrier);
        graph_more(m)->carrier = NULL;
    }
}

struct mpg_carried mpg_graph_carried_found(const struct carrying *c)
{
    double blocking_ns, requested_ns;
    const uint64_t unsure =
        mpg_graph_carried_unsure(&c->blocking, &blocking_ns) + mpg_graph_carried_unsure(&c->requested, &requested_ns);
    return (struct mpg_carried){.blocking_bytes = mpg_graph_carried_limit(&c->blocking, MPG_WAITED_OFTEN),
                                .requested_bytes = mpg_graph_carried_limit(&c->requested, MPG_WAITED_OFTEN),
                                .posted_bytes = mpg_graph_carried_limit(&c->posted, 1),
                                .starts = mpg_graph_carried_limit(&c->starts, MPG_WAITED_OFTEN) < INT64_MAX,
                                .moved_bytes = INT64_MAX,
                                .is_shown = true,
                                .blocking_left = mpg_graph_carried_left(&c->blocking),
                                .requested_left = mpg_graph_carried_left(&c->requested),
                                .unsure = unsure,
                                .unsure_ns = blocking_ns + requested_ns};
}
