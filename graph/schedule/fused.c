/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begins and leaves, in one step, calls that need not wait: eager sends, receives of messages already sent, and
 * nonblocking sends and receives. */
#include "graph/schedule/fused.h"

#include "graph/schedule/calls.h"
#include "graph/schedule/streams.h"

bool mpg_graph_fuses(const struct mpg_graph *g, const struct mpg_graph_options *options)
{
    return !options->unfused && !mpg_graph_channels_have_more(&g->matching.channels) && !g->ratios && !g->bound;
}

uint64_t mpg_graph_at_once(const struct mpg_graph *g)
{
    return g->at_once;
}

/* Returns the cached channel of S's thread for sending to PEER (SENDS) or receiving from PEER; NULL: not in the cache. */
static inline struct cached_channel *known_channel(const struct stream *s, bool sends, int32_t peer)
{
    const struct mpg_event *e = s->call.event;
    struct cached_channel *cached_channel = graph_cached_channel_slot(&s->call, sends, peer, e->tag);
    return graph_cached_channel_fits(cached_channel, e->comm, peer, e->tag) ? cached_channel : NULL;
}

/* Emits the LEAVE step of S's call. Returns NULL with ERR: out of memory. */
static inline struct mpg_step *emit_leave(struct mpg_graph *g, const struct stream *s, struct mpg_error *err)
{
    struct mpg_step *step = graph_emit_leave(&g->steps, &s->call, (double)s->call.event->bytes);
    if (!step)
        mpg_graph_out_of_memory(err);
    return step;
}

static inline int send_at_once(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct matching *matching = &g->matching;
    struct cached_channel *cached_channel = known_channel(s, true, e->to);
    if (!cached_channel)
        return 0;
    const struct protocol protocol = graph_load_protocol(matching, e->call, graph_load(e->bytes));
    if (protocol.sync_source || protocol.sync_target)
        return 0;
    struct message *m = mpg_graph_send_at_once(matching, &s->call, cached_channel, protocol, err);
    struct mpg_step *step = m ? emit_leave(g, s, err) : NULL;
    if (!step || (g->steps.wanted != MPG_STEPS_LEAVES && mpg_graph_keep_sent_at_once(matching, &s->call, step, m, err) < 0))
        return -1;
    /* An eager send has no edge: only the send's end is recorded. */
    return mpg_graph_sender_edge(matching, &s->call, m, err) < 0 ? -1 : 1;
}

static inline int receive_at_once(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct matching *matching = &g->matching;
    struct cached_channel *cached_channel = e->any ? NULL : known_channel(s, false, e->from);
    const struct message *first = cached_channel ? cached_channel->channel->first : NULL;
    if (!first || !first->is_sent || !first->arrived || first->synchronous)
        return 0;
    struct message *m = graph_take_first(cached_channel->channel);
    graph_begin_edges(&g->steps);
    if (mpg_graph_post_message(matching, &s->call, m, e->bytes, err) < 0 || mpg_graph_arrival_edge(matching, m, err) < 0)
        return -1;
    mpg_graph_receiver_done(matching, m, false);
    struct mpg_step *step = emit_leave(g, s, err);
    if (!step)
        return -1;
    step->edges = g->steps.edges;
    step->edge_number = 1;
    graph_note_arrival(&g->counts, step->edges, step->leave_ns);
    return 1;
}

/* Begins and leaves a nonblocking send or receive. */
static inline int post_at_once(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_run *r = s->state->run;
    graph_begin_sent(&s->sent);
    if (mpg_graph_start_request(&g->requests, &r->requests, &r->probed, &s->call, err) < 0)
        return -1;
    struct mpg_step *step = emit_leave(g, s, err);
    if (!step || (g->steps.wanted != MPG_STEPS_LEAVES && s->sent.n > 0 &&
                  mpg_graph_keep_sent(&g->steps, step, s->sent.message, s->sent.n, err) < 0))
        return -1;
    return 1;
}

static inline int make(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    switch (mpg_call_kind(s->call.event->call)) {
    case MPG_KIND_SEND:
        return send_at_once(g, s, err);
    case MPG_KIND_RECV:
        return receive_at_once(g, s, err);
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
        return post_at_once(g, s, err);
    default:
        return 0;
    }
}

int mpg_graph_fuse(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (graph_progress_receives_at(&g->matching, &s->call, err) < 0)
        return -1;
    const int made = s->call.event->failed ? 0 : make(g, s, err);
    if (made > 0) {
        g->turn += graph_turn_of(s->call.event->call);
        s->found_nothing = false;
        g->at_once++;
    }
    return made;
}
