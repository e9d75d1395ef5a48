/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transfers under way on a window, epochs and their messages. */
#include "graph/matching/windows.h"

#include <stdlib.h>

enum { TAG_POST, TAG_COMPLETE }; /* a window's two kinds of messages */

/* Members of a window that one epoch of this rank is about. */
struct epoch {
    uint32_t count;
    int32_t *ranks; /* of its communicator */
};

/* What a rank has started on a window and not yet waited for. */
struct window {
    int64_t bytes;          /* to and from all targets */
    bool pending;
    struct mpg_map targets; /* rank of its communicator -> bytes + 1 */
    struct epoch access, exposure;
};

static struct window *find_window(struct windows *windows, int32_t object,
                                  struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&windows->by_object, (uint64_t)object, 0);
    if (slot && !*slot && !(*slot = (uint64_t)(uintptr_t)calloc(1, sizeof(struct window)))) {
        mpg_map_remove(&windows->by_object, (uint64_t)object, 0);
        slot = NULL;
    }
    if (!slot) {
        graph_out_of_memory(err);
        return NULL;
    }
    return (struct window *)(uintptr_t)*slot;
}

/* Numbers of a file may be anything: a sum stops at the largest. */
static int64_t add(int64_t a, int64_t b)
{
    return a < INT64_MAX - 1 - b ? a + b : INT64_MAX - 1;
}

static void forget_transfers(struct window *w)
{
    mpg_map_clear(&w->targets);
    w->bytes = 0;
    w->pending = false;
}

int64_t graph_end_epoch(struct windows *windows, int32_t object)
{
    uint64_t *slot = mpg_map_find(&windows->by_object, (uint64_t)object, 0);
    if (!slot)
        return 0;
    struct window *w = (struct window *)(uintptr_t)*slot;
    int64_t bytes = w->bytes;
    forget_transfers(w);
    return bytes;
}

/* A put, get or accumulate: what waits for it counts its bytes. */
static int start_transfer(struct matching *matching, const struct mpg_event *e, struct window *w,
                          struct mpg_error *err)
{
    matching->counts->transfers++;
    if (e->to < 0)
        return 0;
    uint64_t *bytes = mpg_map_add(&w->targets, (uint64_t)e->to, 0);
    if (!bytes)
        return graph_out_of_memory(err);
    int64_t moved = add(e->bytes, e->recvbytes);
    *bytes = (uint64_t)add(*bytes ? (int64_t)*bytes - 1 : 0, moved) + 1;
    w->bytes = add(w->bytes, moved);
    w->pending = true;
    return 0;
}

/* Takes what is under way to TARGET; whether there was anything. */
static bool take_transfers(struct window *w, int32_t target, int64_t *bytes)
{
    uint64_t *slot = mpg_map_find(&w->targets, (uint64_t)target, 0);
    *bytes = slot ? (int64_t)*slot - 1 : 0;
    if (!slot)
        return false;
    w->bytes -= *bytes;
    mpg_map_remove(&w->targets, (uint64_t)target, 0);
    w->pending = w->targets.count > 0;
    return true;
}

/* Passive target: a round trip for all that the call waits for. */
static void wait_for_targets(struct call *call, struct window *w)
{
    if (call->event->call == MPG_CALL_Win_lock || call->event->call == MPG_CALL_Win_lock_all ||
        call->event->call == MPG_CALL_Win_sync)
        return;
    if (mpg_call_kind(call->event->call) == MPG_KIND_WIN_TARGET) {
        call->round_trip = take_transfers(w, call->event->to, &call->round_trip_bytes);
        return;
    }
    call->round_trip = w->pending;
    call->round_trip_bytes = w->bytes;
    forget_transfers(w);
}

static int keep_group(const struct mpg_event *e, struct epoch *epoch, struct mpg_error *err)
{
    int32_t *ranks = malloc((e->count_number + 1) * sizeof *ranks);
    if (!ranks)
        return graph_out_of_memory(err);
    for (uint32_t i = 0; i < e->count_number; i++)
        ranks[i] = (int32_t)e->counts[i];
    free(epoch->ranks);
    *epoch = (struct epoch){e->count_number, ranks};
    return 0;
}

/* Sends each of EPOCH's members a message of what went to it. */
static int tell(struct matching *matching, const struct call *call, int32_t comm,
                const struct epoch *epoch, struct window *w, int32_t tag, struct mpg_error *err)
{
    for (uint32_t i = 0; i < epoch->count; i++) {
        int64_t bytes = 0;
        struct message *m;
        int32_t to = graph_peer(matching->members, call, comm, epoch->ranks[i], err);
        matching->counts->foreign += to == MPG_FOREIGN;
        if (to == MPG_FOREIGN)
            continue;
        if (to < 0)
            return -1;
        if (tag == TAG_COMPLETE)
            take_transfers(w, epoch->ranks[i], &bytes);
        struct channel_name name = {SPACE_WINDOW, call->event->object, call->rank, to, tag};
        if (graph_send_on(matching, call, &name, (struct protocol){0}, graph_load(bytes), i, &m, err) < 0)
            return -1;
        graph_sender_done(matching, m, false);
    }
    return 0;
}

/* Waits for such a message of each. */
static int hear(struct matching *matching, struct call *call, int32_t comm,
                const struct epoch *epoch, int32_t tag, struct group **heard,
                struct mpg_error *err)
{
    struct group *group = *heard = graph_new_group(epoch->count, err);
    if (!group)
        return -1;
    for (uint32_t i = 0; i < epoch->count; i++) {
        int32_t from = graph_peer(matching->members, call, comm, epoch->ranks[i], err);
        if (from == MPG_FOREIGN)
            continue;
        if (from < 0)
            return -1;
        struct channel_name name = {SPACE_WINDOW, call->event->object, from, call->rank, tag};
        if (graph_post_on(matching, call, &name, INT64_MAX, &group->messages[group->count],
                          err) < 0)
            return -1;
        group->count++;
    }
    graph_await_group(&call->waiter, group);
    return 0;
}

/* Post tells the origins, which need it before they complete (they may start without);
 * complete tells the targets, which wait for it. */
static int synchronise(struct matching *matching, struct call *call, int32_t comm,
                       struct window *w, struct group **group, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    int status = 0;
    switch (e->call) {
    case MPG_CALL_Win_start:
        return keep_group(e, &w->access, err);
    case MPG_CALL_Win_post:
        if (keep_group(e, &w->exposure, err) < 0)
            return -1;
        return tell(matching, call, comm, &w->exposure, w, TAG_POST, err);
    case MPG_CALL_Win_complete:
        if (tell(matching, call, comm, &w->access, w, TAG_COMPLETE, err) < 0 ||
            hear(matching, call, comm, &w->access, TAG_POST, group, err) < 0)
            return -1;
        w->access.count = 0;
        return 0;
    default: /* Win_wait, Win_test */
        if (e->call == MPG_CALL_Win_wait || e->found) {
            status = hear(matching, call, comm, &w->exposure, TAG_COMPLETE, group, err);
            w->exposure.count = 0;
        }
        return status;
    }
}

int graph_begin_window_call(struct matching *matching, struct windows *windows,
                            const struct mpg_trace *trace, struct call *call,
                            struct group **group, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    *group = NULL;
    if (e->object == MPG_NO_OBJECT) {
        matching->counts->transfers += kind == MPG_KIND_RMA;
        matching->counts->transfers_alone += kind == MPG_KIND_RMA;
        return 0;
    }
    struct window *w = find_window(windows, e->object, err);
    if (!w)
        return -1;
    switch (kind) {
    case MPG_KIND_RMA:
        return start_transfer(matching, e, w, err);
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
        wait_for_targets(call, w);
        return 0;
    default:
        return synchronise(matching, call, mpg_trace_object(trace, e->object)->comm, w, group,
                           err);
    }
}

static void free_window(struct window *w)
{
    mpg_map_clear(&w->targets);
    free(w->access.ranks);
    free(w->exposure.ranks);
    free(w);
}

void graph_forget_window(struct windows *windows, int32_t object)
{
    uint64_t *slot = mpg_map_find(&windows->by_object, (uint64_t)object, 0);
    if (!slot)
        return;
    free_window((struct window *)(uintptr_t)*slot);
    mpg_map_remove(&windows->by_object, (uint64_t)object, 0);
}

void graph_windows_clear(struct windows *windows)
{
    const struct mpg_map *map = &windows->by_object;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].used)
            free_window((struct window *)(uintptr_t)map->entries[i].value);
    mpg_map_clear(&windows->by_object);
}
