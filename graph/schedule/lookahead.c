/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Held calls: calls of a rank that are read but not begun yet, so that later calls of other threads can go first. A held
 * call has copies of all lists, since the reader reuses the originals. */
#include <stdlib.h>
#include <string.h>

#include "graph/schedule/lookahead.h"

enum { MAX_AHEAD = 256 }; /* maximum number of held calls of a rank: mpg_graph_may_begin() compares all pairs */

struct held_call {
    struct held_call *next;
    struct mpg_event event;
    uint64_t number;
    int64_t *sorted; /* the request numbers of the event, in ascending order */
    uint32_t sorted_number;
    int64_t lists[];
};

/* Destination and tag of a call's send, source and tag of a call's receive or probe. */
struct ends {
    bool sends, receives;
    int32_t to, tag, from, recvtag;
};

/* Returns whether E is a point-to-point call. Fills ENDS. */
static bool is_point_to_point(const struct mpg_event *e, struct ends *ends)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        *ends = (struct ends){.sends = true, .to = e->to, .tag = e->tag};
        return true;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        *ends = (struct ends){.receives = true, .from = e->from, .recvtag = e->tag};
        return true;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        *ends = (struct ends){true, true, e->to, e->tag, e->from, e->recvtag};
        return true;
    default:
        return false;
    }
}

/* Returns whether two ranks, or tags, of receives can be equal. MPG_UNKNOWN is a receive whose source or tag is not known
 * yet. */
static bool may_be_same(int32_t a, int32_t b)
{
    return a == b || a == MPG_UNKNOWN || b == MPG_UNKNOWN;
}

static bool is_collective(const struct mpg_event *e)
{
    return mpg_call_kind(e->call) == MPG_KIND_COLLECTIVE || mpg_call_kind(e->call) == MPG_KIND_ICOLLECTIVE;
}

/* Returns whether A and B, on one communicator, must stay in order. Two point-to-point calls must if both can match the
 * same message; a point-to-point call and a collective need not; all other pairs must. */
static bool match_in_order(const struct mpg_event *a, const struct mpg_event *b)
{
    struct ends of_a, of_b;
    const bool a_has = is_point_to_point(a, &of_a), b_has = is_point_to_point(b, &of_b);
    if (!a_has || !b_has)
        return !(a_has && is_collective(b)) && !(b_has && is_collective(a));
    return (of_a.sends && of_b.sends && of_a.to == of_b.to && of_a.tag == of_b.tag) ||
           (of_a.receives && of_b.receives && may_be_same(of_a.from, of_b.from) &&
            may_be_same(of_a.recvtag, of_b.recvtag));
}

static bool are_ordered_by_comm(const struct mpg_event *a, const struct mpg_event *b)
{
    if (a->newcomm != MPG_NO_COMM && (a->newcomm == b->comm || a->newcomm == b->newcomm))
        return true;
    return a->comm != MPG_NO_COMM &&
           (a->comm == b->newcomm || (a->comm == b->comm && match_in_order(a, b)));
}

/* Returns whether A starts persistent requests, whose messages are not known here, while B is a point-to-point call with
 * a request. */
static bool may_start_same(const struct mpg_event *a, const struct mpg_event *b)
{
    struct ends ends;
    return mpg_call_kind(a->call) == MPG_KIND_START && b->request_number > 0 && is_point_to_point(b, &ends);
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether LATER and A use a common request. */
static bool shares_request(const struct mpg_event *later, const struct held_call *a)
{
    for (uint32_t i = 0; a->sorted_number > 0 && i < later->request_number; i++)
        if (later->requests[i] >= a->sorted[0] && later->requests[i] <= a->sorted[a->sorted_number - 1] &&
            bsearch(&later->requests[i], a->sorted, a->sorted_number, sizeof a->sorted[0], compare_numbers))
            return true;
    return false;
}

/* Returns whether LATER must be begun after A, a call of the same rank. */
static bool must_follow(const struct mpg_event *later, const struct held_call *a)
{
    const struct mpg_event *earlier = &a->event;
    return later->thread == earlier->thread || are_ordered_by_comm(later, earlier) ||
           (later->object != MPG_NO_OBJECT && later->object == earlier->object) ||
           (later->persistent && earlier->persistent) || may_start_same(later, earlier) ||
           may_start_same(earlier, later) || shares_request(later, a) ||
           mpg_call_kind(later->call) == MPG_KIND_FINALIZE;
}

static bool is_waiting(const struct rank_run *r, uint32_t thread)
{
    for (const struct stream *s = r->streams; s; s = s->sibling)
        if (s->thread == thread)
            return s->phase == PHASE_WAIT;
    return false;
}

/* Returns whether EVENT is the first of its thread, in a rank that already has a thread. */
static bool is_first(const struct rank_run *r, const struct mpg_event *event)
{
    for (const struct stream *s = r->streams; s; s = s->sibling)
        if (s->thread == event->thread)
            return false;
    return r->streams != NULL;
}

/* Returns whether the thread that begins with EVENT must wait, because the graph has not yet left the call from which the
 * thread starts: the last call that the thread of MPI_Init left before EVENT in the trace. */
static bool begins_later(const struct rank_run *r, const struct mpg_event *event)
{
    const struct stream *creator = r->streams;
    if (!is_first(r, event))
        return false;
    for (const struct held_call *a = r->held_call; a && &a->event != event; a = a->next)
        if (a->event.thread == creator->thread)
            return true;
    return creator->phase == PHASE_WAIT && creator->call.event->leave_ns <= event->enter_ns;
}

/* Thread S waits in a probe. Returns whether EVENT, a call of S's rank, would take the probe's message and must therefore
 * follow the probe. An MPI_Recv or a matched probe always must, since no rank can need the call earlier. Any other
 * receive that entered before the probe ended need not, as in MPI: a rank may need the receive's post. */
static bool takes_found(const struct rank_run *r, const struct stream *s, const struct mpg_event *event)
{
    const struct mpg_event *probe = s->call.event;
    const enum mpg_kind kind = mpg_call_kind(event->call);
    if (s->probing.taken)
        return (kind == MPG_KIND_MRECV || kind == MPG_KIND_IMRECV) && event->message == probe->message;
    const bool only_waits = kind == MPG_KIND_RECV || kind == MPG_KIND_MPROBE;
    if (!s->probing.channel || (!only_waits && event->enter_ns < probe->leave_ns))
        return false;
    switch (kind) {
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_MPROBE:
        return event->comm == probe->comm && event->from == probe->from && event->tag == probe->tag;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        return event->comm == probe->comm && event->from == probe->from && event->recvtag == probe->tag;
    case MPG_KIND_START:
        return mpg_graph_starts_receive(&r->requests, event, probe->comm, probe->from, probe->tag);
    default:
        return false;
    }
}

/* Returns whether EVENT must not receive yet, because a waiting probe has to find the message first. */
static bool is_still_probed(const struct rank_run *r, const struct mpg_event *event)
{
    for (const struct stream *s = r->streams; s; s = s->sibling)
        if (s->phase == PHASE_WAIT && takes_found(r, s, event))
            return true;
    return false;
}

bool mpg_graph_may_begin(const struct rank_run *r, const struct mpg_event *event)
{
    if (is_waiting(r, event->thread) || begins_later(r, event) || is_still_probed(r, event))
        return false;
    for (const struct held_call *a = r->held_call; a && &a->event != event; a = a->next)
        if (must_follow(event, a))
            return false;
    return true;
}

bool mpg_graph_held_call_can_begin(const struct rank_run *r)
{
    for (const struct held_call *a = r->held_call; a; a = a->next)
        if (mpg_graph_may_begin(r, &a->event))
            return true;
    return false;
}

const struct mpg_event *mpg_graph_held_call_take(struct rank_run *r, uint64_t *number)
{
    struct held_call **link = &r->held_call;
    free(r->taken);
    r->taken = NULL;
    while (*link && !mpg_graph_may_begin(r, &(*link)->event))
        link = &(*link)->next;
    if (!*link)
        return NULL;
    r->taken = *link;
    *link = r->taken->next;
    r->held_count--;
    *number = r->taken->number;
    return &r->taken->event;
}

const struct mpg_event *mpg_graph_held_call_first(const struct rank_run *r, const struct mpg_event *event)
{
    const struct held_call *end = r->taken && &r->taken->event == event ? r->taken->next : NULL;
    for (const struct held_call *a = r->held_call; a && a != end; a = a->next)
        if (is_first(r, &a->event))
            return &a->event;
    return NULL;
}

/* Copies the N numbers of LIST to *END, increases *END by N, and returns the copy; NULL if LIST is NULL. */
static const int64_t *keep(int64_t **end, const int64_t *list, size_t n)
{
    int64_t *kept = *end;
    if (!list)
        return NULL;
    if (n > 0)
        memcpy(kept, list, n * sizeof *list);
    *end += n;
    return kept;
}

/* Size of a struct mpg_resolution, in elements of `lists` of struct held_call. */
enum { OF_A_RESOLUTION = sizeof(struct mpg_resolution) / sizeof(int64_t) };
_Static_assert(sizeof(struct mpg_resolution) % sizeof(int64_t) == 0, "resolutions do not fill numbers");

/* Holds the next call of R, with copies of all lists. */
static int hold_next_call(struct rank_run *r, struct mpg_error *err)
{
    const struct mpg_event *e = r->next;
    size_t persistent = e->persistent && e->request_number == 0 ? 1 : e->request_number;
    size_t n = (size_t)e->count_number + 2 * (size_t)e->request_number + persistent + e->done_number +
               e->cancelled_number + e->value_number + (size_t)OF_A_RESOLUTION * e->resolution_number;
    struct held_call *a = malloc(sizeof *a + n * sizeof a->lists[0]), **link = &r->held_call;
    if (!a)
        return mpg_graph_out_of_memory(err);
    a->next = NULL;
    a->event = *e;
    a->number = r->next_number;
    int64_t *end = a->lists;
    a->event.counts = keep(&end, e->counts, e->count_number);
    a->event.requests = keep(&end, e->requests, e->request_number);
    a->event.persistent = keep(&end, e->persistent, persistent);
    a->event.done = keep(&end, e->done, e->done_number);
    a->event.cancelled = keep(&end, e->cancelled, e->cancelled_number);
    a->event.values = keep(&end, e->values, e->value_number);
    a->event.resolutions =
        (const void *)keep(&end, (const void *)e->resolutions, (size_t)OF_A_RESOLUTION * e->resolution_number);
    a->sorted = end;
    a->sorted_number = e->requests ? e->request_number : 0;
    (void)keep(&end, e->requests, a->sorted_number);
    qsort(a->sorted, a->sorted_number, sizeof a->sorted[0], compare_numbers);
    while (*link)
        link = &(*link)->next;
    *link = a;
    r->held_count++;
    r->next = NULL;
    return 0;
}

int mpg_graph_held_call_insert(struct rank_run *r, const struct mpg_event *event, uint64_t number, struct mpg_error *err)
{
    struct held_call *a = malloc(sizeof *a + event->value_number * sizeof a->lists[0]);
    if (!a)
        return mpg_graph_out_of_memory(err);
    int64_t *end = a->lists;
    *a = (struct held_call){.next = r->held_call, .event = *event, .number = number};
    a->event.values = keep(&end, event->values, event->value_number);
    r->held_call = a;
    r->held_count++;
    return 0;
}

int mpg_graph_look_ahead(struct rank_run *r, struct mpg_error *err)
{
    if (!r->next || r->held_count == MAX_AHEAD || r->threads < 2 ||
        mpg_call_kind(r->next->call) == MPG_KIND_FINALIZE)
        return 0;
    return hold_next_call(r, err) < 0 ? -1 : 1;
}

void mpg_graph_held_calls_clear(struct rank_run *r)
{
    free(r->taken);
    r->taken = NULL;
    while (r->held_call) {
        struct held_call *next = r->held_call->next;
        free(r->held_call);
        r->held_call = next;
    }
}
