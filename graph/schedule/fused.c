/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A send, a receive. */
#include "graph/schedule/fused.h"

#include "graph/schedule/calls.h"

bool graph_fuses(const struct mpg_graph *g, const struct mpg_graph_options *options)
{
    return !options->apart && !graph_says_more(&g->matching.channels) && !g->posts && !g->has_regions;
}

/* The route that S's thread has to PEER of its call, or from there; NULL: none that knows its channel. */
static inline struct route *known_route(const struct stream *s, bool sends, int32_t peer)
{
    const struct mpg_event *e = s->call.event;
    struct route *route = graph_route_at(&s->call, sends, peer, e->tag);
    return graph_route_leads(route, e->comm, peer, e->tag) ? route : NULL;
}

/* The leave of S's call. */
static inline struct mpg_step *emit_leave(struct mpg_graph *g, const struct stream *s, struct mpg_error *err)
{
    struct mpg_step *step = graph_emit_leave(&g->steps, &s->call, (double)s->call.event->bytes);
    if (!step)
        graph_out_of_memory(err);
    return step;
}

static inline int send_at_once(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct matching *matching = &g->matching;
    struct route *route = known_route(s, true, e->to);
    if (!route || route->sequence == 0)
        return 0;
    const struct protocol protocol = graph_load_protocol(matching, e->call, graph_load(e->bytes));
    if (protocol.sync_source || protocol.sync_target)
        return 0;
    struct message *m = graph_send_at_once(matching, &s->call, route, protocol, err);
    struct mpg_step *step = m ? emit_leave(g, s, err) : NULL;
    if (!step || (g->steps.wanted != MPG_STEPS_LEAVES && graph_keep_sent_at_once(matching, &s->call, step, m, err) < 0))
        return -1;
    graph_sender_done(matching, m, false);
    return 1;
}

static inline int receive_at_once(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct matching *matching = &g->matching;
    struct route *route = e->any ? NULL : known_route(s, false, e->from);
    const struct message *first = route ? route->channel->first : NULL;
    if (!first || !first->is_sent || !first->arrived || first->synchronous)
        return 0;
    struct message *m = graph_receive_at_once(matching, &s->call, route, err);
    const uint32_t edges = g->steps.edge_count;
    if (!m || graph_arrival_edge(matching, m, err) < 0)
        return -1;
    graph_receiver_done(matching, m, false);
    struct mpg_step *step = emit_leave(g, s, err);
    if (!step)
        return -1;
    step->edges = g->steps.edges + edges;
    step->edge_number = 1;
    graph_note_arrival(&g->counts, step->edges, step->leave_ns);
    return 1;
}

int graph_fuse(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (e->failed || (kind != MPG_KIND_SEND && kind != MPG_KIND_RECV))
        return 0;
    const int made = kind == MPG_KIND_SEND ? send_at_once(g, s, err) : receive_at_once(g, s, err);
    if (made > 0) {
        s->found_nothing = false;
        g->counts.at_once++;
    }
    return made;
}
