/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weak sends complete only when the receiver is inside an MPI call, the progress call: finds this call for each weak send.
 * Also counts observations of sends that waited. */
#include "graph/matching/weak_progress.h"

#include <math.h>
#include <stdlib.h>

int mpg_graph_progress_init(struct progress *c, const struct mpg_weak_progress *limits, bool observes, int32_t ranks,
                            struct steps *steps, struct mpg_error *err)
{
    *c = (struct progress){.observes = observes, .ranks = ranks, .steps = steps, .pool = {.size = sizeof(struct progress_call)},
                           .waiter_pool = {.size = sizeof(struct progress_waiter)},
                           .latest_ns = -INFINITY, .received_ns = -INFINITY};
    if (limits)
        c->limits = *limits;
    c->is_on = observes || (limits && mpg_weak_progress_any(limits));
    c->serves = observes || (limits && limits->rma_number > 0);
    if (c->is_on && !(c->rank = calloc((size_t)ranks, sizeof *c->rank)))
        return mpg_graph_out_of_memory(err);
    for (int32_t r = 0; c->is_on && r < ranks; r++)
        c->rank[r].latest_ns = -INFINITY; /* times count from rank 0's first event and can be negative */
    return 0;
}

/* Releases one reference to P. */
static void release(struct progress *c, struct progress_call *p)
{
    if (--p->users > 0)
        return;
    graph_free_slot(c->steps, p->slot);
    mpg_pool_give(&c->pool, p);
}

void mpg_graph_progress_clear(struct progress *c)
{
    mpg_pool_clear(&c->pool);
    mpg_pool_clear(&c->waiter_pool);
    free(c->rank);
    mpg_graph_evidence_clear(&c->blocking);
    mpg_graph_evidence_clear(&c->requested);
    mpg_graph_evidence_clear(&c->posted);
    mpg_graph_evidence_clear(&c->starts);
    free(c->rma_evidence);
    *c = (struct progress){0};
}

/* Returns whether MPI libraries progress messages of earlier calls inside CALL; false for calls that only start an operation. */
static bool progresses_messages(const struct call *call)
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

/* Returns whether MPI libraries progress one-sided transfers to this rank inside CALL: false for calls that copy without the
 * target, or only take a lock. */
static bool progresses_transfers(const struct call *call)
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

/* Makes P the progress call of M, until a later call replaces it. */
static void take(struct progress *c, struct message *m, struct progress_call *p)
{
    struct more_of_message *more = graph_more(m);
    if (more->progress_call)
        release(c, more->progress_call);
    more->progress_call = p;
    p->users++;
}

/* Ends the search for M's progress call with the result P. If P is NULL or begins only after the call that completes M's send,
 * M keeps the progress call found before, if any. */
static void settle(struct progress *c, struct message *m, struct progress_call *p)
{
    struct more_of_message *more = graph_more(m);
    m->has_progress_call = true;
    if (p && (!more->progress_call || p->enter_ns <= more->progress_until_ns))
        take(c, m, p);
    graph_wake(&more->weak_waiter);
}

/* Returns whether P cannot have progressed M: the receiver was in P before M was sent, and P ended before M's send completed.
 * The receiver's next call then counts, if begun before M's send completed. */
static bool was_inside_before(const struct progress *c, const struct progress_call *p, const struct message *m)
{
    const double until_ns = graph_more(m)->progress_until_ns;
    return !c->observes && isfinite(until_ns) && p->enter_ns < m->sender_ns && p->leave_ns < until_ns;
}

/* If P cannot have progressed M, makes P the progress call for the case that no later call begins before M's send completes.
 * Returns whether P became the progress call. */
static bool takes_as_default(struct progress *c, struct message *m, struct progress_call *p)
{
    if (graph_more(m)->progress_call || !was_inside_before(c, p, m))
        return false;
    take(c, m, p);
    return true;
}

/* Returns whether M starts only when the receive is posted. Not for observations: eager sends would seem to wait for receives
 * posted much later. */
static bool starts_when_posted(const struct progress *c, const struct message *m)
{
    if (mpg_is_inserted(m->sent_number))
        return false;
    return m->sync_source || (m->sent_requested && !c->observes);
}

/* Returns whether P is the call that receives the inserted message number SENT_NUMBER; sending and receiving call have equal
 * numbers. P lasts until the message arrives, whenever P began in the traced run. */
static bool receives_inserted(const struct progress_call *p, uint64_t sent_number)
{
    return p->number == sent_number && mpg_is_inserted(sent_number);
}

/* Returns whether M can progress in P: M can start before P ends. */
static bool progresses(const struct progress *c, const struct progress_call *p, const struct message *m)
{
    return (p->leave_ns >= graph_more(m)->progress_from_ns || receives_inserted(p, m->sent_number)) &&
           (!starts_when_posted(c, m) || p->position >= 2 * m->posted_number);
}

/* Returns the progress call among RECENT_CALLS: the first, in order of begin, at POSITION or later that ends at or after
 * FROM_NS or receives the message of inserted call SENT (0: none). NULL: not found. *IS_KNOWN is false if the progress call
 * may be a call that RECENT_CALLS no longer holds. */
static struct progress_call *find_progress_call(const struct recent_calls *recent_calls, uint64_t position, double from_ns,
                                                uint64_t sent,
                                                bool *is_known)
{
    const uint64_t first = recent_calls->n > PROGRESS_CALLS_KEPT ? recent_calls->n - PROGRESS_CALLS_KEPT : 0;
    uint64_t i = first;
    while (i < recent_calls->n && (recent_calls->progress_call[i % PROGRESS_CALLS_KEPT]->position < position ||
                                   (recent_calls->progress_call[i % PROGRESS_CALLS_KEPT]->leave_ns < from_ns &&
                                    !receives_inserted(recent_calls->progress_call[i % PROGRESS_CALLS_KEPT], sent))))
        i++;
    /* The first match may be an earlier call, no longer kept. */
    *is_known = i == recent_calls->n || i > first || first == 0;
    return i < recent_calls->n && *is_known ? recent_calls->progress_call[i % PROGRESS_CALLS_KEPT] : NULL;
}

/* Stores CALL, which ends at LEAVE_NS, at the end of RECENT_CALLS. Returns NULL with ERR: out of memory. */
static struct progress_call *keep(struct progress *c, struct recent_calls *recent_calls, const struct call *call, double leave_ns,
                                  struct mpg_error *err)
{
    struct progress_call *p = mpg_pool_take(&c->pool), **place =
        &recent_calls->progress_call[recent_calls->n % PROGRESS_CALLS_KEPT];
    if (!p) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    *p = (struct progress_call){
        .enter_ns = call->enter_ns, .leave_ns = leave_ns, .number = call->number, .position = c->rank[call->rank].position,
        .users = 1};
    if (mpg_graph_store(c->steps, call, &p->slot, err) < 0)
        return NULL;
    if (recent_calls->n >= PROGRESS_CALLS_KEPT)
        release(c, *place);
    *place = p;
    recent_calls->n++;
    return p;
}

int mpg_graph_note_progress_call(struct progress *c, struct call *call, double leave_ns, bool is_alone, struct mpg_error *err)
{
    if (!c->is_on)
        return 0;
    struct progress_calls *all = &c->rank[call->rank];
    all->position = mpg_is_inserted(call->number) ? all->position | 1 : 2 * call->number;
    if (all->all.n > 0 && is_alone)
        call->progressed_ns = all->all.progress_call[(all->all.n - 1) % PROGRESS_CALLS_KEPT]->leave_ns;
    const bool sees = progresses_messages(call);
    if (!sees && !(c->serves && progresses_transfers(call)))
        return 0;
    struct progress_call *p = keep(c, sees ? &all->all : &all->windows, call, leave_ns, err);
    if (!p)
        return -1;
    if (!sees)
        return 0;
    for (struct message **link = &all->first; *link;) {
        struct message *m = *link;
        if (!progresses(c, p, m) || takes_as_default(c, m, p)) {
            link = &graph_more(m)->weak_next;
            continue;
        }
        *link = graph_more(m)->weak_next;
        settle(c, m, p);
    }
    return 0;
}

/* SENDER has not yet sent M, the message of its MPI_Win_post. Returns whether SENDER sends M only after the MPI_Win_start that
 * waits for M ends. */
static bool is_posted_late(const struct progress_calls *sender, const struct message *m)
{
    return sender->is_over || sender->latest_ns > graph_more(m)->progress_until_ns;
}

void mpg_graph_await_post(struct progress *c, struct message *m, double leave_ns, struct waiter *waiter)
{
    struct progress_calls *sender = &c->rank[m->source];
    graph_more(m)->progress_until_ns = leave_ns;
    if (m->arrived || is_posted_late(sender, m))
        return;
    graph_more(m)->weak_next = sender->posts;
    sender->posts = m;
    graph_await(waiter, &m->receive_waiter);
}

/* Removes M from LIST. */
static void unlist(struct message **list, const struct message *m)
{
    while (*list && *list != m)
        list = &graph_more(*list)->weak_next;
    if (*list)
        *list = graph_more(m)->weak_next;
}

void mpg_graph_forget_post(struct progress *c, const struct message *m)
{
    if (c->limits.win_start_waits)
        unlist(&c->rank[m->source].posts, m);
}

/* Wakes the MPI_Win_start calls that wait for an MPI_Win_post of SENDER that comes too late; with ALL, for any MPI_Win_post of
 * SENDER. Returns whether any call was woken. */
static bool release_win_starts(struct progress_calls *sender, bool all)
{
    bool any = false;
    for (struct message **link = &sender->posts; *link;) {
        struct message *m = *link;
        if (!all && !is_posted_late(sender, m)) {
            link = &graph_more(m)->weak_next;
            continue;
        }
        *link = graph_more(m)->weak_next;
        graph_wake(&m->receive_waiter);
        any = true;
    }
    return any;
}

/* Returns whether all calls of the rank that begin before UNTIL_NS are known. Calls that begin exactly at UNTIL_NS may be
 * missing: otherwise ranks that leave calls at equal times would wait for each other. */
static bool has_passed(const struct progress_calls *all, double until_ns)
{
    return all->is_over || all->latest_ns >= until_ns;
}

int mpg_graph_await_progress(struct progress *c, int32_t rank, double until_ns, struct waiter *waiter, struct mpg_error *err)
{
    struct progress_calls *all = &c->rank[rank];
    if (has_passed(all, until_ns))
        return 0;
    struct progress_waiter *p = mpg_pool_take(&c->waiter_pool);
    if (!p)
        return mpg_graph_out_of_memory(err);
    *p = (struct progress_waiter){all->progress_waiter, until_ns, waiter};
    all->progress_waiter = p;
    waiter->unmet++;
    return 0;
}

/* Wakes the calls that wait until the rank of ALL has passed a time, if the rank has passed this time; with EVERY, all waiting
 * calls. Returns whether any call was woken. */
static bool release_waiters(struct progress *c, struct progress_calls *all, bool every)
{
    bool any = false;
    for (struct progress_waiter **link = &all->progress_waiter; *link;) {
        struct progress_waiter *p = *link;
        if (!every && !has_passed(all, p->until_ns)) {
            link = &p->next;
            continue;
        }
        struct waiter *waiter = p->waiter;
        *link = p->next;
        mpg_pool_give(&c->waiter_pool, p);
        graph_satisfy(waiter);
        any = true;
    }
    return any;
}

const struct progress_call *mpg_graph_progress_call_after(const struct progress *c, int32_t rank, uint64_t after, double from_ns,
                                                          bool *is_known)
{
    return find_progress_call(&c->rank[rank].all, 2 * after + 1, from_ns, 0, is_known);
}

const struct progress_call *mpg_graph_rma_progress_call_after(const struct progress *c, int32_t rank, double from_ns,
                                                              bool *is_known)
{
    bool is_known_too;
    const struct progress_call *p = find_progress_call(&c->rank[rank].all, 1, from_ns, 0, is_known);
    const struct progress_call *q = find_progress_call(&c->rank[rank].windows, 1, from_ns, 0, &is_known_too);
    *is_known = *is_known && is_known_too;
    return !*is_known ? NULL : !p || (q && q->position < p->position) ? q : p;
}

/* Returns whether the progress call of M, not known yet, can begin only after the end of the call that completes M's send. */
static bool is_too_late(const struct progress *c, const struct message *m)
{
    return !c->observes && c->rank[m->destination].latest_ns > graph_more(m)->progress_until_ns;
}

void mpg_graph_advance_progress(struct progress *c, int32_t rank, double leave_ns)
{
    if (!c->is_on)
        return;
    struct progress_calls *all = &c->rank[rank];
    all->latest_ns = leave_ns;
    for (struct message **link = &all->first; *link;) {
        struct message *m = *link;
        if (!is_too_late(c, m)) {
            link = &graph_more(m)->weak_next;
            continue;
        }
        *link = graph_more(m)->weak_next;
        settle(c, m, NULL);
    }
    (void)release_win_starts(all, false);
    (void)release_waiters(c, all, false);
}

void mpg_graph_end_progress(struct progress *c, int32_t rank)
{
    if (!c->is_on)
        return;
    struct progress_calls *all = &c->rank[rank];
    all->is_over = true;
    (void)release_win_starts(all, false);
    (void)release_waiters(c, all, false);
    while (all->first) {
        struct message *m = all->first;
        all->first = graph_more(m)->weak_next;
        settle(c, m, NULL);
    }
}

bool mpg_graph_abandon_progress(struct progress *c)
{
    bool any = false;
    for (int32_t r = 0; c->is_on && r < c->ranks; r++) {
        any = release_win_starts(&c->rank[r], true) || any;
        any = release_waiters(c, &c->rank[r], true) || any;
        while (c->rank[r].first) {
            struct message *m = c->rank[r].first;
            c->rank[r].first = graph_more(m)->weak_next;
            settle(c, m, NULL);
            any = true;
        }
    }
    return any;
}

bool mpg_graph_is_weak_send(const struct progress *c, const struct message *m)
{
    const int64_t max = m->sent_requested ? c->limits.requested_bytes : c->limits.blocking_bytes;
    if (mpg_is_inserted(m->sent_number)) /* a synchronous inserted message waits for the receiver anyway */
        return c->is_on && !c->observes && !m->synchronous && m->bytes > max;
    return c->is_on && m->is_of_program && m->standard && m->destination != m->source && (c->observes || m->bytes > max);
}

void mpg_graph_mark_weak_send(const struct progress *c, struct message *m)
{
    m->is_weak = mpg_graph_is_weak_send(c, m);
    if (m->has_more)
        graph_more(m)->progress_until_ns = INFINITY;
}

void mpg_graph_count_resized(const struct progress *c, const struct message *m, struct mpg_graph_counts *counts)
{
    const struct mpg_weak_progress *observed = &c->limits;
    const int64_t min = m->sent_requested ? observed->requested_bytes : observed->blocking_bytes;
    const int64_t left = m->sent_requested ? observed->requested_left : observed->blocking_left;
    if (!observed->is_observed || graph_target_bytes(m) == m->bytes || !m->is_of_program || !m->standard ||
        m->destination == m->source)
        return;
    if (m->is_weak)
        counts->kept_waiting += graph_target_bytes(m) <= min;
    else
        counts->kept_leaving += graph_target_bytes(m) > m->bytes && graph_target_bytes(m) > left && !m->synchronous;
}

static void list(struct progress_calls *all, struct message *m)
{
    graph_more(m)->weak_next = all->first;
    all->first = m;
}

/* Looks for M's progress call among calls at POSITION or later. If the call is not known yet, adds M to the receiver's list of
 * messages without progress call. */
static void look_for_progress_call(struct progress *c, struct message *m, uint64_t position)
{
    struct progress_calls *all = &c->rank[m->destination];
    bool is_known;
    struct progress_call *p = find_progress_call(&all->all, position, m->sender_ns, m->sent_number, &is_known);
    if (p && takes_as_default(c, m, p))
        p = find_progress_call(&all->all, p->position + 1, m->sender_ns, m->sent_number, &is_known);
    if (p || !is_known || all->is_over)
        settle(c, m, p);
    else
        list(all, m);
}

void mpg_graph_weak_send_started(struct progress *c, struct message *m)
{
    if (!m->is_weak || m->has_progress_call)
        return;
    struct progress_calls *all = &c->rank[m->destination];
    unlist(&all->first, m); /* M may be in the list from before the earliest start was known */
    const bool when_posted = starts_when_posted(c, m), can_start = !when_posted || m->is_posted;
    graph_more(m)->progress_from_ns = can_start ? m->sender_ns : INFINITY;
    if (can_start)
        look_for_progress_call(c, m, when_posted ? 2 * m->posted_number : 0);
    else if (all->is_over)
        settle(c, m, NULL);
    else
        list(all, m);
}

void mpg_graph_weak_send_posted(struct progress *c, struct message *m)
{
    if (starts_when_posted(c, m))
        mpg_graph_weak_send_started(c, m);
}

void mpg_graph_await_weak_send(struct progress *c, struct message *m, double leave_ns, struct waiter *waiter)
{
    if (!m->is_weak)
        return;
    struct more_of_message *more = graph_more(m);
    if (!mpg_is_inserted(m->sent_number)) /* inserted calls have no traced end, and last as long as needed */
        more->progress_until_ns = leave_ns;
    if (m->has_progress_call && more->progress_call && was_inside_before(c, more->progress_call, m)) {
        m->has_progress_call = false;
        look_for_progress_call(c, m, more->progress_call->position + 1);
    }
    if (m->has_progress_call)
        return;
    if (is_too_late(c, m)) {
        unlist(&c->rank[m->destination].first, m);
        settle(c, m, NULL);
        return;
    }
    graph_await(waiter, &more->weak_waiter);
}

void mpg_graph_weak_send_received(struct progress *c, const struct message *m)
{
    if (c->observes && m->is_sent && m->sender_ns > c->received_ns)
        c->received_ns = m->sender_ns;
}

/* Counts the longest wait of CALL. The evidence is clear only if CALL began before the progress call for which CALL waited,
 * and received no message sent later than this progress call. */
void mpg_graph_observe_weak_sends(struct progress *c, const struct call *call)
{
    if (!c->observes)
        return;
    if (c->latest_ns > call->enter_ns && c->latest_ns > c->received_ns) {
        struct progress_evidence *e = c->latest_requested ? &c->requested : &c->blocking;
        mpg_graph_evidence_count(e, c->latest_bytes, call->leave_ns >= c->latest_ns ? c->latest_ns - call->enter_ns : -1);
    }
    c->latest_ns = c->received_ns = -INFINITY;
}

int mpg_graph_weak_send_edge(struct progress *c, const struct call *call, struct message *m, struct mpg_error *err)
{
    const struct progress_call *progress_call = m->has_more ? graph_more(m)->progress_call : NULL;
    if (!progress_call)
        return 0;
    if (c->observes && progress_call->enter_ns > graph_more(m)->progress_from_ns && progress_call->enter_ns > c->latest_ns) {
        c->latest_ns = progress_call->enter_ns;
        c->latest_bytes = m->bytes;
        c->latest_requested = m->sent_requested;
    }
    if (c->observes || (progress_call->enter_ns > call->leave_ns && !mpg_is_inserted(call->number)))
        return 0;
    struct mpg_edge *edge = graph_add_edge(c->steps, MPG_EDGE_HELD);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->source = m->destination;
    edge->slot = progress_call->slot;
    edge->from_ns = progress_call->enter_ns;
    edge->awaits_call = true;
    edge->origin = graph_origin(m);
    return 0;
}

void mpg_graph_weak_send_done(struct progress *c, struct message *m)
{
    if (m->is_weak && !m->has_progress_call)
        unlist(&c->rank[m->destination].first, m);
    if (m->has_more && graph_more(m)->progress_call) {
        release(c, graph_more(m)->progress_call);
        graph_more(m)->progress_call = NULL;
    }
}

struct mpg_weak_progress mpg_graph_progress_found(const struct progress *c)
{
    double blocking_ns, requested_ns;
    const uint64_t unexplained =
        mpg_graph_evidence_unexplained(&c->blocking, &blocking_ns) + mpg_graph_evidence_unexplained(&c->requested, &requested_ns);
    return (struct mpg_weak_progress){.blocking_bytes = mpg_graph_evidence_limit(&c->blocking, MPG_WAITED_OFTEN),
                                      .requested_bytes = mpg_graph_evidence_limit(&c->requested, MPG_WAITED_OFTEN),
                                      .tree_bytes = mpg_graph_evidence_limit(&c->posted, 1),
                                      .win_start_waits = mpg_graph_evidence_limit(&c->starts, MPG_WAITED_OFTEN) < INT64_MAX,
                                      .nonblocking_bytes = INT64_MAX,
                                      .is_observed = true,
                                      .blocking_left = mpg_graph_evidence_left(&c->blocking),
                                      .requested_left = mpg_graph_evidence_left(&c->requested),
                                      .unexplained = unexplained,
                                      .unexplained_ns = blocking_ns + requested_ns};
}
