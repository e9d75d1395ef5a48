/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Win_start calls that wait for the targets' MPI_Win_post calls. */
#include "graph/matching/win_start.h"

#include <math.h>
#include <stdlib.h>

bool mpg_graph_win_start_waits(const struct matching *matching, const struct call *call)
{
    return matching->progress.limits.win_start_waits && mpg_graph_is_alone(matching, call->rank);
}

int mpg_graph_begin_win_start(struct matching *matching, int32_t comm, struct window *w, struct call *call, struct group **group,
                              struct mpg_error *err)
{
    const struct epoch *epoch = &w->access;
    struct group *all = *group = mpg_graph_new_group(epoch->count, err);
    if (!all)
        return -1;
    for (uint32_t i = 0; i < epoch->count; i++) {
        const int32_t from = mpg_graph_peer(matching->members, call, comm, epoch->ranks[i], err);
        call->sent->parts++;
        call->sent->dropped += mpg_graph_is_post_dropped(&matching->applied_hypotheses, &epoch->call_ref, i + 1);
        if (from == MPG_FOREIGN)
            continue;
        if (from < 0)
            return -1;
        const struct channel_name name = graph_post_name(call, from);
        if (mpg_graph_post_on(matching, call, &name, INT64_MAX, &all->messages[all->count], err) < 0)
            return -1;
        if (mpg_graph_is_alone(matching, from))
            mpg_graph_await_post(&matching->progress, all->messages[all->count], call->leave_ns, &call->waiter);
        all->count++;
    }
    return 0;
}

int mpg_graph_win_start_edges(struct matching *matching, struct windows *windows, const struct call *call, struct group *group,
                              struct mpg_error *err)
{
    struct window *w = mpg_graph_find_window(&windows->by_object, call->event->object, err);
    uint32_t late = 0;
    int status = w ? 0 : -1;
    for (uint32_t i = 0; i < group->count && status == 0; i++) {
        struct message *m = group->messages[i];
        if (m->arrived && m->sender_ns <= call->leave_ns && mpg_graph_is_alone(matching, m->source)) {
            status = mpg_graph_arrival_edge(matching, m, err);
            mpg_graph_receiver_done(matching, m, false);
            continue;
        }
        mpg_graph_forget_post(&matching->progress, m);
        group->messages[late++] = m;
    }
    group->count = late;
    if (status < 0) {
        free(group);
        return -1;
    }
    free(w->late);
    w->late = group;
    return 0;
}

/* Observes whether the epoch's MPI_Win_start waited for the last of the targets' MPI_Win_posts. GROUP: the messages of these
 * MPI_Win_posts. CALL is the MPI_Win_complete that ends the epoch. */
void mpg_graph_note_win_start(struct progress *c, struct windows *windows, const struct call *call, const struct group *group)
{
    double last_ns = -INFINITY;
    struct mpg_error err;
    const struct window *w = c->observes ? mpg_graph_find_window(&windows->by_object, call->event->object, &err) : NULL;
    if (!w) /* out of memory: the observation is left out */
        return;
    for (uint32_t i = 0; i < group->count; i++)
        last_ns = group->messages[i]->is_sent ? fmax(last_ns, group->messages[i]->sender_ns) : last_ns;
    if (last_ns > w->access.enter_ns)
        mpg_graph_evidence_count(&c->starts, 0, w->access.leave_ns >= last_ns ? last_ns - w->access.enter_ns : -1);
}
