/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a thread's events ahead as actions. The actions, each with its lists, follow each other in blocks of memory. */
#include "replay/feed.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "graph/work/intervals.h"
#include "graph/work/regions.h"
#include "replay/thread_order.h"
#include "replay/polls.h"

enum {
    BLOCK_BYTES = 1 << 18,
    FEW = 16, /* number of events read at a time */
    HEAD = 16 /* bytes before an action in the block, which hold the size of HEAD and action together */
};

struct block {
    struct block *next;
    size_t size, used, read;
    alignas(16) char data[];
};

struct mpg_feed {
    struct mpg_cursor *cursor;
    struct mpg_changes *changes;
    const struct mpg_tags *tags; /* NULL: tags stay as in the trace */
    struct tracer_overhead tracer_overhead;
    struct interval_sums interval_sums; /* calls without messages (MPI_Comm_rank ...) since the previous replayed call */
    int64_t base_ns;                    /* end of the previous call */
    int64_t elapsed_ns;                 /* time of calls that are not replayed, since the previous action */
    int64_t given_ns;                   /* part of the time since the previous call already given to region marks */
    struct regions regions;             /* only used if there are hypotheses */
    struct region_rules of;
    struct mpg_polls polls;
    uint64_t number, elapsed;
    const struct mpg_needs *needs; /* this feed reads thread number `place` of `needs`; NULL: the rank has one thread */
    int place;
    struct mpg_thread_order thread_order;
    bool began, ended, failed; /* MPI_Init has been read; MPI_Finalize has been read; reading has failed with `error` */
    struct mpg_error error;
    size_t memory, held; /* size of the blocks of actions, in bytes: allowed, and present */
    struct block *first, *last, *spare;
    struct mpg_action *newest; /* the action read last; NULL if the action's block has been freed */
};

bool mpg_feed_replays(const struct mpg_event *e)
{
    if (e->failed)
        return false;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_FLUSH:
    case MPG_KIND_OTHER:
    case MPG_KIND_UNKNOWN:
    case MPG_KIND_FILE_OPEN:
    case MPG_KIND_FILE_CLOSE:
    case MPG_KIND_FILE:
    case MPG_KIND_FILE_COLLECTIVE:
        return false;
    case MPG_KIND_DYNAMIC: /* the processes on both sides may be ranks of this run */
        return e->call == MPG_CALL_Comm_accept || e->call == MPG_CALL_Comm_connect || e->call == MPG_CALL_Comm_join;
    default:
        return true;
    }
}

/* Returns whether EVENT belongs to the computation between two calls. */
static bool is_between(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return kind == MPG_KIND_FLUSH || kind == MPG_KIND_OTHER || e->sum.calls > 0;
}

struct mpg_feed *mpg_feed_open(struct mpg_trace *trace, int32_t rank, const struct mpg_needs *needs, int place,
                               size_t memory,
                               const struct mpg_bound_hypotheses *bound, struct mpg_changes *changes,
                               struct mpg_error *err)
{
    struct mpg_feed *f = calloc(1, sizeof *f);
    if (!f) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    f->memory = memory;
    f->needs = needs && needs->threads > 1 ? needs : NULL;
    f->place = place;
    f->changes = changes;
    f->tracer_overhead = mpg_graph_tracer_overhead_of(trace, rank);
    f->of = (struct region_rules){.bound = bound, .trace = trace, .tracer_overhead = &f->tracer_overhead, .rank = rank,
                                  .thread = f->needs ? (uint32_t)needs->thread[place] : mpg_trace_thread(trace, rank, 0),
                                  .active = 
                                  bound ? mpg_bound_of_work(bound, mpg_bound_all(bound)) : 0};
    if (f->needs && mpg_thread_order_begin(&f->thread_order, needs->threads) < 0) {
        mpg_error_set(err, "out of memory");
        free(f);
        return NULL;
    }
    f->cursor = mpg_cursor_open(trace, rank, err);
    if (!f->cursor) {
        mpg_thread_order_clear(&f->thread_order);
        free(f);
        return NULL;
    }
    return f;
}

void mpg_feed_rename(struct mpg_feed *f, const struct mpg_tags *tags)
{
    f->tags = tags;
}

/* --- memory --- */

static size_t rounded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* Returns BYTES of memory after the last action; NULL: out of memory. */
static char *room(struct mpg_feed *f, size_t bytes)
{
    struct block *b = f->last;
    if (!b || b->size - b->used < bytes) {
        const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        if (size == BLOCK_BYTES && f->spare) {
            b = f->spare;
            f->spare = b->next;
        } else if (!(b = malloc(sizeof *b + size)))
            return NULL;
        b->next = NULL;
        b->size = size;
        b->used = b->read = 0;
        f->held += size;
        if (f->last)
            f->last->next = b;
        else
            f->first = b;
        f->last = b;
    }
    char *place = b->data + b->used;
    b->used += bytes;
    return place;
}

/* Frees the first block, whose actions have all been used. */
static void give_back(struct mpg_feed *f)
{
    struct block *b = f->first;
    f->held -= b->size;
    f->first = b->next;
    if (!f->first) {
        f->last = NULL;
        f->newest = NULL;
    }
    if (b->size == BLOCK_BYTES) {
        b->next = f->spare;
        f->spare = b;
    } else
        free(b);
}

/* Appends ACTION to the actions, and sets after_ns of the action before. */
static void add_newest(struct mpg_feed *f, struct mpg_action *action)
{
    if (f->newest)
        f->newest->after_ns = action->before_ns;
    action->after_ns = MPG_NOT_READ;
    f->newest = action;
}

static void *put(char **place, const void *data, size_t bytes)
{
    if (!data || bytes == 0)
        return NULL;
    void *at = *place;
    memcpy(at, data, bytes);
    *place += rounded(bytes);
    return at;
}

/* Renumbers the tags of ACTION and of RESOLUTIONS, the action's copy of the resolutions. */
static void rename_tags(const struct mpg_tags *tags, struct mpg_action *action, struct mpg_resolution *resolutions)
{
    if (!tags)
        return;
    action->event.tag = mpg_tags_map(tags, action->event.tag);
    action->event.recvtag = mpg_tags_map(tags, action->event.recvtag);
    for (uint32_t i = 0; resolutions && i < action->event.resolution_number; i++)
        resolutions[i].tag = mpg_tags_map(tags, resolutions[i].tag);
}

/* Appends an action for EVENT. BEFORE_NS: computation between the previous action and this one. */
static int add_action(struct mpg_feed *f, const struct mpg_event *e, int64_t before_ns)
{
    enum { NUMBER = sizeof(int64_t) };
    struct mpg_changed to;
    const bool changed = f->changes && mpg_event_is_call(e) && mpg_changes_find(f->changes, f->number, e, &to);
    const int64_t *started = changed ? to.started : NULL;
    if (changed)
        e = &to.event;
    const uint32_t persistent = !e->persistent ? 0 : e->request_number ? e->request_number : 1;
    const size_t bytes =
        HEAD + rounded(sizeof(struct mpg_action)) + rounded(e->count_number * NUMBER) +
        rounded(e->request_number * NUMBER) + rounded(persistent * NUMBER) +
        rounded(e->done_number * NUMBER) + rounded(e->cancelled_number * NUMBER) +
        rounded(e->resolution_number * sizeof *e->resolutions) +
        rounded(started ? e->request_number * NUMBER : 0);
    char *place = room(f, bytes);
    if (!place)
        return mpg_error_set(&f->error, "out of memory");
    *(size_t *)place = bytes;
    struct mpg_action *action = (struct mpg_action *)(place + HEAD);
    place += HEAD + rounded(sizeof *action);
    *action = (struct mpg_action){.event = *e, .kind = mpg_call_kind(e->call),
                            .plain = mpg_call_plain(e->call),
                            .blocking = mpg_call_blocking(e->call), .before_ns = before_ns,
                            .number = f->number, .turn = f->thread_order.turn, .thread_start = f->thread_order.thread_start};
    action->event.counts = put(&place, e->counts, e->count_number * NUMBER);
    action->event.requests = put(&place, e->requests, e->request_number * NUMBER);
    action->event.persistent = put(&place, e->persistent, persistent * NUMBER);
    action->event.done = put(&place, e->done, e->done_number * NUMBER);
    action->event.cancelled = put(&place, e->cancelled, e->cancelled_number * NUMBER);
    struct mpg_resolution *resolutions =
        put(&place, e->resolutions, e->resolution_number * sizeof *e->resolutions);
    action->event.resolutions = resolutions;
    rename_tags(f->tags, action, resolutions);
    action->changed = changed;
    action->drops = changed && to.drops;
    action->started = put(&place, started, e->request_number * NUMBER);
    action->event.values = NULL;
    action->event.sources = action->event.destinations = NULL;
    add_newest(f, action);
    return 0;
}

/* Sets ACTION to the poll E, call NUMBER, with a copy of E's requests at *PLACE, which advances. */
static void put_poll(char **place, const struct mpg_event *e, uint64_t number, struct mpg_action *action)
{
    *action = (struct mpg_action){.event = *e, .kind = mpg_call_kind(e->call), .plain = mpg_call_plain(e->call),
                            .number = number, .turn = -1, .thread_start = -1};
    action->event.requests = put(place, e->requests, e->request_number * sizeof *e->requests);
    action->event.counts = action->event.persistent = action->event.done = action->event.cancelled = action->event.values = NULL;
    action->event.resolutions = NULL;
    action->event.sources = action->event.destinations = NULL;
}

/* Appends an action for the run of polls that ends before E. */
static int add_run(struct mpg_feed *f, const struct mpg_event *e)
{
    const struct mpg_polls *polls = &f->polls;
    size_t bytes = HEAD + rounded(sizeof(struct mpg_action)) + rounded((size_t)polls->n * sizeof(struct mpg_action)) +
                   rounded(polls->count * sizeof *polls->repetition);
    for (int i = 0; i < polls->n; i++)
        bytes += rounded(polls->known[i].event.request_number * sizeof(int64_t));
    char *place = room(f, bytes);
    if (!place)
        return mpg_error_set(&f->error, "out of memory");
    *(size_t *)place = bytes;
    struct mpg_action *action = (struct mpg_action *)(place + HEAD), *poll;
    place += HEAD + rounded(sizeof *action);
    poll = (struct mpg_action *)place;
    place += rounded((size_t)polls->n * sizeof *poll);
    for (int i = 0; i < polls->n; i++) {
        put_poll(&place, &polls->known[i].event, polls->number, &poll[i]);
        rename_tags(f->tags, &poll[i], NULL);
    }
    *action = (struct mpg_action){.event = poll[0].event, .kind = poll[0].kind, .plain = poll[0].plain,
                            .number = polls->number, .polls = poll, .turn = -1, .thread_start = -1,
                            .poll_number = (uint32_t)polls->n,
                            .repetition_number = (uint32_t)polls->count, .success = mpg_polls_success(polls, e)};
    action->repetition = put(&place, polls->repetition, polls->count * sizeof *polls->repetition);
    add_newest(f, action);
    return 0;
}

/* Ends the current run of polls, if any, because E does not belong to the run. */
static int end_polls(struct mpg_feed *f, const struct mpg_event *e)
{
    if (f->polls.count > 0 && add_run(f, e) < 0)
        return -1;
    mpg_polls_close(&f->polls, e);
    return 0;
}

/* --- time --- */

/* Returns the computation from the previous call to EVENT, ns: without the tracer's overhead, and changed by
 * hypotheses. */
static int64_t computed(const struct mpg_feed *f, const struct mpg_event *e)
{
    const int64_t traced_ns = e->enter_ns - f->base_ns;
    const int64_t own_ns = traced_ns - f->interval_sums.flushed_ns - mpg_graph_interval_tracer_ns(&f->interval_sums,
                                                                                                  &f->tracer_overhead, traced_ns);
    if (!f->of.bound)
        return own_ns > 0 ? own_ns : 0;
    const struct mpg_change c = mpg_graph_regions_change(&f->regions, &f->of, f->base_ns, e, true);
    const double changed_ns = (own_ns > 0 ? (double)own_ns : 0) * c.ratio + c.more_ns;
    return changed_ns > 0 ? (int64_t)(changed_ns + 0.5) : 0;
}

/* Starts a new interval of computation at the end of EVENT, a call. */
static void restart_interval(struct mpg_feed *f, const struct mpg_event *e)
{
    f->base_ns = e->leave_ns;
    f->interval_sums = (struct interval_sums){0};
    mpg_graph_regions_begin(&f->regions, e->leave_ns);
}

static int add_mark(struct mpg_feed *f, const struct mpg_event *e)
{
    int64_t before_ns = f->elapsed_ns + computed(f, e) - f->given_ns;
    if (before_ns < 0)
        before_ns = 0;
    if (end_polls(f, e) < 0 || add_action(f, e, before_ns) < 0)
        return -1;
    f->given_ns += before_ns;
    mpg_graph_interval_add(&f->interval_sums, &f->tracer_overhead, e);
    return f->of.bound ? mpg_graph_regions_mark(&f->regions, &f->of, e, &f->error) : 0;
}

static int add_call(struct mpg_feed *f, const struct mpg_event *e)
{
    int64_t before_ns = f->elapsed_ns + computed(f, e) - f->given_ns;
    before_ns = before_ns > 0 ? before_ns : 0;
    if (!mpg_polls_join(&f->polls, e, f->number, before_ns) &&
        (end_polls(f, e) < 0 || add_action(f, e, before_ns) < 0))
        return -1;
    f->elapsed_ns = f->given_ns = 0;
    restart_interval(f, e);
    return 0;
}

/* Handles an event of another thread. Only MPI_Init and MPI_Finalize matter, with which all threads begin and end. */
static int pass_by(struct mpg_feed *f, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    f->ended = kind == MPG_KIND_FINALIZE;
    if (kind == MPG_KIND_INIT) {
        restart_interval(f, e);
        f->began = true;
    }
    const int status = f->ended && (end_polls(f, e) < 0 || add_action(f, e, 0) < 0) ? -1 : 0;
    f->number += mpg_event_is_call(e);
    return status;
}

static int add_own(struct mpg_feed *f, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    int status = 0;
    if (!f->began) { /* events up to MPI_Init, and MPI_Init itself */
        restart_interval(f, e);
        f->began = kind == MPG_KIND_INIT;
        if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
            status = add_mark(f, e);
        f->given_ns = 0;
    } else if (is_between(e)) {
        mpg_graph_interval_add(&f->interval_sums, &f->tracer_overhead, e);
        mpg_graph_regions_skip(&f->regions, &f->of, e);
    } else if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
        status = add_mark(f, e);
    else if (mpg_feed_replays(e))
        status = add_call(f, e);
    else {
        f->elapsed_ns += computed(f, e) + (e->leave_ns - e->enter_ns);
        f->elapsed++;
        restart_interval(f, e);
    }
    f->number += mpg_event_is_call(e);
    f->ended = kind == MPG_KIND_FINALIZE;
    return status;
}

static int add(struct mpg_feed *f, const struct mpg_event *e)
{
    f->thread_order.turn = f->thread_order.thread_start = -1;
    if (!f->needs)
        return add_own(f, e);
    int by = 0;
    while (by + 1 < f->needs->threads && f->needs->thread[by] != (int32_t)e->thread)
        by++;
    if (mpg_thread_order_note(&f->thread_order, e, by, f->began, mpg_feed_replays(e) && !is_between(e)) < 0)
        return mpg_error_set(&f->error, "out of memory");
    return by == f->place ? add_own(f, e) : pass_by(f, e);
}

/* --- reading --- */

bool mpg_feed_fill(struct mpg_feed *f)
{
    const struct mpg_event *e;
    for (int i = 0; i < FEW; i++) {
        if (f->ended || f->failed || f->held >= f->memory)
            return i > 0;
        const int more = mpg_cursor_read(f->cursor, &e, &f->error);
        if (more == 0)
            mpg_error_set(&f->error, "there is no MPI_Finalize");
        f->failed = more <= 0 || add(f, e) < 0;
    }
    return true;
}

/* Loads the action at PLACE into the processor's cache before use. */
static void fetch(const char *place)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < HEAD + sizeof(struct mpg_action); at += LINE)
        __builtin_prefetch(place + at);
}

const struct mpg_action *mpg_feed_next(struct mpg_feed *f, struct mpg_error *err)
{
    for (;;) {
        while (f->first && f->first->read == f->first->used)
            give_back(f);
        struct block *b = f->first;
        if (b && b->read < b->used) {
            const char *place = b->data + b->read;
            b->read += *(const size_t *)place;
            fetch(b->read < b->used || !b->next ? b->data + b->read : b->next->data);
            return (const struct mpg_action *)(place + HEAD);
        }
        if (f->failed) {
            *err = f->error;
            return NULL;
        }
        if (f->ended) {
            mpg_error_set(err, "a call after MPI_Finalize");
            return NULL;
        }
        mpg_feed_fill(f);
    }
}

uint64_t mpg_feed_elapsed(const struct mpg_feed *f)
{
    return f->elapsed;
}

static void free_blocks(struct block *b)
{
    while (b) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
}

void mpg_feed_close(struct mpg_feed *f)
{
    if (!f)
        return;
    mpg_cursor_close(f->cursor);
    mpg_graph_regions_clear(&f->regions);
    mpg_polls_clear(&f->polls);
    mpg_thread_order_clear(&f->thread_order);
    free_blocks(f->first);
    free_blocks(f->spare);
    free(f);
}
