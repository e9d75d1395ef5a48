/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of threads whose call waits until all candidate messages are known. */
#include "graph/schedule/choosing.h"

void mpg_graph_note_choosing(struct stream **list, struct stream *s)
{
    if (s->completing.choice.unmet == 0)
        return;
    s->choosing_next = *list;
    s->choosing_link = list;
    if (*list)
        (*list)->choosing_link = &s->choosing_next;
    *list = s;
}

void mpg_graph_forget_choosing(struct stream *s)
{
    if (!s->choosing_link)
        return;
    *s->choosing_link = s->choosing_next;
    if (s->choosing_next)
        s->choosing_next->choosing_link = s->choosing_link;
    s->choosing_next = NULL;
    s->choosing_link = NULL;
}

static bool left_before(const struct mpg_graph *g, const struct stream *a, const struct stream *b)
{
    double x = graph_align(g, a->call.rank, a->call.event->leave_ns);
    double y = graph_align(g, b->call.rank, b->call.event->leave_ns);
    if (x != y)
        return x < y;
    return a->call.rank != b->call.rank ? a->call.rank < b->call.rank : a->thread < b->thread;
}

bool mpg_graph_release_choosing(struct mpg_graph *g)
{
    struct stream *first = NULL;
    for (struct stream *s = g->choosing; s; s = s->choosing_next) {
        bool lacks_only_candidates = s->completing.choice.unmet > 0 && s->call.waiter.unmet == 1;
        if (lacks_only_candidates && (!first || left_before(g, s, first)))
            first = s;
    }
    if (!first)
        return false;
    mpg_graph_forget_choosing(first);
    mpg_graph_end_choice(&g->rank[first->call.rank].run->requests, &first->call, &first->completing);
    return true;
}

bool mpg_graph_is_beyond_horizon(const struct mpg_graph *g)
{
    return g->choosing && g->matching.in_flight > g->horizon;
}
