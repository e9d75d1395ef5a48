/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives: who waits for whom, and what each contributes (Sottile 2006,
 * section 3.2; rounds and bytes in docs/MODEL.md, section 4). */
#include <stdlib.h>

#include "graph/graph_private.h"

static enum collective_shape shape_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return SHAPE_SCAN;
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return SHAPE_FROM_ROOT;
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
        return SHAPE_TO_ROOT;
    default:
        return SHAPE_MEETING;
    }
}

static uint32_t ceil_log2(int32_t p)
{
    uint32_t n = 0;
    while ((INT64_C(1) << n) < p)
        n++;
    return n;
}

/* Rounds of latency that member I pays. */
static uint32_t rounds_of(const struct collective *c)
{
    if (c->p == 1)
        return 0;
    switch (c->call) {
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return 1;
    case MPG_CALL_Alltoall:
    case MPG_CALL_Alltoallv:
        return (uint32_t)c->p - 1;
    default:
        return ceil_log2(c->p);
    }
}

/* Bytes that member I transfers in all rounds. */
static double bytes_of(const struct collective *c, int32_t i)
{
    double d = (double)c->members[i].bytes, sum = 0;
    if (c->p == 1)
        return 0;
    switch (c->call) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Allreduce:
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return ceil_log2(c->p) * d;
    case MPG_CALL_Allgather:
    case MPG_CALL_Allgatherv:
        for (int32_t j = 0; j < c->p; j++)
            sum += j == i ? 0 : (double)c->members[j].bytes;
        return sum;
    case MPG_CALL_Alltoall:
        return (c->p - 1) * d;
    case MPG_CALL_Reduce_scatter:
    case MPG_CALL_Reduce_scatter_block:
        return d * (c->p - 1) / c->p;
    case MPG_CALL_Alltoallv: /* summed over the others on arrival */
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return d;
    default:
        return 0;
    }
}

/* What member I's event says that it contributes (or, of a scatter, gets). */
static int64_t member_bytes(const struct mpg_event *e, int32_t i)
{
    int64_t sum = 0;
    if (e->count_number == 0)
        return e->bytes;
    if (e->call != MPG_CALL_Alltoallv)
        return (uint32_t)i < e->count_number ? e->counts[i] : 0;
    for (uint32_t j = 0; j < e->count_number; j++)
        sum += j == (uint32_t)i ? 0 : e->counts[j];
    return sum;
}

static uint64_t pair(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static struct collective *new_collective(const struct mpg_graph *g, const struct mpg_event *e,
                                         int32_t comm, uint64_t sequence)
{
    const struct mpg_comm *members = mpg_trace_comm(g->trace, comm);
    struct collective *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->call = e->call;
    c->shape = shape_of(e->call);
    c->comm = comm;
    c->sequence = sequence;
    c->p = members->size + members->remote_size;
    c->root = -1;
    c->members = calloc((size_t)c->p, sizeof *c->members);
    if (c->members)
        return c;
    free(c);
    return NULL;
}

/* The collective that this call of RANK takes part in. Constructors by group
 * count apart: they are the first of their new communicator. */
static struct collective *join(struct mpg_graph *g, int32_t rank, int32_t comm,
                               struct mpg_error *err)
{
    const struct mpg_event *e = &g->rank[rank].event;
    bool by_group = e->call == MPG_CALL_Comm_create_group;
    uint64_t *count = mpg_map_add(&g->sequences, pair(comm, rank), by_group);
    if (!count) {
        graph_out_of_memory(err);
        return NULL;
    }
    uint64_t sequence = (*count)++ * 2 + by_group;
    uint64_t *slot = mpg_map_add(&g->collectives, (uint64_t)comm, sequence);
    if (slot && !*slot) {
        struct collective *c = new_collective(g, e, comm, sequence);
        if (c)
            *slot = (uint64_t)(uintptr_t)c;
        else
            slot = NULL;
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

static int check_call(const struct mpg_graph *g, const struct collective *c, int32_t rank,
                      int32_t root, struct mpg_error *err)
{
    const struct mpg_event *e = &g->rank[rank].event;
    struct place here = graph_here(g, rank);
    if (e->call != c->call) {
        for (int32_t i = 0; i < c->p; i++)
            if (c->members[i].arrived) {
                const struct place *other = &c->members[i].place;
                return graph_error(&here, err,
                                   "mismatched collective on communicator %d: rank %d, call %llu "
                                   "is MPI_%s",
                                   mpg_trace_comm(g->trace, c->comm)->label, other->rank,
                                   (unsigned long long)other->number, mpg_call_name(other->call));
            }
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
    struct mpg_step *s = graph_emit(g, MPG_STEP_CONTRIBUTE, m->place.rank);
    if (!s)
        return graph_out_of_memory(err);
    s->call = c->call;
    s->number = m->place.number;
    s->slot = s->a = m->slot;
    s->rounds = rounds_of(c);
    s->bytes = bytes_of(c, i);
    return 0;
}

/* Merges the contribution in slot B into SLOT, given what the group's times were
 * and become: the latest enter (clock) and the least duration (wait). */
static int emit_merge(struct mpg_graph *g, const struct member *m, uint32_t slot, uint32_t a,
                      double *latest_ns, int64_t *least_ns, struct mpg_error *err)
{
    struct mpg_step *s = graph_emit(g, MPG_STEP_MERGE, m->place.rank);
    if (!s)
        return graph_out_of_memory(err);
    double latest = m->enter_ns > *latest_ns ? m->enter_ns : *latest_ns;
    int64_t least = m->duration_ns < *least_ns ? m->duration_ns : *least_ns;
    s->slot = slot;
    s->a = a;
    s->b = m->slot;
    s->shift_a.clock = latest - *latest_ns;
    s->shift_b.clock = latest - m->enter_ns;
    s->shift_a.wait = (double)(*least_ns - least);
    s->shift_b.wait = (double)(m->duration_ns - least);
    *latest_ns = latest;
    *least_ns = least;
    return 0;
}

/* Everyone is there: all contributions become the meeting node's value. */
static int close_meeting(struct mpg_graph *g, struct collective *c, struct mpg_error *err)
{
    struct member *first = &c->members[0];
    double latest_ns = first->enter_ns;
    int64_t least_ns = first->duration_ns;
    for (int32_t i = 0; i < c->p; i++) {
        struct member *m = &c->members[i];
        if (emit_contribution(g, c, i, err) < 0)
            return -1;
        if (i == 0)
            continue;
        if (emit_merge(g, m, first->slot, first->slot, &latest_ns, &least_ns, err) < 0)
            return -1;
        graph_free_slot(g, m->slot);
    }
    c->meeting_slot = first->slot;
    c->closed = true;
    for (int32_t i = 0; i < c->p; i++)
        if (c->members[i].waiting)
            graph_satisfy(g, c->members[i].place.rank);
    return 0;
}

/* Extends the prefix of arrived members; each one's slot becomes its own
 * meeting node, of itself and all before it. */
static int extend_prefix(struct mpg_graph *g, struct collective *c, struct mpg_error *err)
{
    for (; c->prefix < c->p && c->members[c->prefix].arrived; c->prefix++) {
        struct member *m = &c->members[c->prefix];
        if (emit_contribution(g, c, c->prefix, err) < 0)
            return -1;
        if (c->prefix > 0) {
            /* The prefix's latest enter and least duration are kept in its last member. */
            struct member *before = m - 1;
            double latest_ns = before->enter_ns;
            int64_t least_ns = before->duration_ns;
            if (emit_merge(g, m, m->slot, before->slot, &latest_ns, &least_ns, err) < 0)
                return -1;
            m->enter_ns = latest_ns;
            m->duration_ns = least_ns;
        }
        if (m->waiting)
            graph_satisfy(g, m->place.rank);
    }
    return 0;
}

static int store_member(struct mpg_graph *g, struct member *m, struct mpg_error *err)
{
    if (graph_new_slot(g, &m->slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_STORE, m->place.rank);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = m->slot;
    return 0;
}

static void wake_member(struct mpg_graph *g, struct member *m)
{
    if (m->waiting) {
        m->waiting = false;
        graph_satisfy(g, m->place.rank);
    }
}

/* Whether all that the root of a SHAPE_TO_ROOT waits for is there. */
static bool all_arrived(const struct collective *c)
{
    return c->arrived == c->p;
}

static int take_part(struct mpg_graph *g, struct collective *c, int32_t me, struct mpg_error *err)
{
    struct member *m = &c->members[me];
    switch (c->shape) {
    case SHAPE_MEETING:
        if (store_member(g, m, err) < 0)
            return -1;
        return all_arrived(c) ? close_meeting(g, c, err) : 0;
    case SHAPE_SCAN:
        if (store_member(g, m, err) < 0)
            return -1;
        return extend_prefix(g, c, err);
    case SHAPE_FROM_ROOT:
        if (me != c->root)
            return 0;
        if (store_member(g, m, err) < 0)
            return -1;
        for (int32_t i = 0; i < c->p; i++)
            wake_member(g, &c->members[i]);
        return 0;
    case SHAPE_TO_ROOT:
        if (me != c->root && !m->absent &&
            (store_member(g, m, err) < 0 || emit_contribution(g, c, me, err) < 0))
            return -1;
        if (all_arrived(c) && c->root >= 0)
            wake_member(g, &c->members[c->root]);
        return 0;
    }
    return 0;
}

int graph_arrive(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct mpg_event *e = &r->event;
    struct place here = graph_here(g, rank);
    int32_t comm = e->call == MPG_CALL_Comm_create_group ? e->newcomm : e->comm;
    if (comm == MPG_NO_COMM)
        return 0;
    int32_t me = graph_member_index(g, comm, rank);
    if (me < 0)
        return graph_error(&here, err, "the rank is not in communicator %d",
                           mpg_trace_comm(g->trace, comm)->label);
    struct collective *c = join(g, rank, comm, err);
    int32_t root = root_index(g, comm, me, e->root);
    if (!c)
        return -1;
    if (check_call(g, c, rank, root, err) < 0) {
        g->counts.unmatched++; /* it goes on as if it were alone */
        return g->options.lenient ? 0 : -1;
    }
    struct member *m = &c->members[me];
    m->arrived = true;
    m->place = here;
    m->absent = e->root == MPG_PROC_NULL;
    m->enter_ns = graph_enter_ns(g, rank);
    m->duration_ns = e->leave_ns - e->enter_ns;
    m->bytes = member_bytes(e, me);
    c->arrived++;
    g->counts.collectives += c->arrived == 1;
    if ((c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT) && root >= 0)
        c->root = root;
    r->collective = c;
    return take_part(g, c, me, err);
}

bool graph_collective_ready(struct mpg_graph *g, int32_t rank)
{
    struct collective *c = g->rank[rank].collective;
    int32_t me = graph_member_index(g, c->comm, rank);
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
        ready = m->absent || me == c->root || (c->root >= 0 && c->members[c->root].arrived);
        break;
    case SHAPE_TO_ROOT:
        ready = me != c->root || all_arrived(c);
        break;
    }
    m->waiting = !ready;
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
    if (++c->left < c->p)
        return;
    if (c->shape == SHAPE_MEETING && c->closed)
        graph_free_slot(g, c->meeting_slot);
    for (int32_t i = 0; i < c->p; i++)
        if (c->shape == SHAPE_SCAN || (c->shape == SHAPE_FROM_ROOT && i == c->root))
            graph_free_slot(g, c->members[i].slot);
    mpg_map_remove(&g->collectives, (uint64_t)c->comm, c->sequence);
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

static int member_edges(struct mpg_graph *g, const struct collective *c, struct mpg_error *err)
{
    for (int32_t i = 0; i < c->p; i++) {
        if (i == c->root || !c->members[i].arrived || c->members[i].absent)
            continue;
        struct mpg_edge *edge = edge_from(g, c, i, MPG_EDGE_MEMBER, c->members[i].slot);
        if (!edge)
            return graph_out_of_memory(err);
        edge->bytes = bytes_of(c, i);
        graph_free_slot(g, c->members[i].slot);
    }
    return 0;
}

int graph_collective_edges(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct collective *c = g->rank[rank].collective;
    int32_t me = graph_member_index(g, c->comm, rank);
    struct mpg_edge *edge;
    int status = 0;
    switch (c->shape) {
    case SHAPE_MEETING:
        if (c->closed && !edge_from(g, c, me, MPG_EDGE_MEETING, c->meeting_slot))
            status = graph_out_of_memory(err);
        break;
    case SHAPE_SCAN:
        if (me < c->prefix && !edge_from(g, c, me, MPG_EDGE_MEETING, c->members[me].slot))
            status = graph_out_of_memory(err);
        break;
    case SHAPE_FROM_ROOT:
        if (me == c->root || c->root < 0 || !c->members[c->root].arrived || c->members[me].absent)
            break;
        edge = edge_from(g, c, c->root, MPG_EDGE_ROOT, c->members[c->root].slot);
        if (!edge) {
            status = graph_out_of_memory(err);
            break;
        }
        edge->rounds = rounds_of(c);
        edge->bytes = bytes_of(c, me);
        break;
    case SHAPE_TO_ROOT:
        if (me == c->root)
            status = member_edges(g, c, err);
        break;
    }
    g->rank[rank].collective = NULL;
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
                                   c->p, mpg_trace_comm(g->trace, c->comm)->label);
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
