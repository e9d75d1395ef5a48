/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication (MPI-3.1 chapter 11): what is started on a window, and the
 * calls that wait for it. Fences are collectives; post, start, complete and wait are
 * messages between the members; a passive target has no part in it. */
#include <stdlib.h>
#include <string.h>

#include "graph/graph_private.h"

enum { TAG_POST, TAG_COMPLETE }; /* a window's two kinds of messages */

static struct window *find_window(struct mpg_graph *g, const struct stream *s,
                                  struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    uint64_t *slot = mpg_map_add(&r->windows, (uint64_t)s->event.object, 0);
    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)calloc(1, sizeof(struct window));
    if (!slot || !*slot) {
        graph_out_of_memory(err);
        return NULL;
    }
    return (struct window *)(uintptr_t)*slot;
}

static void forget_transfers(struct window *w)
{
    mpg_map_clear(&w->targets);
    w->bytes = 0;
    w->pending = false;
}

int64_t graph_end_epoch(struct mpg_graph *g, const struct stream *s)
{
    uint64_t *slot =
        mpg_map_find(&g->rank[s->rank].windows, (uint64_t)s->event.object, 0);
    if (!slot)
        return 0;
    struct window *w = (struct window *)(uintptr_t)*slot;
    int64_t bytes = w->bytes;
    forget_transfers(w);
    return bytes;
}

/* A put, get or accumulate: what waits for it counts its bytes. */
static int start_transfer(struct mpg_graph *g, const struct stream *s, struct window *w,
                          struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    g->counts.transfers++;
    if (e->to < 0)
        return 0;
    uint64_t *bytes = mpg_map_add(&w->targets, (uint64_t)e->to, 0);
    if (!bytes)
        return graph_out_of_memory(err);
    *bytes += (uint64_t)(e->bytes + e->recvbytes) + (*bytes == 0);
    w->bytes += e->bytes + e->recvbytes;
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
static void wait_for_targets(struct stream *s, struct window *w)
{
    if (s->event.call == MPG_CALL_Win_lock || s->event.call == MPG_CALL_Win_lock_all ||
        s->event.call == MPG_CALL_Win_sync)
        return;
    if (mpg_call_kind(s->event.call) == MPG_KIND_WIN_TARGET) {
        s->round_trip = take_transfers(w, s->event.to, &s->round_trip_bytes);
        return;
    }
    s->round_trip = w->pending;
    s->round_trip_bytes = w->bytes;
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
static int tell(struct mpg_graph *g, struct stream *s, int32_t comm, const struct epoch *epoch,
                struct window *w, int32_t tag, struct mpg_error *err)
{
    for (uint32_t i = 0; i < epoch->count; i++) {
        int64_t bytes = 0;
        struct message *m;
        int32_t to = graph_peer(g, s, comm, epoch->ranks[i], err);
        g->counts.foreign += to == MPG_FOREIGN;
        if (to == MPG_FOREIGN)
            continue;
        if (to < 0)
            return -1;
        if (tag == TAG_COMPLETE)
            take_transfers(w, epoch->ranks[i], &bytes);
        struct channel_name name = {SPACE_WINDOW, s->event.object, s->rank, to, tag};
        if (graph_send_on(g, s, &name, false, bytes, i, &m, err) < 0)
            return -1;
        graph_sender_done(g, m, false);
    }
    return 0;
}

/* Waits for such a message of each. */
static int hear(struct mpg_graph *g, struct stream *s, int32_t comm, const struct epoch *epoch,
                int32_t tag, struct mpg_error *err)
{
    struct group *group = graph_new_group(epoch->count, err);
    if (!group)
        return -1;
    s->group = group;
    for (uint32_t i = 0; i < epoch->count; i++) {
        int32_t from = graph_peer(g, s, comm, epoch->ranks[i], err);
        if (from == MPG_FOREIGN)
            continue;
        if (from < 0)
            return -1;
        struct channel_name name = {SPACE_WINDOW, s->event.object, from, s->rank, tag};
        if (graph_post_on(g, s, &name, INT64_MAX, &group->messages[group->count], err) < 0)
            return -1;
        group->count++;
    }
    graph_await_group(s, group);
    return 0;
}

/* Post tells the origins, which need it before they complete (they may start without);
 * complete tells the targets, which wait for it. */
static int synchronise(struct mpg_graph *g, struct stream *s, struct window *w,
                       struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    int32_t comm = mpg_trace_object(g->trace, e->object)->comm;
    int status = 0;
    switch (e->call) {
    case MPG_CALL_Win_start:
        return keep_group(e, &w->access, err);
    case MPG_CALL_Win_post:
        if (keep_group(e, &w->exposure, err) < 0)
            return -1;
        return tell(g, s, comm, &w->exposure, w, TAG_POST, err);
    case MPG_CALL_Win_complete:
        if (tell(g, s, comm, &w->access, w, TAG_COMPLETE, err) < 0 ||
            hear(g, s, comm, &w->access, TAG_POST, err) < 0)
            return -1;
        w->access.count = 0;
        return 0;
    default: /* Win_wait, Win_test */
        if (e->call == MPG_CALL_Win_wait || e->found) {
            status = hear(g, s, comm, &w->exposure, TAG_COMPLETE, err);
            w->exposure.count = 0;
        }
        return status;
    }
}

int graph_begin_window_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    enum mpg_kind kind = mpg_call_kind(s->event.call);
    if (s->event.object == MPG_NO_OBJECT) {
        g->counts.transfers += kind == MPG_KIND_RMA;
        g->counts.transfers_alone += kind == MPG_KIND_RMA;
        return 0;
    }
    struct window *w = find_window(g, s, err);
    if (!w)
        return -1;
    switch (kind) {
    case MPG_KIND_RMA:
        return start_transfer(g, s, w, err);
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
        wait_for_targets(s, w);
        return 0;
    default:
        return synchronise(g, s, w, err);
    }
}

static void free_window(struct window *w)
{
    mpg_map_clear(&w->targets);
    free(w->access.ranks);
    free(w->exposure.ranks);
    free(w);
}

void graph_forget_window(struct mpg_graph *g, const struct stream *s)
{
    struct mpg_map *windows = &g->rank[s->rank].windows;
    uint64_t *slot = mpg_map_find(windows, (uint64_t)s->event.object, 0);
    if (!slot)
        return;
    free_window((struct window *)(uintptr_t)*slot);
    mpg_map_remove(windows, (uint64_t)s->event.object, 0);
}

void graph_free_windows(struct rank_state *r)
{
    for (size_t i = 0; i < r->windows.capacity; i++)
        if (r->windows.entries[i].used)
            free_window((struct window *)(uintptr_t)r->windows.entries[i].value);
    mpg_map_clear(&r->windows);
}
