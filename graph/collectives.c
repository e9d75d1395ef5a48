/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives: who waits for whom (Sottile 2006, section 3.2; MPI-3.1 sections 5.12 and
 * 11.5 for nonblocking ones and fences). */
#include <stdlib.h>

#include "graph/graph_private.h"

static uint64_t pair(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

/* The order and the communicator that S's call goes by. Constructors by group count
 * apart: they are the first of their new communicator. -1: of none that is known. */
static int32_t order_of(const struct mpg_graph *g, const struct stream *s, enum order *order,
                        int32_t *where)
{
    const struct mpg_event *e = &s->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    bool by_group = e->call == MPG_CALL_Comm_create_group || e->call == MPG_CALL_Intercomm_create;
    int32_t comm = by_group ? e->newcomm : e->comm;
    *order = by_group ? ORDER_GROUP : ORDER_COMM;
    if (kind == MPG_KIND_WIN_FENCE || kind == MPG_KIND_WIN_FREE) {
        const struct mpg_object *window = mpg_trace_object(g->trace, e->object);
        *order = ORDER_WINDOW;
        *where = e->object;
        return window ? window->comm : MPG_NO_COMM;
    }
    *where = comm;
    return comm < mpg_trace_comm_count(g->trace) ? comm : MPG_NO_COMM;
}

static struct collective *new_collective(const struct mpg_graph *g, const struct mpg_event *e,
                                         int32_t comm)
{
    const struct mpg_comm *members = mpg_trace_comm(g->trace, comm);
    struct collective *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    enum mpg_kind kind = mpg_call_kind(e->call);
    c->called = e->call;
    c->call = graph_blocking_twin(e->call);
    c->blocking = kind != MPG_KIND_ICOLLECTIVE && kind != MPG_KIND_ICONSTRUCTOR;
    c->shape = graph_shape_of(c->call);
    c->comm = comm;
    c->p = members->size + members->remote_size;
    c->root = -1;
    c->members = calloc((size_t)c->p, sizeof *c->members);
    if (!c->members) {
        free(c);
        return NULL;
    }
    for (int32_t i = 0; i < c->p; i++) {
        c->members[i].foreign = members->world_ranks[i] < 0;
        c->expected += !c->members[i].foreign;
    }
    return c;
}

/* The collective that this call of S takes part in. */
static struct collective *join(struct mpg_graph *g, const struct stream *s, enum order order,
                               int32_t where, int32_t comm, struct mpg_error *err)
{
    uint64_t *count = mpg_map_add(&g->sequences, pair(where, s->rank), order);
    if (!count) {
        graph_out_of_memory(err);
        return NULL;
    }
    uint64_t sequence = (*count)++;
    uint64_t *slot = mpg_map_add(&g->collectives, pair((int32_t)order, where), sequence);
    if (slot && !*slot) {
        struct collective *c = new_collective(g, &s->event, comm);
        if (!c) {
            graph_out_of_memory(err);
            return NULL;
        }
        c->order = order;
        c->where = where;
        c->sequence = sequence;
        *slot = (uint64_t)(uintptr_t)c;
    }
    if (!slot) {
        graph_out_of_memory(err);
        return NULL;
    }
    return (struct collective *)(uintptr_t)*slot;
}

/* The member that RANK's event calls root, or -1 if RANK does not take part. */
static int32_t root_index(const struct mpg_graph *g, int32_t comm, int32_t me, int32_t root)
{
    const struct mpg_comm *c = mpg_trace_comm(g->trace, comm);
    if (root == MPG_ROOT)
        return me;
    if (root < 0)
        return -1;
    if (c->remote_size == 0)
        return root;
    return me < c->size ? c->size + root : root;
}

static int check_call(const struct mpg_graph *g, const struct collective *c,
                      const struct stream *s, int32_t root, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct place here = graph_here(s);
    for (int32_t i = 0; i < c->p && e->call != c->called; i++) {
        const struct place *other = &c->members[i].place;
        if (c->members[i].arrived)
            return graph_error(&here, err,
                               "mismatched collective on communicator %d: rank %d, call %llu "
                               "is MPI_%s",
                               mpg_trace_comm(g->trace, c->comm)->label, other->rank,
                               (unsigned long long)other->number, mpg_call_name(other->call));
    }
    bool rooted = c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT;
    if (rooted && e->root != MPG_PROC_NULL && (root < 0 || root >= c->p))
        return graph_error(&here, err, "root %d is not in the communicator", e->root);
    if (rooted && root >= 0 && c->root >= 0 && root != c->root)
        return graph_error(&here, err, "mismatched root on communicator %d",
                           mpg_trace_comm(g->trace, c->comm)->label);
    return 0;
}

static int emit_contribution(struct mpg_graph *g, const struct collective *c, int32_t i,
                             struct mpg_error *err)
{
    const struct member *m = &c->members[i];
    struct mpg_step *s = graph_emit_at(g, MPG_STEP_CONTRIBUTE, &m->place);
    if (!s)
        return graph_out_of_memory(err);
    s->call = c->call;
    s->slot = s->a = m->slot;
    s->rounds = graph_rounds_of(c);
    s->bytes = graph_bytes_of(c, i);
    return 0;
}

/* What the members merged so far were like. */
struct merged {
    uint32_t slot;
    int32_t latest;     /* the first of those that came last */
    double latest_ns;
    int64_t least_ns;   /* duration; of nonblocking ones 0, for under `wait` they are tight */
};

/* Merges the contribution of member I into SLOT, given what the group's times were
 * and become: the latest enter (clock) and the least duration (wait). */
static int emit_merge(struct mpg_graph *g, const struct collective *c, int32_t i, uint32_t slot,
                      struct merged *merged, struct mpg_error *err)
{
    const struct member *m = &c->members[i];
    struct mpg_step *s = graph_emit_at(g, MPG_STEP_MERGE, &m->place);
    if (!s)
        return graph_out_of_memory(err);
    double latest = m->enter_ns > merged->latest_ns ? m->enter_ns : merged->latest_ns;
    int64_t least = m->duration_ns < merged->least_ns ? m->duration_ns : merged->least_ns;
    s->slot = slot;
    s->a = merged->slot;
    s->b = m->slot;
    s->shift_a.clock = latest - merged->latest_ns;
    s->shift_b.clock = latest - m->enter_ns;
    s->shift_a.wait = (double)(merged->least_ns - least);
    s->shift_b.wait = (double)(m->duration_ns - least);
    if (latest > merged->latest_ns)
        merged->latest = i;
    merged->slot = slot;
    merged->latest_ns = latest;
    merged->least_ns = least;
    return 0;
}

static struct merged merged_with_first(const struct member *m, int32_t i)
{
    return (struct merged){m->slot, i, m->enter_ns, m->duration_ns};
}

static void wake_member(struct mpg_graph *g, struct member *m)
{
    graph_wake(g, &m->waiter);
}

/* Everyone is there: all contributions become the meeting node's value. */
static int close_meeting(struct mpg_graph *g, struct collective *c, struct mpg_error *err)
{
    struct merged merged = {0};
    bool any = false;
    for (int32_t i = 0; i < c->p; i++) {
        struct member *m = &c->members[i];
        if (m->foreign)
            continue;
        if (emit_contribution(g, c, i, err) < 0)
            return -1;
        if (!any)
            merged = merged_with_first(m, i);
        else if (emit_merge(g, c, i, merged.slot, &merged, err) < 0)
            return -1;
        else
            graph_free_slot(g, m->slot);
        any = true;
    }
    c->meeting_slot = merged.slot;
    c->latest = merged.latest;
    c->closed = true;
    for (int32_t i = 0; i < c->p; i++)
        wake_member(g, &c->members[i]);
    return 0;
}

/* Extends the prefix of arrived members; each one's slot becomes its own
 * meeting node, of itself and all before it. */
static int extend_prefix(struct mpg_graph *g, struct collective *c, struct mpg_error *err)
{
    for (; c->prefix < c->p; c->prefix++) {
        struct member *m = &c->members[c->prefix];
        if (m->foreign)
            continue;
        if (!m->arrived)
            break;
        if (emit_contribution(g, c, c->prefix, err) < 0)
            return -1;
        int32_t before = c->prefix - 1;
        while (before >= 0 && c->members[before].foreign)
            before--;
        m->latest = c->prefix;
        if (before >= 0) {
            /* What the prefix was like is kept in its last member. */
            const struct member *last = &c->members[before];
            struct merged merged = merged_with_first(last, last->latest);
            if (emit_merge(g, c, c->prefix, m->slot, &merged, err) < 0)
                return -1;
            m->enter_ns = merged.latest_ns;
            m->duration_ns = merged.least_ns;
            m->latest = merged.latest;
        }
        wake_member(g, m);
    }
    return 0;
}

static bool all_arrived(const struct collective *c)
{
    return c->arrived == c->expected;
}

static int take_part(struct mpg_graph *g, struct collective *c, const struct stream *s, int32_t me,
                     struct mpg_error *err)
{
    struct member *m = &c->members[me];
    switch (c->shape) {
    case SHAPE_MEETING:
        if (graph_store(g, s, &m->slot, err) < 0)
            return -1;
        return all_arrived(c) ? close_meeting(g, c, err) : 0;
    case SHAPE_SCAN:
        if (graph_store(g, s, &m->slot, err) < 0)
            return -1;
        return extend_prefix(g, c, err);
    case SHAPE_FROM_ROOT:
        if (me != c->root)
            return 0;
        if (graph_store(g, s, &m->slot, err) < 0)
            return -1;
        for (int32_t i = 0; i < c->p; i++)
            wake_member(g, &c->members[i]);
        return 0;
    case SHAPE_TO_ROOT:
        if (me != c->root && !m->absent && !c->foreign_root &&
            (graph_store(g, s, &m->slot, err) < 0 || emit_contribution(g, c, me, err) < 0))
            return -1;
        if (all_arrived(c) && c->root >= 0 && !c->foreign_root)
            wake_member(g, &c->members[c->root]);
        return 0;
    }
    return 0;
}

int graph_arrive(struct mpg_graph *g, struct stream *s, struct collective **collective,
                 struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct place here = graph_here(s);
    enum order order;
    int32_t where, comm = order_of(g, s, &order, &where);
    *collective = NULL;
    if (comm < 0)
        return 0;
    int32_t me = graph_member_index(g, comm, s->rank);
    if (me < 0)
        return graph_error(&here, err, "the rank is not in communicator %d",
                           mpg_trace_comm(g->trace, comm)->label);
    struct collective *c = join(g, s, order, where, comm, err);
    int32_t root = root_index(g, comm, me, e->root);
    if (!c)
        return -1;
    if (check_call(g, c, s, root, err) < 0) {
        g->counts.unmatched++; /* it goes on as if it were alone */
        return g->options.lenient ? 0 : -1;
    }
    struct member *m = &c->members[me];
    m->arrived = true;
    m->place = here;
    m->absent = e->root == MPG_PROC_NULL;
    m->enter_ns = graph_enter_ns(g, s);
    m->duration_ns = c->blocking ? e->leave_ns - e->enter_ns : 0;
    m->bytes = mpg_call_kind(e->call) == MPG_KIND_WIN_FENCE ? graph_end_epoch(g, s)
                                                            : graph_member_bytes(e, me);
    if (c->arrived++ == 0) {
        g->counts.collectives++;
        g->counts.foreign += c->expected < c->p;
    }
    if ((c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT) && root >= 0) {
        c->root = root;
        c->foreign_root = c->members[root].foreign;
    }
    *collective = c;
    return take_part(g, c, s, me, err);
}

bool graph_collective_ready(struct mpg_graph *g, struct collective *c, struct stream *s)
{
    int32_t me = graph_member_index(g, c->comm, s->rank);
    struct member *m = &c->members[me];
    bool ready = true;
    switch (c->shape) {
    case SHAPE_MEETING:
        ready = c->closed;
        break;
    case SHAPE_SCAN:
        ready = me < c->prefix;
        break;
    case SHAPE_FROM_ROOT:
        ready = m->absent || me == c->root || c->foreign_root ||
                (c->root >= 0 && c->members[c->root].arrived);
        break;
    case SHAPE_TO_ROOT:
        ready = me != c->root || all_arrived(c);
        break;
    }
    if (!ready)
        m->waiter = s;
    return ready;
}

static void free_collective(struct collective *c)
{
    free(c->members);
    free(c);
}

/* The last one out: slots that others needed, and the collective itself, go. */
static void leave_collective(struct mpg_graph *g, struct collective *c)
{
    if (++c->left < c->expected)
        return;
    if (c->shape == SHAPE_MEETING && c->closed)
        graph_free_slot(g, c->meeting_slot);
    for (int32_t i = 0; i < c->p; i++)
        if (!c->members[i].foreign &&
            (c->shape == SHAPE_SCAN || (c->shape == SHAPE_FROM_ROOT && i == c->root)))
            graph_free_slot(g, c->members[i].slot);
    mpg_map_remove(&g->collectives, pair((int32_t)c->order, c->where), c->sequence);
    free_collective(c);
}

static struct mpg_edge *edge_from(struct mpg_graph *g, const struct collective *c, int32_t i,
                                  enum mpg_edge_kind kind, uint32_t slot)
{
    struct mpg_edge *edge = graph_add_edge(g, kind);
    if (!edge)
        return NULL;
    edge->slot = slot;
    edge->source = c->members[i].place.rank;
    edge->from_ns = c->members[i].enter_ns;
    return edge;
}

/* From the node where ME has met the others, of whom LATEST came last. */
static int meeting_edge(struct mpg_graph *g, const struct collective *c, int32_t me,
                        int32_t latest, uint32_t slot, struct mpg_error *err)
{
    struct mpg_edge *edge =
        edge_from(g, c, latest, c->blocking ? MPG_EDGE_MEETING : MPG_EDGE_MET, slot);
    if (!edge)
        return graph_out_of_memory(err);
    edge->rounds = graph_rounds_of(c);
    edge->bytes = graph_bytes_of(c, me);
    return 0;
}

static int root_edge(struct mpg_graph *g, const struct collective *c, int32_t me,
                     struct mpg_error *err)
{
    const struct place *place = &c->members[me].place;
    struct mpg_edge *edge = edge_from(g, c, c->root, MPG_EDGE_ROOT, c->members[c->root].slot);
    if (!edge)
        return graph_out_of_memory(err);
    edge->origin = (struct mpg_origin){place->rank, 0, place->number};
    edge->rounds = graph_rounds_of(c);
    edge->bytes = graph_bytes_of(c, me);
    return 0;
}

static int member_edges(struct mpg_graph *g, const struct collective *c, struct mpg_error *err)
{
    for (int32_t i = 0; i < c->p; i++) {
        if (i == c->root || !c->members[i].arrived || c->members[i].absent)
            continue;
        struct mpg_edge *edge = edge_from(g, c, i, MPG_EDGE_MEMBER, c->members[i].slot);
        if (!edge)
            return graph_out_of_memory(err);
        edge->bytes = graph_bytes_of(c, i);
        graph_free_slot(g, c->members[i].slot);
    }
    return 0;
}

int graph_collective_edges(struct mpg_graph *g, struct collective *c, const struct stream *s,
                           struct mpg_error *err)
{
    int32_t me = graph_member_index(g, c->comm, s->rank);
    int status = 0;
    switch (c->shape) {
    case SHAPE_MEETING:
        if (c->closed)
            status = meeting_edge(g, c, me, c->latest, c->meeting_slot, err);
        break;
    case SHAPE_SCAN:
        if (me < c->prefix)
            status = meeting_edge(g, c, me, c->members[me].latest, c->members[me].slot, err);
        break;
    case SHAPE_FROM_ROOT:
        if (me != c->root && c->root >= 0 && c->members[c->root].arrived &&
            !c->members[me].absent)
            status = root_edge(g, c, me, err);
        break;
    case SHAPE_TO_ROOT:
        if (me == c->root)
            status = member_edges(g, c, err);
        break;
    }
    leave_collective(g, c);
    return status;
}

int graph_check_collectives(const struct mpg_graph *g, struct mpg_error *err)
{
    for (size_t i = 0; i < g->collectives.capacity; i++) {
        if (!g->collectives.entries[i].used)
            continue;
        const struct collective *c =
            (struct collective *)(uintptr_t)g->collectives.entries[i].value;
        for (int32_t j = 0; j < c->p; j++)
            if (c->members[j].arrived)
                return graph_error(&c->members[j].place, err,
                                   "only %d of %d ranks of communicator %d call it", c->arrived,
                                   c->expected, mpg_trace_comm(g->trace, c->comm)->label);
    }
    return 0;
}

void graph_free_collectives(struct mpg_graph *g)
{
    for (size_t i = 0; i < g->collectives.capacity; i++)
        if (g->collectives.entries[i].used)
            free_collective((struct collective *)(uintptr_t)g->collectives.entries[i].value);
    mpg_map_clear(&g->collectives);
    mpg_map_clear(&g->sequences);
    mpg_map_clear(&g->members);
}
