/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication with active targets: epochs, and the synchronization messages between origins and targets. */
#include "graph/matching/windows.h"

#include <stdlib.h>

#include "graph/matching/win_start.h"

int mpg_graph_end_epoch(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                        const struct call *call, struct load *rma_pending, struct mpg_error *err)
{
    const struct applied_hypotheses *s = &matching->applied_hypotheses;
    const struct call_ref here = graph_call_ref(call);
    const int32_t object = call->event->object;
    struct window *w;
    int dropper;
    *rma_pending = graph_load(0);
    if (object == MPG_NO_OBJECT || (!s->bound && !mpg_map_find(&windows->by_object, (uint64_t)object, 0)))
        return 0;
    if (!(w = mpg_graph_find_window(&windows->by_object, object, err)) ||
        mpg_graph_apply_to_epoch(s, call, graph_window_comm(trace, call), -1, &dropper, err) < 0 ||
        mpg_graph_learn_epoch(s, &w->epoch_parts, call, -1, dropper, err) < 0 ||
        mpg_graph_learn_dropped(s, &here, 1, dropper, err) < 0)
        return -1;
    const struct rma_pending all = mpg_graph_take_all(w);
    *rma_pending = (struct load){.bytes = all.bytes, .target_bytes = all.target_bytes,
                                 .drops = dropper >= 0 || mpg_graph_is_post_dropped(s, &here, 1), .dropper = dropper};
    return 0;
}

static int keep_group(const struct call *call, struct epoch *epoch, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    int32_t *ranks = malloc((e->count_number + 1) * sizeof *ranks);
    if (!ranks)
        return mpg_graph_out_of_memory(err);
    for (uint32_t i = 0; i < e->count_number; i++)
        ranks[i] = (int32_t)e->counts[i];
    free(epoch->ranks);
    *epoch = (struct epoch){e->count_number, ranks, graph_call_ref(call), call->enter_ns, call->leave_ns};
    return 0;
}

/* Counts each pair of ranks in EPOCH as a part of CALL. A pair is dropped if hypotheses drop the pair's message of the call
 * that began EPOCH. */
static void count_pairs(const struct applied_hypotheses *s, const struct epoch *epoch, const struct call *call)
{
    for (uint32_t i = 0; i < epoch->count && s->bound; i++) {
        call->sent->parts++;
        call->sent->dropped += mpg_graph_is_post_dropped(s, &epoch->call_ref, i + 1);
    }
}

/* CALL, an MPI_Win_complete, ends the epoch for the I-th target, world rank TO. Sets *DROPPER to the hypothesis that
 * drops this pair of ranks, or -1. */
static int end_pair(struct matching *matching, struct window *w, const struct call *call, int32_t comm, uint32_t i,
                    int32_t to, int *dropper, struct mpg_error *err)
{
    const struct applied_hypotheses *s = &matching->applied_hypotheses;
    const struct epoch *epoch = &w->access;
    const struct call_ref here = graph_call_ref(call);
    return mpg_graph_apply_to_epoch(s, call, comm, to, dropper, err) < 0 ||
                   mpg_graph_learn_epoch(s, &w->epoch_parts, call, epoch->ranks[i], *dropper, err) < 0 ||
                   mpg_graph_learn_dropped(s, &epoch->call_ref, i + 1, *dropper, err) < 0 ||
                   mpg_graph_learn_dropped(s, &here, i + 1, *dropper, err) < 0
               ? -1
               : 0;
}

/* Sends a message of no bytes, for synchronization, to each member of EPOCH. */
static int send_synchronization(struct matching *matching, const struct call *call, int32_t comm,
                const struct epoch *epoch, struct window *w, int32_t tag, struct mpg_error *err)
{
    for (uint32_t i = 0; i < epoch->count; i++) {
        const struct call_ref here = graph_call_ref(call);
        struct load load = graph_load(0);
        struct message *m;
        int32_t to = mpg_graph_peer(matching->members, call, comm, epoch->ranks[i], err);
        matching->counts->foreign += to == MPG_FOREIGN;
        if (to == MPG_FOREIGN)
            continue;
        if (to < 0)
            return -1;
        if (tag == TAG_COMPLETE) {
            const struct rma_pending rma_pending = mpg_graph_take_transfers(w, epoch->ranks[i]);
            load.bytes = rma_pending.bytes;
            load.target_bytes = rma_pending.target_bytes;
        }
        load.drops = mpg_graph_is_post_dropped(&matching->applied_hypotheses, &here, i + 1);
        call->sent->parts++;
        struct channel_name name = {SPACE_WINDOW, call->event->object, call->rank, to, tag};
        if (mpg_graph_send_on(matching, call, &name, (struct protocol){0}, load, i, &m, err) < 0)
            return -1;
        if (tag == TAG_POST)
            mpg_graph_forget_post(&matching->progress, m);
        mpg_graph_sender_done(matching, m, false);
    }
    return 0;
}

/* Makes CALL wait for a synchronization message from each member of EPOCH; *AWAITED: these messages. */
static int await_synchronization(struct matching *matching, struct call *call, int32_t comm, struct window *w,
                const struct epoch *epoch, int32_t tag, struct group **awaited, struct mpg_error *err)
{
    int dropper = -1;
    struct group *group = *awaited = mpg_graph_new_group(epoch->count, err);
    if (!group)
        return -1;
    for (uint32_t i = 0; i < epoch->count; i++) {
        int32_t from = mpg_graph_peer(matching->members, call, comm, epoch->ranks[i], err);
        if (from == MPG_FOREIGN)
            continue;
        if (from < 0)
            return -1;
        struct channel_name name = {SPACE_WINDOW, call->event->object, from, call->rank, tag};
        if (mpg_graph_post_on(matching, call, &name, INT64_MAX, &group->messages[group->count], err) < 0)
            return -1;
        group->count++;
        if (tag == TAG_POST && (end_pair(matching, w, call, comm, i, from, &dropper, err) < 0 ||
                                mpg_graph_drop_sender(matching, group->messages[group->count - 1], dropper, err) < 0))
            return -1;
    }
    mpg_graph_await_group(&call->waiter, group);
    return 0;
}

/* CALL, an MPI_Win_complete, waits for the targets' MPI_Win_post calls; if MPI_Win_start waited for these, only for
 * MPI_Win_posts too late for MPI_Win_start. */
static int await_posts(struct matching *matching, struct call *call, int32_t comm, struct window *w, struct group **group,
                      struct mpg_error *err)
{
    if (!w->late)
        return await_synchronization(matching, call, comm, w, &w->access, TAG_POST, group, err);
    *group = w->late;
    w->late = NULL;
    mpg_graph_await_group(&call->waiter, *group);
    return 0;
}

/* MPI_Win_post sends to the origins, which need the message before MPI_Win_complete, or before the end of an MPI_Win_start
 * that waits. MPI_Win_complete sends to the targets, whose MPI_Win_wait waits for the message. */
static int synchronise(struct matching *matching, struct call *call, int32_t comm,
                       struct window *w, struct group **group, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    int status = 0;
    switch (e->call) {
    case MPG_CALL_Win_start:
        if (keep_group(call, &w->access, err) < 0)
            return -1;
        if (mpg_graph_win_start_waits(matching, call))
            return mpg_graph_begin_win_start(matching, comm, w, call, group, err);
        count_pairs(&matching->applied_hypotheses, &w->access, call);
        return 0;
    case MPG_CALL_Win_post:
        if (keep_group(call, &w->exposure, err) < 0)
            return -1;
        return send_synchronization(matching, call, comm, &w->exposure, w, TAG_POST, err);
    case MPG_CALL_Win_complete:
        if (mpg_graph_end_transfers(matching, w, call, -1, err) < 0 ||
            send_synchronization(matching, call, comm, &w->access, w, TAG_COMPLETE, err) < 0 ||
            await_posts(matching, call, comm, w, group, err) < 0)
            return -1;
        w->access.count = 0;
        w->epoch_parts.n = 0;
        return 0;
    default: /* MPI_Win_wait, MPI_Win_test */
        if (e->call == MPG_CALL_Win_wait || e->found) {
            status = await_synchronization(matching, call, comm, w, &w->exposure, TAG_COMPLETE, group, err);
            w->exposure.count = 0;
        } else
            count_pairs(&matching->applied_hypotheses, &w->exposure, call);
        return status;
    }
}

int mpg_graph_begin_window_call(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                struct call *call, struct group **group, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    *group = NULL;
    if (e->object == MPG_NO_OBJECT) {
        matching->counts->transfers += kind == MPG_KIND_RMA;
        matching->counts->transfers_alone += kind == MPG_KIND_RMA;
        return 0;
    }
    struct window *w = mpg_graph_find_window(&windows->by_object, e->object, err);
    if (!w)
        return -1;
    switch (kind) {
    case MPG_KIND_RMA:
        return mpg_graph_begin_transfer(matching, trace, w, call, err);
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
        return mpg_graph_begin_passive(matching, trace, w, call, err);
    default:
        return synchronise(matching, call, graph_window_comm(trace, call), w, group, err);
    }
}

int mpg_graph_window_edges(struct matching *matching, struct windows *windows, const struct call *call, struct mpg_error *err)
{
    if (!matching->progress.serves || call->event->object == MPG_NO_OBJECT || call->event->failed)
        return 0;
    struct window *w = mpg_graph_find_window(&windows->by_object, call->event->object, err);
    return w ? mpg_graph_rma_edges(matching, call, &w->waits, err) : -1;
}

void mpg_graph_forget_window(struct windows *windows, int32_t object)
{
    uint64_t *slot = mpg_map_find(&windows->by_object, (uint64_t)object, 0);
    if (!slot)
        return;
    mpg_graph_free_window((struct window *)(uintptr_t)*slot);
    mpg_map_remove(&windows->by_object, (uint64_t)object, 0);
}

void mpg_graph_windows_clear(struct windows *windows)
{
    const struct mpg_map *map = &windows->by_object;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].used)
            mpg_graph_free_window((struct window *)(uintptr_t)map->entries[i].value);
    mpg_map_clear(&windows->by_object);
}
