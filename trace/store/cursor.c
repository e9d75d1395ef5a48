/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cursors: events in order, with the partners of wildcard receives.
 *
 * The tracer learns the partner of a wildcard receive at the completion; matching needs the partner at the post. A second
 * reader of the rank's streams, the look-ahead reader, runs ahead as far as needed and notes how receives end. On ranks that
 * cancel requests, the look-ahead reader also notes how sends end. The cursor remembers two kinds of requests: those open at
 * the look-ahead position, and completed wildcard or cancelled requests that the main reader has not reached. */
#include <stdlib.h>

#include "trace/store/decode.h"

enum { SENDS = 1 << 8 }; /* value for a persistent send in the map; differs from all MPG_ANY_ flags */
enum ending_state { ENDING_PENDING = 1, ENDING_DONE, ENDING_CANCELLED };

/* How a receive or send ends, as found by the look-ahead reader. `reported`: a completion has given source and tag. */
struct ending {
    enum ending_state state;
    bool wildcard, sends, reported;
    bool cancelling; /* the rank has asked to cancel the request */
    int32_t source, tag;
};

struct mpg_cursor {
    struct mpg_merge main, ahead;
    bool looks_ahead, cancels, ahead_ended;
    struct mpg_map endings;     /* request -> 1 + index in `pool` */
    struct mpg_map persistent;  /* persistent request, read ahead -> wildcard flags of a receive, or SENDS */
    struct ending *pool;
    size_t pool_count, pool_capacity;
    size_t *unused;
    size_t unused_count;
    struct mpg_list cancelled; /* cancelled requests of the event being returned */
    size_t cancelled_count;
    struct mpg_list started;
};

struct mpg_cursor *mpg_cursor_open(struct mpg_trace *t, int32_t rank, struct mpg_error *err)
{
    struct mpg_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    c->looks_ahead = t->rank[rank].unresolved;
    c->cancels = t->rank[rank].cancels;
    if (mpg_merge_start(&c->main, t, rank, err) == 0 &&
        (!c->looks_ahead || mpg_merge_start(&c->ahead, t, rank, err) == 0))
        return c;
    mpg_cursor_close(c);
    return NULL;
}

void mpg_cursor_close(struct mpg_cursor *c)
{
    if (!c)
        return;
    mpg_merge_stop(&c->main);
    mpg_merge_stop(&c->ahead);
    mpg_map_clear(&c->endings);
    mpg_map_clear(&c->persistent);
    free(c->pool);
    free(c->unused);
    free(c->cancelled.data);
    free(c->started.data);
    free(c);
}

static int grow_pool(struct mpg_cursor *c)
{
    size_t capacity = c->pool_capacity ? 2 * c->pool_capacity : 64;
    struct ending *pool = realloc(c->pool, capacity * sizeof *pool);
    if (!pool)
        return -1;
    c->pool = pool;
    size_t *unused = realloc(c->unused, capacity * sizeof *unused);
    if (!unused)
        return -1;
    c->unused = unused;
    c->pool_capacity = capacity;
    return 0;
}

static int expect_ending(struct mpg_cursor *c, int64_t request, bool wildcard, bool sends,
                         struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&c->endings, (uint64_t)request, 0);
    if (!slot || (c->unused_count == 0 && c->pool_count == c->pool_capacity && grow_pool(c) < 0))
        return mpg_error_set(err, "out of memory");
    if (*slot == 0)
        *slot = (c->unused_count ? c->unused[--c->unused_count] : c->pool_count++) + 1;
    c->pool[*slot - 1] = (struct ending){
        .state = ENDING_PENDING, .wildcard = wildcard, .sends = sends};
    return 0;
}

static struct ending *find_ending(struct mpg_cursor *c, int64_t request)
{
    uint64_t *slot = mpg_map_find(&c->endings, (uint64_t)request, 0);
    return slot ? &c->pool[*slot - 1] : NULL;
}

static void forget_ending(struct mpg_cursor *c, int64_t request)
{
    uint64_t *slot = mpg_map_find(&c->endings, (uint64_t)request, 0);
    if (!slot)
        return;
    c->unused[c->unused_count++] = (size_t)*slot - 1;
    mpg_map_remove(&c->endings, (uint64_t)request, 0);
}

static void note_partner(struct mpg_cursor *c, const struct mpg_resolution *r)
{
    struct ending *ending = find_ending(c, r->request);
    if (!ending)
        return;
    ending->reported = true;
    ending->source = r->source;
    ending->tag = r->tag;
}

static void note_endings(struct mpg_cursor *c, const struct mpg_event *e)
{
    uint32_t n = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    for (uint32_t i = 0; i < e->cancelled_number; i++) {
        struct ending *ending = find_ending(c, e->cancelled[i]);
        if (ending)
            ending->state = ENDING_CANCELLED;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ending *ending = find_ending(c, done[i]);
        if (!ending || ending->state != ENDING_PENDING)
            continue;
        if (ending->wildcard)
            ending->state = ENDING_DONE;
        else
            forget_ending(c, done[i]);
    }
}

static int read_ahead_start(struct mpg_cursor *c, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const uint64_t *any = mpg_map_find(&c->persistent, (uint64_t)e->persistent[i], 0);
        if (any && expect_ending(c, e->requests[i], *any != 0 && *any != SENDS, *any == SENDS,
                                 err) < 0)
            return -1;
    }
    return 0;
}

static int note_persistent(struct mpg_cursor *c, const struct mpg_event *e, struct mpg_error *err)
{
    uint64_t *any = mpg_map_add(&c->persistent, (uint64_t)e->persistent[0], 0);
    if (!any)
        return mpg_error_set(err, "out of memory");
    *any = mpg_call_kind(e->call) == MPG_KIND_SEND_INIT ? SENDS : e->any;
    return 0;
}

/* Returns the end of a request that no call completes. A receive that the rank asked to cancel is taken to be cancelled; any
 * other request ends as OTHERWISE, since cancelling a send rarely succeeds. */
static enum ending_state uncompleted(const struct ending *ending, enum ending_state otherwise)
{
    return ending->cancelling && !ending->sends ? ENDING_CANCELLED : otherwise;
}

static void note_freed(struct mpg_cursor *c, int64_t request)
{
    struct ending *ending = find_ending(c, request);
    if (ending && ending->state == ENDING_PENDING)
        ending->state = uncompleted(ending, ENDING_DONE);
}

/* Lets the look-ahead reader read the next event. Returns 0, also at the end (ahead_ended), or -1 with ERR. */
static int read_ahead(struct mpg_cursor *c, struct mpg_error *err)
{
    struct mpg_event *e;
    int more = mpg_merge_next(&c->ahead, &e, err);
    if (more < 0)
        return -1;
    if (more == 0) {
        c->ahead_ended = true;
        return 0;
    }
    if (e->failed)
        return 0;
    int status = 0;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
        status = expect_ending(c, e->requests[0], e->any != 0, false, err);
        break;
    case MPG_KIND_ISEND:
        status = c->cancels ? expect_ending(c, e->requests[0], false, true, err) : 0;
        break;
    case MPG_KIND_RECV_INIT:
        status = note_persistent(c, e, err);
        break;
    case MPG_KIND_SEND_INIT:
        status = c->cancels ? note_persistent(c, e, err) : 0;
        break;
    case MPG_KIND_START:
        status = read_ahead_start(c, e, err);
        break;
    case MPG_KIND_COMPLETE:
        note_endings(c, e);
        break;
    case MPG_KIND_CANCEL:
        if (find_ending(c, e->requests[0]))
            find_ending(c, e->requests[0])->cancelling = true;
        break;
    case MPG_KIND_REQUEST_FREE:
        if (e->request_number)
            note_freed(c, e->requests[0]);
        break;
    default:
        break;
    }
    for (uint32_t i = 0; status == 0 && i < e->resolution_number; i++)
        note_partner(c, &e->resolutions[i]);
    return status;
}

/* Sets *ENDING to the end of REQUEST (state ENDING_PENDING: the request never ends), after reading ahead as far as needed.
 * Adds a cancelled request to c->cancelled. Returns 0, or -1 with ERR. */
static int look_ahead(struct mpg_cursor *c, int64_t request, struct ending *ending,
                      struct mpg_error *err)
{
    /* If the look-ahead reader is ahead and does not remember the request, the completion gave no new source or tag: the
     * values of the posting call are valid. */
    for (;;) {
        const struct ending *known = find_ending(c, request);
        bool is_past = c->ahead.event >= c->main.event;
        *ending = known ? *known : (struct ending){.state = ENDING_DONE};
        if (c->ahead_ended || (known ? known->state != ENDING_PENDING : is_past))
            break;
        if (read_ahead(c, err) < 0)
            return -1;
    }
    forget_ending(c, request);
    if (ending->state == ENDING_PENDING)
        ending->state = uncompleted(ending, ENDING_PENDING);
    if (ending->state != ENDING_CANCELLED)
        return 0;
    int64_t *list = mpg_list_reserve(&c->cancelled, c->cancelled_count + 1, sizeof *list);
    if (!list)
        return mpg_error_set(err, "out of memory");
    list[c->cancelled_count++] = request;
    return 0;
}

static int resolve_request(struct mpg_cursor *c, struct mpg_event *e, struct mpg_error *err)
{
    struct ending ending;
    if (look_ahead(c, e->requests[0], &ending, err) < 0)
        return -1;
    if (!ending.reported)
        return 0;
    if (e->any & MPG_ANY_SOURCE)
        e->from = ending.source;
    int32_t *tag = mpg_call_kind(e->call) == MPG_KIND_ISENDRECV ? &e->recvtag : &e->tag;
    if (e->any & MPG_ANY_TAG)
        *tag = ending.tag;
    return 0;
}

static int resolve_start(struct mpg_cursor *c, struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_resolution *list = mpg_list_reserve(&c->started, e->request_number, sizeof *list);
    if (!list)
        return mpg_error_set(err, "out of memory");
    while (c->ahead.event < c->main.event && !c->ahead_ended)
        if (read_ahead(c, err) < 0)
            return -1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct ending ending;
        if (!mpg_map_find(&c->persistent, (uint64_t)e->persistent[i], 0))
            continue;
        if (look_ahead(c, e->requests[i], &ending, err) < 0)
            return -1;
        if (ending.reported)
            list[n++] = (struct mpg_resolution){e->requests[i], ending.source, ending.tag};
    }
    e->resolutions = list;
    e->resolution_number = n;
    return 0;
}

/* E posts or starts requests: sets the fields of E that follow from later events. Returns 0, or -1 with ERR. */
static int resolve(struct mpg_cursor *c, struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (!c->looks_ahead || (kind == MPG_KIND_ISEND && !c->cancels))
        return 0;
    c->cancelled_count = 0;
    if ((kind == MPG_KIND_START ? resolve_start(c, e, err) : resolve_request(c, e, err)) < 0)
        return -1;
    if (c->cancelled_count > 0) {
        e->cancelled = c->cancelled.data;
        e->cancelled_number = (uint32_t)c->cancelled_count;
    }
    return 0;
}

/* Completes E, a call about requests, by the findings of the look-ahead reader. Returns 1, or -1 with ERR. Not inlined,
 * because most events have no requests. */
static __attribute__((noinline)) int add_to(struct mpg_cursor *c, struct mpg_event *e, struct mpg_error *err)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_REQUEST_FREE:
        if (e->persistent)
            mpg_map_remove(&c->persistent, (uint64_t)e->persistent[0], 0);
        return 1;
    case MPG_KIND_COMPLETE:
        e->resolutions = NULL;
        e->resolution_number = 0;
        return 1;
    default:
        return resolve(c, e, err) < 0 ? -1 : 1;
    }
}

int mpg_cursor_read(struct mpg_cursor *c, const struct mpg_event **event, struct mpg_error *err)
{
    struct mpg_event *e;
    int more = mpg_merge_next(&c->main, &e, err);
    if (more <= 0)
        return more;
    *event = e;
    if (e->failed)
        return 1;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_START:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_COMPLETE:
        return add_to(c, e, err);
    default:
        return 1;
    }
}

int mpg_cursor_next(struct mpg_cursor *c, struct mpg_event *event, struct mpg_error *err)
{
    const struct mpg_event *e;
    int more = mpg_cursor_read(c, &e, err);
    if (more > 0)
        *event = *e;
    return more;
}
