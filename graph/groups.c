/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that a call receives together, and those between neighbours (MPI-3.1
 * section 7.6): each of the topology's edges is a message, matched in order. */
#include <stdlib.h>

#include "graph/graph_private.h"

struct group *graph_new_group(uint32_t count, struct mpg_error *err)
{
    struct group *group = calloc(1, sizeof *group + count * sizeof(struct message *));
    if (!group)
        graph_out_of_memory(err);
    return group;
}

/* The world rank of neighbour PEER: MPG_PROC_NULL and MPG_FOREIGN are themselves; false
 * with ERR. */
static bool find_neighbor(struct mpg_graph *g, const struct stream *s, int32_t peer,
                          int32_t *rank, struct mpg_error *err)
{
    *rank = MPG_PROC_NULL;
    if (peer == MPG_PROC_NULL)
        return true;
    *rank = graph_peer(g, s, s->event.comm, peer, err);
    g->counts.foreign += *rank == MPG_FOREIGN;
    return *rank >= 0 || *rank == MPG_FOREIGN;
}

static int send_to_neighbors(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    for (uint32_t i = 0; i < e->destination_number; i++) {
        int64_t bytes = i < e->count_number ? e->counts[i] : e->count_number ? 0 : e->bytes;
        struct message *m;
        int32_t to;
        if (!find_neighbor(g, s, e->destinations[i], &to, err))
            return -1;
        if (to < 0)
            continue;
        struct channel_name name = {SPACE_NEIGHBOR, e->comm, s->rank, to, 0};
        if (graph_send_on(g, s, &name, false, bytes, i, &m, err) < 0)
            return -1;
        graph_sender_done(g, m, false); /* nothing of the sender's waits for it */
    }
    return 0;
}

int graph_neighbors(struct mpg_graph *g, struct stream *s, struct group **group,
                    struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    *group = NULL;
    if (send_to_neighbors(g, s, err) < 0 || !(*group = graph_new_group(e->source_number, err)))
        return -1;
    for (uint32_t i = 0; i < e->source_number; i++) {
        int32_t from;
        if (!find_neighbor(g, s, e->sources[i], &from, err))
            return -1;
        if (from < 0)
            continue;
        struct channel_name name = {SPACE_NEIGHBOR, e->comm, from, s->rank, 0};
        if (graph_post_on(g, s, &name, INT64_MAX, &(*group)->messages[(*group)->count], err) < 0)
            return -1;
        (*group)->count++;
    }
    return 0;
}

void graph_await_group(struct stream *s, struct group *group)
{
    for (uint32_t i = 0; group && i < group->count; i++)
        if (!group->messages[i]->arrived) {
            group->messages[i]->receive_waiter = s;
            s->unmet++;
        }
}

int graph_group_edges(struct mpg_graph *g, struct group *group, bool polled,
                      struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0; i < group->count && status == 0; i++) {
        struct message *m = group->messages[i];
        if (!m->arrived)
            continue;
        status = graph_arrival_edge(g, m, err);
        graph_receiver_done(g, m, polled);
    }
    free(group);
    return status;
}

uint32_t graph_give_up_group(struct group *group, const struct stream *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; group && i < group->count; i++)
        if (group->messages[i]->receive_waiter == s) {
            group->messages[i]->receive_waiter = NULL;
            group->messages[i]->given_up = true;
            n++;
        }
    return n;
}
