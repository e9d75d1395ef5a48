/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of messages for which one call waits; neighbourhood collectives as groups of messages. */
#include "graph/matching/groups.h"

#include <stdlib.h>

struct group *mpg_graph_new_group(uint32_t count, struct mpg_error *err)
{
    struct group *group = calloc(1, sizeof *group + count * sizeof(struct message *));
    if (!group)
        mpg_graph_out_of_memory(err);
    return group;
}

/* Sets *RANK to the world rank of neighbour PEER; MPG_PROC_NULL and MPG_FOREIGN are passed through. Returns false with ERR. */
static bool find_neighbor(struct matching *matching, const struct call *call, int32_t comm,
                          int32_t peer, int32_t *rank, struct mpg_error *err)
{
    *rank = MPG_PROC_NULL;
    if (peer == MPG_PROC_NULL)
        return true;
    *rank = mpg_graph_peer(matching->members, call, comm, peer, err);
    matching->counts->foreign += *rank == MPG_FOREIGN;
    return *rank >= 0 || *rank == MPG_FOREIGN;
}

static int send_to_neighbors(struct matching *matching, const struct call *call,
                             const struct mpg_event *e, int32_t tag, uint32_t index,
                             struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->destination_number; i++) {
        int64_t bytes = i < e->count_number ? e->counts[i] : e->count_number ? 0 : e->bytes;
        struct outcome outcome;
        struct message *m;
        int32_t to;
        if (!find_neighbor(matching, call, e->comm, e->destinations[i], &to, err))
            return -1;
        if (to < 0)
            continue;
        struct channel_name name = {SPACE_NEIGHBOR, e->comm, call->rank, to, tag};
        call->sent->parts++;
        if (mpg_graph_apply_to_message(&matching->applied_hypotheses, call, e->comm, to, MPG_SELECTED_NO_TAG, bytes, &outcome,
                                       err) < 0 ||
            mpg_graph_report_other_effect(&matching->applied_hypotheses, call, outcome.by, err) < 0 ||
            mpg_graph_send_on(matching, call, &name, (struct protocol){0}, graph_outcome_load(bytes, &outcome), index + i, &m,
                              err) < 0)
            return -1;
        mpg_graph_sender_done(matching, m, false); /* no call of the sender waits for the message */
    }
    return 0;
}

/* Starts the messages of the neighbourhood collective E. TAG: tag of the messages; 0 for blocking and nonblocking collectives,
 * different for each persistent collective of the communicator. INDEX: index of the first message among the messages of CALL.
 * *GROUP: the messages to receive. */
static int exchange(struct matching *matching, const struct call *call, const struct mpg_event *e,
                    int32_t tag, uint32_t index, struct group **group, struct mpg_error *err)
{
    *group = NULL;
    if (send_to_neighbors(matching, call, e, tag, index, err) < 0 || !(*group = mpg_graph_new_group(e->source_number, err)))
        return -1;
    for (uint32_t i = 0; i < e->source_number; i++) {
        int32_t from;
        if (!find_neighbor(matching, call, e->comm, e->sources[i], &from, err))
            return -1;
        if (from < 0)
            continue;
        struct channel_name name = {SPACE_NEIGHBOR, e->comm, from, call->rank, tag};
        /* A blocking collective counts dropped messages at its leave. */
        if (mpg_call_kind(call->event->call) != MPG_KIND_NEIGHBOR)
            mpg_graph_note_post(matching, call);
        if (mpg_graph_post_on(matching, call, &name, INT64_MAX, &(*group)->messages[(*group)->count], err) < 0)
            return -1;
        (*group)->count++;
    }
    return 0;
}

int mpg_graph_neighbors(struct matching *matching, const struct call *call, struct group **group, struct mpg_error *err)
{
    return exchange(matching, call, call->event, 0, 0, group, err);
}

int mpg_graph_start_neighbors(struct matching *matching, const struct call *call, const struct mpg_event *what, uint32_t which,
                              uint32_t index, struct group **group, struct mpg_error *err)
{
    return exchange(matching, call, what, (int32_t)which + 1, index, group, err);
}

void mpg_graph_await_group(struct waiter *waiter, struct group *group)
{
    for (uint32_t i = 0; group && i < group->count; i++)
        if (!group->messages[i]->arrived)
            graph_await(waiter, &group->messages[i]->receive_waiter);
}

const struct message *mpg_graph_missing_of_group(const struct group *group)
{
    for (uint32_t i = 0; group && i < group->count; i++)
        if (!group->messages[i]->arrived)
            return group->messages[i];
    return NULL;
}

int mpg_graph_group_edges(struct matching *matching, struct group *group, bool polled, struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0; i < group->count && status == 0; i++) {
        struct message *m = group->messages[i];
        if (!m->arrived)
            continue;
        status = mpg_graph_arrival_edge(matching, m, err);
        mpg_graph_receiver_done(matching, m, polled);
    }
    free(group);
    return status;
}

uint32_t mpg_graph_group_dropped(const struct applied_hypotheses *applied_hypotheses, const struct group *group)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        n += mpg_graph_is_receive_dropped(applied_hypotheses, group->messages[i]);
    }
    return n;
}

uint32_t mpg_graph_abandon_group(struct group *group, const struct waiter *waiter)
{
    uint32_t n = 0;
    for (uint32_t i = 0; group && i < group->count; i++)
        if (graph_abandon(&group->messages[i]->receive_waiter, waiter)) {
            group->messages[i]->unmatched = true;
            n++;
        }
    return n;
}
