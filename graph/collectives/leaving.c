/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members leave a collective: the condition, the edges into the leave, and cleanup after the last member. */
#include "graph/algorithms/operation.h"
#include "graph/collectives/collective.h"
#include "graph/collectives/collectives.h"

static bool may_leave(const struct part *part)
{
    const struct collective *c = part->collective;
    if (c->dropped)
        return true;
    if (c->expansion)
        return mpg_graph_expansion_left(c->expansion, part->me);
    switch (c->shape) {
    case SHAPE_MEETING:
        return c->closed;
    case SHAPE_SCAN:
        return part->me < c->prefix;
    case SHAPE_FROM_ROOT:
        return graph_find_member(c, part->me)->absent || part->me == c->root || c->foreign_root ||
               (c->root >= 0 && graph_has_arrived(c, c->root));
    default:
        return part->me == c->root ? graph_all_arrived(c)
                                   : c->closed || !graph_is_held(c, part->me);
    }
}

void mpg_graph_await_part(const struct part *part, struct waiter *waiter)
{
    if (!may_leave(part))
        graph_await(waiter, &graph_find_member(part->collective, part->me)->waiter);
}

static void free_slots(struct collectives *collectives, const struct collective *c)
{
    if (c->closed)
        graph_free_slot(collectives->steps, c->meeting_slot);
    for (int32_t i = 0; i < c->p && c->shape == SHAPE_SCAN; i++)
        if (graph_has_arrived(c, i))
            graph_free_slot(collectives->steps, graph_find_member(c, i)->slot);
    if (c->shape == SHAPE_FROM_ROOT && c->root >= 0 && graph_has_arrived(c, c->root))
        graph_free_slot(collectives->steps, graph_find_member(c, c->root)->slot);
}

static void free_over(struct batch_attachment *over)
{
    mpg_graph_free_collective((struct collective *)over); /* OVER is the first member of the struct */
}

void mpg_graph_end_collective(struct collectives *collectives, struct collective *c)
{
    if (c->left < c->own || (c->spans && !graph_all_arrived(c)))
        return;
    if (c->expansion) {
        mpg_map_remove(&collectives->open, graph_pair((int32_t)c->order, c->where), c->sequence);
        c->over.free = free_over;
        graph_steps_attach(collectives->steps, &c->over);
        return;
    }
    if (!c->dropped)
        free_slots(collectives, c);
    mpg_map_remove(&collectives->open, graph_pair((int32_t)c->order, c->where), c->sequence);
    mpg_graph_free_collective(c);
}

/* A member has left C. */
static inline void leave_collective(struct collectives *collectives, struct collective *c)
{
    c->left++;
    mpg_graph_end_collective(collectives, c);
}

static struct mpg_edge *edge_from(struct collectives *collectives, const struct member *m,
                                  enum mpg_call call, enum mpg_edge_kind kind, uint32_t slot)
{
    struct mpg_edge *edge = graph_add_edge(collectives->steps, kind);
    if (!edge)
        return NULL;
    edge->slot = slot;
    edge->source = m->call_ref.rank;
    edge->from_ns = m->enter_ns;
    edge->call = call;
    return edge;
}

/* Adds the edge from C's meeting node, with value in SLOT, to ME's leave. LATEST: index of the last member to enter. */
static int meeting_edge(struct collectives *collectives, const struct collective *c,
                        const struct member *me, int32_t latest, uint32_t slot,
                        struct mpg_error *err)
{
    struct mpg_edge *edge = edge_from(collectives, graph_find_member(c, latest), c->call,
                                      c->blocking ? MPG_EDGE_MEETING : MPG_EDGE_MET, slot);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->sent_ns = edge->from_ns;
    edge->off_ns = (double)(c->shape == SHAPE_MEETING ? c->off_ns : me->off_ns);
    edge->rounds = mpg_graph_rounds_of(c->call, c->p);
    edge->bytes = graph_member_moves(c, me);
    edge->target_bytes = graph_member_would_move(c, me);
    return 0;
}

static int root_edge(struct collectives *collectives, const struct collective *c,
                     const struct member *me, struct mpg_error *err)
{
    const struct member *root = graph_find_member(c, c->root);
    struct mpg_edge *edge = edge_from(collectives, root, c->call, MPG_EDGE_ROOT, root->slot);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->origin = graph_member_origin(me);
    edge->meeting = graph_member_origin(root);
    edge->members = c->p;
    edge->contributed_bytes = (double)me->target_bytes;
    edge->rounds = mpg_graph_rounds_of(c->call, c->p);
    edge->bytes = graph_member_moves(c, me);
    edge->target_bytes = graph_member_would_move(c, me);
    return 0;
}

static int member_edges(struct collectives *collectives, const struct collective *c,
                        struct mpg_error *err)
{
    for (int32_t i = 0; i < c->p; i++) {
        const struct member *m = graph_find_member(c, i);
        if (i == c->root || !m || !m->arrived || m->absent)
            continue;
        struct mpg_edge *edge = edge_from(collectives, m, c->call, MPG_EDGE_MEMBER, m->slot);
        if (!edge)
            return mpg_graph_out_of_memory(err);
        edge->meeting = graph_member_origin(graph_find_member(c, c->root));
        edge->bytes = graph_member_moves(c, m);
        edge->target_bytes = graph_member_would_move(c, m);
        graph_free_slot(collectives->steps, m->slot);
    }
    return 0;
}

/* Adds the edge from the root's enter or leave to the leave of a member that waits for the root. */
static int held_edge(struct collectives *collectives, const struct collective *c, struct mpg_error *err)
{
    struct mpg_edge *edge = edge_from(collectives, graph_find_member(c, c->root), c->call,
                                      MPG_EDGE_HELD, c->meeting_slot);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->from_ns = c->held_ns;
    return 0;
}

enum mpg_call mpg_graph_part_call(const struct part *part)
{
    return part->collective->call;
}

bool mpg_graph_part_is_nonblocking(const struct collectives *collectives, const struct part *part,
                                   struct nonblocking_part *nonblocking_part)
{
    const struct collective *c = part->collective;
    if (!c || c->blocking || c->dropped || c->p == 1 || c->expected < c->p || !mpg_graph_has_algorithms(c->call) ||
        graph_comm_of(collectives, c)->remote_size > 0)
        return false;
    *nonblocking_part = (struct nonblocking_part){.call = c->call,
                                                  .operation = mpg_collective_of(c->call),
                                                  .p = c->p,
                                                  .root = c->root < 0 ? 0 : c->root,
                                                  .me = part->me,
                                                  .bytes = graph_find_member(c, part->me)->traced_bytes,
                                                  .world_ranks = graph_comm_of(collectives, c)->world_ranks};
    return true;
}

bool mpg_graph_part_member(const struct part *part, int32_t index, double *enter_ns, uint64_t *number)
{
    const struct member *m = graph_find_member(part->collective, index);
    if (!m || !m->arrived)
        return false;
    *enter_ns = m->came_ns;
    *number = m->call_ref.number;
    return true;
}

bool mpg_graph_part_is_dropped(const struct part *part)
{
    return part->collective && part->collective->dropped;
}

bool mpg_graph_part_is_awaited(const struct part *part)
{
    const struct collective *c = part->collective;
    return c && c->holds && c->blocking && part->me == c->root;
}

int mpg_graph_part_left(struct collectives *collectives, const struct part *part, const struct call *call, struct mpg_error *err)
{
    if (mpg_graph_release_members(collectives, part->collective, call, call->leave_ns, err) < 0)
        return -1;
    leave_collective(collectives, part->collective);
    return 0;
}

/* Adds the edge to ME's leave in a collective simulated as messages, from ME's slot, which holds the end of ME's
 * messages. Frees the slot. */
static int expanded_edge(struct collectives *collectives, const struct collective *c,
                         const struct member *me, struct mpg_error *err)
{
    struct mpg_edge *edge =
        edge_from(collectives, me, c->call, c->blocking ? MPG_EDGE_MEETING : MPG_EDGE_MET, me->slot);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->expanded = true;
    edge->from_ns = c->first_ns;
    edge->sent_ns = c->last_ns;
    edge->off_ns = (double)(mpg_graph_expansion_needs_all(c->expansion) ? c->off_ns : me->off_ns);
    graph_free_slot(collectives->steps, me->slot);
    return 0;
}

/* Notes the lost wait of ME in collective C, which hypotheses drop. Counted for each member that can wait, because the
 * order in which members would enter is not known. */
static int lose_part(struct collectives *collectives, const struct collective *c, int32_t me, struct mpg_error *err)
{
    const bool is_root = me == c->root;
    const bool waits = c->shape == SHAPE_FROM_ROOT ? !is_root : c->shape == SHAPE_TO_ROOT ? is_root || c->holds : true;
    if (c->p <= 1 || !waits)
        return 0;
    return mpg_graph_lose_wait(collectives->steps, err);
}

int mpg_graph_part_edges(struct collectives *collectives, const struct part *part, double leave_ns, struct mpg_error *err)
{
    struct collective *c = part->collective;
    const struct member *me = graph_find_member(c, part->me);
    int status = 0;
    if (c->dropped) {
        status = lose_part(collectives, c, part->me, err);
        leave_collective(collectives, c);
        return status;
    }
    if (c->expansion) {
        if (mpg_graph_expansion_left(c->expansion, part->me))
            status = expanded_edge(collectives, c, me, err);
        mpg_graph_expansion_leave(c->expansion, part->me, leave_ns, &collectives->observed);
        leave_collective(collectives, c);
        return status;
    }
    switch (c->shape) {
    case SHAPE_MEETING:
        if (c->closed)
            status = meeting_edge(collectives, c, me, c->latest, c->meeting_slot, err);
        break;
    case SHAPE_SCAN:
        if (part->me < c->prefix)
            status = meeting_edge(collectives, c, me, me->latest, me->slot, err);
        break;
    case SHAPE_FROM_ROOT:
        if (part->me != c->root && c->root >= 0 && graph_has_arrived(c, c->root) && !me->absent)
            status = root_edge(collectives, c, me, err);
        break;
    case SHAPE_TO_ROOT:
        if (part->me == c->root)
            status = member_edges(collectives, c, err);
        else if (c->closed && graph_is_held(c, part->me))
            status = held_edge(collectives, c, err);
        break;
    }
    if (!mpg_graph_part_is_awaited(part))
        leave_collective(collectives, c);
    return status;
}
