/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are laid aside, with copies of their lists. */
#include <stdlib.h>
#include <string.h>

#include "graph/requests/table.h"
#include "graph/schedule/ahead.h"

enum { MAX_AHEAD = 256 }; /* calls of a rank: graph_may_go() looks at all pairs */

struct ahead {
    struct ahead *next;
    struct mpg_event event;
    uint64_t number;
    int64_t lists[];
};

static bool shares_comm(const struct mpg_event *a, const struct mpg_event *b)
{
    return (a->comm != MPG_NO_COMM && (a->comm == b->comm || a->comm == b->newcomm)) ||
           (a->newcomm != MPG_NO_COMM && (a->newcomm == b->comm || a->newcomm == b->newcomm));
}

/* Whether LATER has to come after EARLIER, of the same rank. */
static bool must_follow(const struct mpg_event *later, const struct mpg_event *earlier)
{
    return later->thread == earlier->thread || shares_comm(later, earlier) ||
           (later->object != MPG_NO_OBJECT && later->object == earlier->object) ||
           (later->request_number > 0 && earlier->request_number > 0) ||
           (later->persistent && earlier->persistent) ||
           mpg_call_kind(later->call) == MPG_KIND_FINALIZE;
}

static bool is_waiting(const struct rank_run *r, uint32_t thread)
{
    for (const struct stream *s = r->streams; s; s = s->sibling)
        if (s->thread == thread)
            return s->phase == PHASE_WAIT;
    return false;
}

/* Whether EVENT is its thread's first, and a call that had been left then has not been yet: the
 * thread goes on from there. */
static bool begins_later(const struct rank_run *r, const struct mpg_event *event)
{
    bool later = false;
    for (const struct stream *s = r->streams; s; s = s->sibling) {
        if (s->thread == event->thread)
            return false;
        later = later ||
                (s->phase == PHASE_WAIT && s->call.event->leave_ns <= event->enter_ns);
    }
    return later;
}

/* Whether EVENT, of R's rank, receives what the probe of S, another thread that is in it still, has to find. One that entered
 * before the probe was over takes what comes first, as in MPI, if something may need that it is posted. What only waits for
 * its message waits for nothing that the probe, which entered before it, does not wait for. */
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
        return graph_starts_receive(&r->requests, event, probe->comm, probe->from, probe->tag);
    default:
        return false;
    }
}

/* Whether EVENT has to leave its message to a probe until that has found it. */
static bool is_still_probed(const struct rank_run *r, const struct mpg_event *event)
{
    for (const struct stream *s = r->streams; s; s = s->sibling)
        if (s->phase == PHASE_WAIT && takes_found(r, s, event))
            return true;
    return false;
}

bool graph_may_go(const struct rank_run *r, const struct mpg_event *event)
{
    if (is_waiting(r, event->thread) || begins_later(r, event) || is_still_probed(r, event))
        return false;
    for (const struct ahead *a = r->ahead; a && &a->event != event; a = a->next)
        if (must_follow(event, &a->event))
            return false;
    return true;
}

bool graph_ahead_can_go(const struct rank_run *r)
{
    for (const struct ahead *a = r->ahead; a; a = a->next)
        if (graph_may_go(r, &a->event))
            return true;
    return false;
}

const struct mpg_event *graph_ahead_take(struct rank_run *r, uint64_t *number)
{
    struct ahead **link = &r->ahead;
    free(r->taken);
    r->taken = NULL;
    while (*link && !graph_may_go(r, &(*link)->event))
        link = &(*link)->next;
    if (!*link)
        return NULL;
    r->taken = *link;
    *link = r->taken->next;
    r->ahead_count--;
    *number = r->taken->number;
    return &r->taken->event;
}

/* N numbers of LIST at *END, which moves on. */
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

/* So many numbers are a resolution. */
enum { OF_A_RESOLUTION = sizeof(struct mpg_resolution) / sizeof(int64_t) };
_Static_assert(sizeof(struct mpg_resolution) % sizeof(int64_t) == 0, "resolutions do not fill numbers");

/* Lays R's next call aside, with lists of its own. */
static int lay_aside(struct rank_run *r, struct mpg_error *err)
{
    const struct mpg_event *e = r->next;
    size_t persistent = e->persistent && e->request_number == 0 ? 1 : e->request_number;
    size_t n = (size_t)e->count_number + e->request_number + persistent + e->done_number +
               e->cancelled_number + e->value_number + (size_t)OF_A_RESOLUTION * e->resolution_number;
    struct ahead *a = malloc(sizeof *a + n * sizeof a->lists[0]), **link = &r->ahead;
    if (!a)
        return graph_out_of_memory(err);
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
    while (*link)
        link = &(*link)->next;
    *link = a;
    r->ahead_count++;
    r->next = NULL;
    return 0;
}

int graph_ahead_insert(struct rank_run *r, const struct mpg_event *event, uint64_t number, struct mpg_error *err)
{
    struct ahead *a = malloc(sizeof *a + event->value_number * sizeof a->lists[0]);
    if (!a)
        return graph_out_of_memory(err);
    int64_t *end = a->lists;
    *a = (struct ahead){.next = r->ahead, .event = *event, .number = number};
    a->event.values = keep(&end, event->values, event->value_number);
    r->ahead = a;
    r->ahead_count++;
    return 0;
}

int graph_look_ahead(struct rank_run *r, struct mpg_error *err)
{
    if (!r->next || r->ahead_count == MAX_AHEAD || r->threads < 2 ||
        mpg_call_kind(r->next->call) == MPG_KIND_FINALIZE)
        return 0;
    return lay_aside(r, err) < 0 ? -1 : 1;
}

void graph_ahead_clear(struct rank_run *r)
{
    free(r->taken);
    r->taken = NULL;
    while (r->ahead) {
        struct ahead *next = r->ahead->next;
        free(r->ahead);
        r->ahead = next;
    }
}
