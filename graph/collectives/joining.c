/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives while members enter: who takes part, and the steps that join the members' times. leaving.c handles the leaves. */
#include "graph/collectives/collectives.h"

#include <stdlib.h>

#include "graph/algorithms/operation.h"
#include "graph/collectives/collective.h"

bool mpg_collective_is_partial(enum mpg_call call)
{
    return mpg_graph_shape_of(mpg_call_blocking(call)) != SHAPE_MEETING;
}

/* --- which calls belong together --- */

static void wake_expanded(void *collective, int32_t i)
{
    mpg_graph_wake_member(collective, i);
}

/* Returns whether options ask to simulate C as messages of an algorithm. BYTES: contribution of a member. */
static bool is_to_expand(const struct collectives *collectives, const struct collective *c, double bytes)
{
    if (!collectives->expand || !mpg_graph_has_algorithms(c->call))
        return false;
    if (collectives->expand_some && c->shape != SHAPE_MEETING)
        return true;
    return collectives->unexpanded ? !mpg_unexpanded_has(collectives->unexpanded, c->call, c->p,
                                                         bytes) : !collectives->expand_some;
}

/* Prepares C to be simulated as messages of an algorithm, if options demand and all members are of this job. BYTES:
 * contribution of the first member to enter. Returns 0, or -1 with ERR. */
static int expand(struct collectives *collectives, struct collective *c, double bytes, struct mpg_error *err)
{
    const struct mpg_comm *comm = graph_comm_of(collectives, c);
    /* If progress was observed, the calls that complete a nonblocking collective get the edges of weak progress instead. */
    const bool is_moved = !c->blocking && collectives->observed_progress;
    const struct expansion_input what = {.table = collectives->expand,
                                         .observed_progress = is_moved ? collectives->observed_progress : NULL,
                                         .eager_limit_bytes = collectives->eager_limit_bytes,
                                         .weak_bytes = is_moved ? INT64_MAX : collectives->weak_bytes,
                                         .tree_bytes = is_moved ? INT64_MAX : collectives->tree_bytes,
                                         .observes = collectives->observed.entering && c->blocking,
                                         .call = c->call,
                                         .p = c->p,
                                         .world_ranks = comm->world_ranks,
                                         .context = c,
                                         .wake = wake_expanded};
    if (c->p == 1 || c->expected < c->p || comm->remote_size > 0 || !is_to_expand(collectives, c, bytes))
        return 0;
    c->expansion = mpg_graph_expansion_new(&what, err);
    if (!c->expansion)
        return -1;
    c->holds = false; /* the algorithm's messages say which member waits for which */
    collectives->counts->expanded++;
    if (c->p > collectives->expanded_members)
        collectives->expanded_members = c->p;
    return 0;
}

/* Finds the members of C, on MEMBERS, in this part of a divided graph, RANKS. Returns -1 with ERR if the parts cannot share C. */
static int divide(struct mpg_rank_part *ranks, struct collective *c, const struct mpg_comm *members, struct mpg_error *err)
{
    const struct part_comm *comm = mpg_part_comm(ranks, c->comm, err);
    if (!comm)
        return -1;
    c->own = comm->own;
    c->spans = comm->members != UINT64_C(1) << ranks->index;
    if (!c->spans)
        return 0;
    if (members->remote_size > 0 || c->expected < c->p)
        return mpg_part_refuse(ranks, MPG_PARTS_FOREIGN, err);
    if (c->holds)
        return mpg_part_refuse(ranks, MPG_PARTS_ROOT, err);
    if (c->shape == SHAPE_MEETING && !(c->meeting = calloc(1, sizeof *c->meeting)))
        return mpg_graph_out_of_memory(err);
    return 0;
}

static struct collective *new_collective(struct collectives *collectives, const struct entering *entering,
                                         struct mpg_error *err)
{
    const struct mpg_comm *members = mpg_trace_comm(collectives->trace, entering->comm);
    int32_t p = members->size + members->remote_size, expected;
    if (mpg_graph_member_number(collectives->members, entering->comm, &expected, err) < 0)
        return NULL;
    size_t blocks = ((size_t)p + BLOCK - 1) >> BLOCK_BITS;
    struct collective *c = calloc(1, sizeof *c + blocks * sizeof c->blocks[0]);
    if (!c) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    c->called = mpg_call_plain(entering->call);
    c->call = mpg_call_blocking(entering->call);
    c->blocking = entering->blocking;
    c->shape = mpg_graph_shape_of(c->call);
    c->holds = collectives->sync_reduce && c->shape == SHAPE_TO_ROOT;
    c->order = entering->order;
    c->where = entering->where;
    c->sequence = entering->sequence;
    c->comm = entering->comm;
    c->p = p;
    c->expected = c->own = expected;
    c->root = -1;
    if (!collectives->ranks || divide(collectives->ranks, c, members, err) == 0)
        return c;
    free(c);
    return NULL;
}

/* Returns the collective of the call ENTERING, made when the first member enters; NULL with ERR: out of memory. */
static struct collective *join(struct collectives *collectives, const struct entering *entering,
                               struct mpg_error *err)
{
    uint64_t key = graph_pair((int32_t)entering->order, entering->where);
    uint64_t *slot = mpg_map_add(&collectives->open, key, entering->sequence);
    if (!slot) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    if (*slot)
        return (struct collective *)(uintptr_t)*slot;
    struct collective *c = new_collective(collectives, entering, err);
    if (!c) {
        mpg_map_remove(&collectives->open, key, entering->sequence);
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)c;
    return c;
}

/* Returns the index of the root in C. ROOT: the argument of member ME's call, on an intercommunicator a rank of the
 * remote group. -1: ME does not take part. */
static int32_t root_index(const struct mpg_comm *c, int32_t me, int32_t root)
{
    if (root == MPG_ROOT)
        return me;
    if (root < 0)
        return -1;
    if (c->remote_size == 0)
        return root;
    return me < c->size ? c->size + root : root;
}

static int check_call(const struct collectives *collectives, const struct collective *c,
                      const struct call *call, const struct entering *entering, int32_t root,
                      struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(call);
    int32_t label = graph_comm_of(collectives, c)->label;
    for (int32_t i = 0; i < c->p && mpg_call_plain(entering->call) != c->called; i++) {
        if (!graph_has_arrived(c, i))
            continue;
        const struct call_ref *other = &graph_find_member(c, i)->call_ref;
        return mpg_graph_error_lenient(&here, err, "mismatched collective on communicator %d: rank %d, call %llu is MPI_%s",
                                       label, other->rank, (unsigned long long)other->number, mpg_call_name(c->called));
    }
    bool rooted = c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT;
    if (rooted && entering->root != MPG_PROC_NULL && (root < 0 || root >= c->p))
        return mpg_graph_error_lenient(&here, err, "root %d is not in the communicator", entering->root);
    if (rooted && root >= 0 && c->root >= 0 && root != c->root)
        return mpg_graph_error_lenient(&here, err, "mismatched root on communicator %d", label);
    return 0;
}

/* --- steps --- */

/* Returns the first member of C in this job. The member's call is the key of the random numbers shared by all members. */
static const struct member *first_member(const struct collective *c)
{
    int32_t i = 0;
    while (i + 1 < c->p && !graph_has_arrived(c, i))
        i++;
    return graph_find_member(c, i);
}

int mpg_graph_contribute(struct collectives *collectives, const struct collective *c, struct member *m, struct mpg_error *err)
{
    struct mpg_step *s = mpg_graph_emit_at(collectives->steps, MPG_STEP_CONTRIBUTE, &m->call_ref);
    if (!s)
        return mpg_graph_out_of_memory(err);
    s->call = c->call;
    s->origin = graph_member_origin(m);
    s->meeting = c->meeting ? c->meeting->first : graph_member_origin(c->shape == SHAPE_MEETING ? first_member(c) : m);
    s->members = c->p;
    s->contributed_bytes = (double)m->target_bytes;
    s->a = m->slot;
    if (graph_renew_slot(collectives->steps, &m->slot, err) < 0)
        return -1;
    s->slot = m->slot;
    s->rounds = mpg_graph_rounds_of(c->call, c->p);
    s->bytes = graph_member_moves(c, m);
    s->target_bytes = graph_member_would_move(c, m);
    return 0;
}

/* Emits the step that merges the contribution of M, member I, into MERGED. *SLOT is one of the two slots and gets the
 * merged value. The step's shifts follow from the merged members' times without and with M: from the latest enter in the
 * slack model `clock`, from the minimum duration in the model `wait`. */
static int emit_merge(struct collectives *collectives, const struct member *m, int32_t i, uint32_t *slot,
                      struct merged *merged, struct mpg_error *err)
{
    struct mpg_step *s = mpg_graph_emit_at(collectives->steps, MPG_STEP_MERGE, &m->call_ref);
    if (!s)
        return mpg_graph_out_of_memory(err);
    double latest = m->enter_ns > merged->latest_ns ? m->enter_ns : merged->latest_ns;
    int64_t min = m->duration_ns < merged->min_ns ? m->duration_ns : merged->min_ns;
    s->a = merged->slot;
    s->b = m->slot;
    if (graph_renew_slot(collectives->steps, slot, err) < 0)
        return -1;
    s->slot = *slot;
    s->shift[0].clock = latest - merged->latest_ns;
    s->shift[1].clock = latest - m->enter_ns;
    s->shift[0].wait = (double)(merged->min_ns - min);
    s->shift[1].wait = (double)(m->duration_ns - min);
    if (latest > merged->latest_ns)
        merged->latest = i;
    merged->latest_ns = latest;
    merged->min_ns = min;
    return 0;
}

static struct merged merged_with_first(const struct member *m, int32_t i)
{
    return (struct merged){m->slot, i, m->enter_ns, m->duration_ns};
}

int mpg_graph_merge(struct collectives *collectives, const struct member *m, int32_t i, bool is_first, struct merged *merged,
                    struct mpg_error *err)
{
    if (is_first) {
        *merged = merged_with_first(m, i);
        return 0;
    }
    if (emit_merge(collectives, m, i, &merged->slot, merged, err) < 0)
        return -1;
    graph_free_slot(collectives->steps, m->slot);
    return 0;
}

void mpg_graph_close_meeting(struct collective *c, const struct merged *merged)
{
    c->meeting_slot = merged->slot;
    c->latest = merged->latest;
    c->closed = true;
    for (int32_t i = 0; i < c->p; i++)
        mpg_graph_wake_member(c, i);
}

/* All members have entered: emits the steps that merge the contributions into the value of the meeting node. */
static int close_meeting(struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    struct merged merged = {0};
    bool any = false;
    for (int32_t i = 0; i < c->p; i++) {
        struct member *m = graph_find_member(c, i);
        if (!m || !m->arrived)
            continue; /* a member of another job */
        if (mpg_graph_contribute(collectives, c, m, err) < 0 || mpg_graph_merge(collectives, m, i, !any, &merged, err) < 0)
            return -1;
        any = true;
    }
    mpg_graph_close_meeting(c, &merged);
    return 0;
}

/* For scans: as long as the next member in rank order has entered, merges the member with the members before. The slot of
 * a merged member holds the time at which this member and all members before have entered. */
static int extend_prefix(struct collectives *collectives, struct collective *c, struct mpg_error *err)
{
    const int32_t *world_ranks = graph_comm_of(collectives, c)->world_ranks;
    for (; c->prefix < c->p; c->prefix++) {
        struct member *m = graph_find_member(c, c->prefix);
        if (world_ranks[c->prefix] < 0)
            continue;
        if (!m || !m->arrived)
            break;
        if (!c->spans && mpg_graph_contribute(collectives, c, m, err) < 0)
            return -1;
        int32_t before = c->prefix - 1;
        while (before >= 0 && world_ranks[before] < 0)
            before--;
        m->latest = c->prefix;
        if (before >= 0) {
            /* The last member before already has the latest enter and minimum duration of all members up to itself. */
            const struct member *last = graph_find_member(c, before);
            struct merged merged = merged_with_first(last, last->latest);
            if (emit_merge(collectives, m, c->prefix, &m->slot, &merged, err) < 0)
                return -1;
            m->enter_ns = merged.latest_ns;
            m->duration_ns = merged.min_ns;
            m->latest = merged.latest;
            if (last->off_ns > m->off_ns)
                m->off_ns = last->off_ns;
        }
        graph_wake(&m->waiter);
    }
    return 0;
}

bool mpg_graph_has_value(const struct collective *c, int32_t i)
{
    switch (c->shape) {
    case SHAPE_FROM_ROOT:
        return i == c->root;
    case SHAPE_TO_ROOT:
        return i != c->root && !graph_find_member(c, i)->absent && !c->foreign_root;
    default:
        return true;
    }
}

/* ME has entered C, and its slot has its value: joins the values of the members that have entered, and wakes members that need
 * to wait no more. */
static int join_members(struct collectives *collectives, struct collective *c, int32_t me, struct mpg_error *err)
{
    switch (c->shape) {
    case SHAPE_MEETING:
        return graph_all_arrived(c) ? close_meeting(collectives, c, err) : 0;
    case SHAPE_SCAN:
        return extend_prefix(collectives, c, err);
    case SHAPE_FROM_ROOT:
        for (int32_t i = 0; i < c->p && me == c->root; i++)
            mpg_graph_wake_member(c, i);
        return 0;
    case SHAPE_TO_ROOT:
        if (graph_all_arrived(c) && c->root >= 0 && !c->foreign_root)
            mpg_graph_wake_member(c, c->root);
        return 0;
    }
    return 0;
}

static int take_part(struct collectives *collectives, struct collective *c, const struct call *call,
                     const struct entering *entering, int32_t me, struct mpg_error *err)
{
    struct member *m = graph_find_member(c, me);
    if (c->expansion) {
        if (mpg_graph_store(collectives->steps, call, &m->slot, err) < 0)
            return -1;
        if (c->arrived == 1)
            c->first_ns = c->last_ns = m->enter_ns;
        if (m->enter_ns > c->last_ns)
            c->last_ns = m->enter_ns;
        struct mpg_step *store = graph_last_step(collectives->steps);
        store->joins = true;
        store->enter_ns = m->enter_ns - c->first_ns;
        store->duration_ns = m->duration_ns;
        const struct expansion_member member = {me,       c->root,      m->slot,
                                     m->call_ref, graph_member_origin(m), (double)m->target_bytes, m->enter_ns,
                                     call->progressed_ns};
        return mpg_graph_expansion_arrive(c->expansion, collectives->steps, &member, err);
    }
    const bool has_value = mpg_graph_has_value(c, me);
    const bool contributes = has_value && (c->shape == SHAPE_TO_ROOT || (c->shape == SHAPE_SCAN && c->spans));
    if ((has_value && mpg_graph_store(collectives->steps, call, &m->slot, err) < 0) ||
        (contributes && mpg_graph_contribute(collectives, c, m, err) < 0))
        return -1;
    if (c->meeting)
        return mpg_graph_enter_meeting(collectives, c, entering, err);
    if ((c->spans && mpg_graph_export_member(collectives, c, call, entering, me, err) < 0) ||
        join_members(collectives, c, me, err) < 0)
        return -1;
    if (c->holds && me == c->root && !c->blocking)
        return mpg_graph_release_members(collectives, c, call, call->enter_ns, err);
    return 0;
}

/* Counts in CALL the messages of BYTES that ME sends in a rooted collective: the root a message to each child in a
 * binomial tree (Bcast), or to each member (Scatter); with Reduce and Gather, each member but the root a message. */
static void note_rooted(const struct collective *c, const struct call *call,
                        const struct entering *entering, int32_t me, int64_t bytes)
{
    uint32_t n = 0;
    if (c->expansion)
        return;
    if (c->shape == SHAPE_FROM_ROOT && me == c->root)
        n = c->call == MPG_CALL_Bcast ? mpg_graph_rounds_of(c->call, c->p) : (uint32_t)c->p - 1;
    else if (c->shape == SHAPE_TO_ROOT && me != c->root && entering->root != MPG_PROC_NULL)
        n = 1;
    call->sent->rooted += n;
    if (n > 0 && (double)bytes > call->sent->rooted_bytes)
        call->sent->rooted_bytes = (double)bytes;
}

/* Returns whether hypotheses can apply to ENTERING here: to a collective, but not to a constructor of communicators. For
 * fences, mpg_graph_end_epoch() has already applied hypotheses. */
static bool is_selected(const struct entering *entering)
{
    const enum mpg_kind kind = mpg_call_kind(entering->call);
    return entering->order != ORDER_WINDOW &&
           (kind == MPG_KIND_COLLECTIVE || kind == MPG_KIND_ICOLLECTIVE || kind == MPG_KIND_COLLECTIVE_INIT);
}

static int apply_to_load(const struct collectives *collectives, const struct call *call, const struct entering *entering,
                         struct load *load, struct mpg_error *err)
{
    struct outcome outcome;
    if (mpg_graph_apply_to_part(&collectives->applied_hypotheses, call, entering->comm, load->bytes, &outcome, err) < 0)
        return -1;
    *load = graph_outcome_load(load->bytes, &outcome);
    return 0;
}

static int refuse_expanded(const struct call *call, struct mpg_error *err)
{
    const struct call_ref here = graph_call_ref(call);
    return mpg_graph_error(&here, err,
                           "a hypothesis resizes this collective: with --collectives=expand the traced run "
                           "needs its messages in the recorded size, too (--predict simulates the new size only)");
}

/* Checks that hypotheses drop either all members' calls of collective C or none. LOAD->drops: CALL is dropped. */
static int drop_part(struct collectives *collectives, struct collective *c, const struct call *call,
                     const struct load *load, struct mpg_error *err)
{
    call->sent->parts++;
    call->sent->dropped += load->drops;
    if (load->drops && load->dropper >= 0)
        c->droppers |= UINT64_C(1) << load->dropper;
    for (int32_t i = 0; i < c->p && c->arrived > 0 && c->dropped != load->drops; i++)
        if (graph_has_arrived(c, i))
            return mpg_graph_drops_half(&collectives->applied_hypotheses, call, &graph_find_member(c, i)->call_ref, c->droppers,
                                        c->dropped,
                                        err);
    if (load->drops && mpg_graph_learn_together(&collectives->applied_hypotheses, c->droppers, err) < 0)
        return -1;
    if (c->arrived > 0 || !load->drops)
        return 0;
    c->dropped = true;
    c->holds = false;
    collectives->counts->expanded -= c->expansion != NULL;
    mpg_graph_expansion_free(c->expansion);
    c->expansion = NULL;
    return 0;
}

/* Returns whether members of CALL can pass different sizes. */
static bool has_own_sizes(enum mpg_call call)
{
    return call == MPG_CALL_Gatherv || call == MPG_CALL_Allgatherv || call == MPG_CALL_Alltoallv ||
           call == MPG_CALL_Alltoallw;
}

/* Reports the effect of hypotheses, LOAD, on CALL's part of C. Returns 0, or -1 with ERR. */
static int report_part(struct collectives *collectives, struct collective *c, const struct call *call,
                     const struct load *load, struct mpg_error *err)
{
    const struct call_ref here = graph_call_ref(call);
    if (!mpg_graph_reports_effects(&collectives->applied_hypotheses))
        return 0;
    if (c->arrived == 0)
        c->resizer = load->dropper;
    if (c->resizer != load->dropper && !load->drops && !has_own_sizes(c->call))
        return mpg_graph_error(&here, err,
                               "a hypothesis resizes this collective on some ranks only, or to different sizes: all "
                               "members must get the same size");
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_PART, .rank = call->rank, .number = call->number,
                                                 .which = call->sent->which, .drops = load->drops, .was = load->bytes,
                                                 .bytes = load->target_bytes};
    return mpg_graph_report_effect(&collectives->applied_hypotheses, &effect, load->dropper, err);
}

/* Returns whether the statistics of C count in this part: in the part of the first member. */
static bool counts_here(const struct collectives *collectives, const struct collective *c)
{
    return !c->spans || !graph_is_away(collectives->ranks, graph_comm_of(collectives, c)->world_ranks[0]);
}

/* Counts M, which has entered C with ROOT, a member index or -1. */
static void count_member(struct collectives *collectives, struct collective *c, const struct member *m, int32_t root)
{
    c->total_bytes += (double)m->bytes;
    c->total_target_bytes += (double)m->target_bytes;
    c->arrived++;
    if (!c->is_counted && counts_here(collectives, c)) {
        c->is_counted = true;
        collectives->counts->collectives += !c->dropped;
        collectives->counts->whole += !c->dropped && !c->expansion && c->p > 1 && collectives->unexpanded &&
                                   mpg_unexpanded_has(collectives->unexpanded, c->call, c->p, (double)m->target_bytes);
        collectives->counts->partial += !c->dropped && !c->expansion && c->p > 1 && c->shape != SHAPE_MEETING;
        collectives->counts->foreign += c->expected < c->p;
    }
    if ((c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT) && root >= 0) {
        c->root = root;
        c->foreign_root = graph_comm_of(collectives, c)->world_ranks[root] < 0;
    }
}

static int arrive(struct collectives *collectives, const struct call *call, const struct entering *entering,
                  int32_t me, struct part *part, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct collective *c = join(collectives, entering, err);
    int32_t root = root_index(mpg_trace_comm(collectives->trace, entering->comm), me, entering->root);
    if (!c)
        return -1;
    if (collectives->ranks && (mpg_call_plain(entering->call) != c->called ||
                               check_call(collectives, c, call, entering, root, err) < 0))
        return mpg_part_refuse(collectives->ranks, MPG_PARTS_NO_MATCH, err);
    if (check_call(collectives, c, call, entering, root, err) < 0) {
        collectives->counts->unmatched++; /* a call that does not match the other members' calls waits for nobody */
        return collectives->lenient ? 0 : -1;
    }
    struct load load = entering->load;
    if (is_selected(entering) && apply_to_load(collectives, call, entering, &load, err) < 0)
        return -1;
    if (c->spans && c->p > 1 && is_to_expand(collectives, c, (double)load.target_bytes)) /* in any order of arrival */
        return mpg_part_refuse(collectives->ranks, MPG_PARTS_EXPANDED, err);
    if (c->arrived == 0 && expand(collectives, c, (double)load.target_bytes, err) < 0)
        return -1;
    if (c->expansion && !collectives->of_target && load.target_bytes != load.bytes)
        return refuse_expanded(call, err);
    if (drop_part(collectives, c, call, &load, err) < 0 || report_part(collectives, c, call, &load, err) < 0)
        return -1;
    struct member *m = mpg_graph_make_member(c, me);
    if (!m)
        return mpg_graph_out_of_memory(err);
    m->arrived = true;
    m->call_ref = graph_call_ref(call);
    m->index = entering->index;
    m->absent = entering->root == MPG_PROC_NULL;
    m->enter_ns = m->came_ns = call->enter_ns;
    m->duration_ns = c->blocking ? e->leave_ns - e->enter_ns : 0;
    m->off_ns = c->blocking ? e->off_in_ns : 0;
    if (m->off_ns > c->off_ns)
        c->off_ns = m->off_ns;
    m->target_bytes = load.target_bytes;
    m->traced_bytes = load.bytes;
    m->bytes = collectives->of_target ? load.target_bytes : load.bytes;
    count_member(collectives, c, m, root);
    *part = (struct part){c, me};
    if (c->dropped)
        return 0;
    note_rooted(c, call, entering, me, m->target_bytes);
    return take_part(collectives, c, call, entering, me, err);
}

struct collective *mpg_graph_join(struct collectives *collectives, const struct entering *entering, struct mpg_error *err)
{
    struct collective *c = join(collectives, entering, err);
    if (!c || mpg_call_plain(entering->call) == c->called)
        return c;
    mpg_part_refuse(collectives->ranks, MPG_PARTS_NO_MATCH, err);
    return NULL;
}

int mpg_graph_take_over_member(struct collectives *collectives, const struct entering *entering, int32_t me,
                               const struct member *there, uint32_t slot, struct mpg_error *err)
{
    struct collective *c = mpg_graph_join(collectives, entering, err);
    const int32_t root = root_index(mpg_trace_comm(collectives->trace, entering->comm), me, entering->root);
    struct member *m = c ? mpg_graph_make_member(c, me) : NULL;
    if (!m)
        return c ? mpg_graph_out_of_memory(err) : -1;
    const bool is_rooted = c->shape == SHAPE_FROM_ROOT || c->shape == SHAPE_TO_ROOT;
    if (m->arrived || (is_rooted && c->root >= 0 && c->root != root))
        return mpg_part_refuse(collectives->ranks, MPG_PARTS_NO_MATCH, err);
    *m = *there;
    m->waiter = NULL;
    m->slot = slot;
    if (m->off_ns > c->off_ns)
        c->off_ns = m->off_ns;
    count_member(collectives, c, m, root);
    if (join_members(collectives, c, me, err) < 0)
        return -1;
    mpg_graph_end_collective(collectives, c);
    return 0;
}

int mpg_graph_arrive(struct collectives *collectives, const struct call *call, struct load rma_load, struct part *part,
                     struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    struct entering entering = {.call = e->call,
                                .root = e->root,
                                .blocking = kind != MPG_KIND_ICOLLECTIVE &&
                                kind != MPG_KIND_ICONSTRUCTOR};
    int32_t me;
    *part = (struct part){0};
    mpg_graph_find_order(collectives, e, &entering);
    if (entering.comm < 0 && entering.order == ORDER_WINDOW) {
        struct call_ref here = graph_call_ref(call);
        collectives->counts->unmatched++;
        return collectives->lenient ? 0 : mpg_graph_error_lenient(&here, err, "the trace does not define its window");
    }
    if (entering.comm < 0)
        return 0;
    if (mpg_graph_find_me(collectives, call, entering.comm, &me, err) < 0 ||
        mpg_graph_next_of(collectives, entering.order, entering.where, call->rank, &entering.sequence, err) < 0)
        return -1;
    entering.load = kind == MPG_KIND_WIN_FENCE ? rma_load : graph_load(mpg_collective_member_bytes(e, me));
    return arrive(collectives, call, &entering, me, part, err);
}

int mpg_graph_start_persistent_collective(struct collectives *collectives, const struct call *call,
                                          struct persistent_collective *persistent_collective, uint32_t index,
                                          struct part *part, struct mpg_error *err)
{
    const struct entering entering = {.call = persistent_collective->call,
                                      .order = ORDER_PERSISTENT,
                                      .where = persistent_collective->comm,
                                      .comm = persistent_collective->comm,
                                      .root = persistent_collective->root,
                                      .sequence = (uint64_t)persistent_collective->which << 32 |
                                      persistent_collective->started++,
                                      .load = graph_load(persistent_collective->bytes),
                                      .index = index};
    int32_t me;
    *part = (struct part){0};
    if (entering.comm < 0)
        return 0;
    if (mpg_graph_find_me(collectives, call, entering.comm, &me, err) < 0)
        return -1;
    return arrive(collectives, call, &entering, me, part, err);
}

void mpg_graph_collectives_clear(struct collectives *collectives)
{
    for (size_t i = 0; i < collectives->open.capacity; i++)
        if (collectives->open.entries[i].used)
            mpg_graph_free_collective((struct collective *)(uintptr_t)collectives->open.entries[i].value);
    mpg_map_clear(&collectives->open);
    mpg_map_clear(&collectives->sequences);
}
