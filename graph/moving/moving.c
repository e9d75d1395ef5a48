/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Awaiting what others do, and the edges. */
#include "graph/moving/moving.h"

#include <stdlib.h>

#include "graph/moving/moving_private.h"

struct moving *mpg_graph_moving_new(struct carrying *carrying, struct meetings *meetings, const struct mpg_carried *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                    struct mpg_error *err)
{
    struct moving *moving = calloc(1, sizeof *moving);
    if (!moving) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    *moving = (struct moving){.carrying = carrying,
                              .meetings = meetings,
                              .limits = limits,
                              .table = table,
                              .eager_limit_bytes = eager_limit_bytes,
                              .observes = observes};
    if (observes && !(moving->seen = mpg_graph_seen_new(err))) {
        free(moving);
        return NULL;
    }
    return moving;
}

void mpg_graph_moving_free(struct moving *moving)
{
    if (!moving)
        return;
    mpg_graph_forget_waves(moving);
    mpg_graph_seen_free(moving->seen);
    free(moving);
}

/* Of more members none is looked at: each waits for what all others do. */
enum { MOST_MEMBERS = 256 };

/* Whether what completes PART by CALL may wait for others' calls. */
static bool ask(const struct moving *moving, const struct part *part, const struct call *call, struct asked *asked)
{
    if (!moving || !moving->carrying->is_on || !mpg_graph_part_is_nonblocking(moving->meetings, part, &asked->met) ||
        asked->met.p > MOST_MEMBERS)
        return false;
    asked->part = part;
    asked->until_ns = call->leave_ns;
    return true;
}

static struct mpg_nonblocking find(const struct moving *moving, const struct met *met)
{
    const struct mpg_collective_size size = {
        .operation = met->operation, .p = met->p, .bytes = (double)met->bytes};
    return mpg_graph_moved_as(moving->limits, moving->table, met->call, &size);
}

int mpg_graph_await_moved(struct moving *moving, const struct part *part, struct call *call, struct mpg_error *err)
{
    struct asked asked;
    if (!ask(moving, part, call, &asked) || (!moving->observes && !find(moving, &asked.met).moves))
        return 0;
    for (int32_t i = 0; i < asked.met.p; i++)
        if (i != asked.met.me &&
            mpg_graph_await_passing(moving->carrying, asked.met.world_ranks[i], call->leave_ns, &call->waiter, err) < 0)
            return -1;
    return 0;
}

static int add_edges(const struct moving *moving, struct mpg_error *err)
{
    for (uint32_t i = 0; i < moving->found_number; i++) {
        const struct passage *p = moving->found[i].passage;
        struct mpg_edge *edge = graph_add_edge(moving->carrying->steps, MPG_EDGE_HELD);
        if (!edge)
            return mpg_graph_out_of_memory(err);
        edge->source = moving->found[i].rank;
        edge->slot = p->slot;
        edge->from_ns = p->enter_ns;
        edge->awaits_call = true;
    }
    return 0;
}

int mpg_graph_moved_edges(struct moving *moving, const struct part *part, const struct call *call, struct mpg_error *err)
{
    struct asked asked;
    if (!ask(moving, part, call, &asked))
        return 0;
    if (moving->observes) {
        mpg_graph_see(moving, &asked, call);
        return 0;
    }
    const struct mpg_nonblocking as = find(moving, &asked.met);
    const struct way way = {as.choice, true, as.carried};
    if (!as.moves)
        return 0;
    (void)mpg_graph_moved_end(moving, &asked, &way);
    return add_edges(moving, err);
}
