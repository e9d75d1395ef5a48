/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a collective as the messages of one member, in the order of sends and receives in the collective's algorithm. */
#include <stdlib.h>

#include "export/program/private.h"
#include "graph/algorithms/operation.h"
#include "graph/algorithms/plan.h"

/* One member's part in a collective. */
struct part {
    struct mpg_message_program *p;
    const struct mpg_comm *comm;
    struct mpg_plan plan;
    int32_t v; /* number of the member; in the plan, numbers count from the root */
    uint32_t tag;
    int64_t requests; /* last request used; requests of these messages count down from -1 */
};

/* Returns the action KIND for a message of BYTES to or from member OTHER of the plan. */
static struct mpg_program_action action_of(const struct part *x, enum mpg_program_action_kind kind, int32_t other, double bytes)
{
    const int32_t size = x->plan.size.p;
    return (struct mpg_program_action){.kind = kind, .tag = x->tag, .bytes = (int64_t)(bytes + 0.5),
                               .peer = x->comm->world_ranks[((int64_t)other + x->plan.size.root) % size]};
}

static int write_blocking(const struct part *x, bool sends, int32_t other, double bytes, struct mpg_error *err)
{
    const struct mpg_program_action a = action_of(x, sends ? MPG_ACTION_SEND : MPG_ACTION_RECEIVE, other, bytes);
    return mpg_program_act(x->p, &a, err);
}

static int write_down(const struct part *x, const struct mpg_phase *phase, struct mpg_error *err)
{
    if (x->v > 0 && write_blocking(x, false, mpg_tree_parent(&phase->tree, x->v), mpg_tree_message(&x->plan, phase, x->v).bytes,
                                   err) < 0)
        return -1;
    const int32_t n = mpg_tree_children(&phase->tree, x->v);
    for (int32_t k = 0; k < n; k++) {
        const int32_t child = mpg_tree_child(&phase->tree, x->v, k);
        if (write_blocking(x, true, child, mpg_tree_message(&x->plan, phase, child).bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int write_up(const struct part *x, const struct mpg_phase *phase, struct mpg_error *err)
{
    for (int32_t k = mpg_tree_children(&phase->tree, x->v) - 1; k >= 0; k--) {
        const int32_t child = mpg_tree_child(&phase->tree, x->v, k);
        if (write_blocking(x, false, child, mpg_tree_message(&x->plan, phase, child).bytes, err) < 0)
            return -1;
    }
    return x->v == 0 ? 0
                     : write_blocking(x, true, mpg_tree_parent(&phase->tree, x->v), mpg_tree_message(&x->plan, phase, x->v).bytes,
                                      err);
}

/* Posts a send to member OTHER of the plan, if SENDS, or a receive from OTHER. */
static int post(struct part *x, bool sends, int32_t other, double bytes, struct mpg_error *err)
{
    struct mpg_program_action a = action_of(x, sends ? MPG_ACTION_POST_SEND : MPG_ACTION_POST_RECEIVE, other, bytes);
    a.request = --x->requests;
    a.sends = sends;
    return mpg_program_act(x->p, &a, err);
}

/* Finds the message M that the member receives in ROUND of PHASE. Returns false without a message. */
static bool find_received(const struct part *x, const struct mpg_phase *phase, uint32_t round, struct mpg_message *m)
{
    int32_t low = 0, high = x->plan.size.p;
    mpg_round_senders(&x->plan, phase, round, &low, &high);
    for (int32_t v = low; v < high; v++)
        if (mpg_round_message(&x->plan, phase, round, v, m) && m->to == x->v)
            return true;
    return false;
}

/* Posts the member's messages of ROUND: first the receive, then the send. */
static int post_round(struct part *x, const struct mpg_phase *phase, uint32_t round, struct mpg_error *err)
{
    struct mpg_message m;
    if (find_received(x, phase, round, &m) && post(x, false, m.from, m.bytes, err) < 0)
        return -1;
    return mpg_round_message(&x->plan, phase, round, x->v, &m) ? post(x, true, m.to, m.bytes, err) : 0;
}

/* Waits for all messages posted after request number FIRST, in the order of posts. */
static int wait_for(const struct part *x, int64_t first, struct mpg_error *err)
{
    for (int64_t request = first - 1; request >= x->requests; request--) {
        const struct mpg_program_action wait = {.kind = MPG_ACTION_WAIT, .request = request};
        if (mpg_program_act(x->p, &wait, err) < 0)
            return -1;
    }
    return 0;
}

static int write_phase(struct part *x, const struct mpg_phase *phase, struct mpg_error *err)
{
    if (phase->kind == MPG_PHASE_DOWN)
        return write_down(x, phase, err);
    if (phase->kind == MPG_PHASE_UP)
        return write_up(x, phase, err);
    int64_t first = x->requests;
    for (uint32_t round = 0; round < phase->rounds; round++) {
        if (post_round(x, phase, round, err) < 0)
            return -1;
        if (phase->kind == MPG_PHASE_ROUNDS) {
            if (wait_for(x, first, err) < 0)
                return -1;
            first = x->requests;
        }
    }
    return wait_for(x, first, err);
}

/* Fills p->before with the cumulative sums of BLOCKS, the bytes of each member; members count from ROOT. */
static int sum_blocks(struct mpg_message_program *p, const int64_t *blocks, int32_t size, int32_t root, struct mpg_error *err)
{
    if (p->before_capacity < size + 1) {
        double *grown = realloc(p->before, ((size_t)size + 1) * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        p->before = grown;
        p->before_capacity = size + 1;
    }
    p->before[0] = 0;
    for (int32_t v = 0; v < size; v++)
        p->before[v + 1] = p->before[v] + (double)blocks[((int64_t)v + root) % size];
    return 0;
}

int mpg_program_expand(struct mpg_message_program *p, const struct mpg_event *e, const int64_t *blocks, int64_t branch,
                       struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(p->trace, e->comm);
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool makes = kind == MPG_KIND_CONSTRUCTOR || kind == MPG_KIND_ICONSTRUCTOR;
    const int32_t place = mpg_program_place(c, p->rank);
    struct part x = {.p = p, .comm = c};
    struct mpg_collective_size size = {
        .operation = makes ? MPG_COLLECTIVE_BARRIER : mpg_collective_of(mpg_call_blocking(e->call)), .p = c->size,
        .root = !makes && e->root > 0 ? e->root : 0, .bytes = makes ? 0 : (double)e->bytes};
    if (blocks) {
        if (sum_blocks(p, blocks, size.p, size.root, err) < 0)
            return -1;
        size.before = p->before;
    }
    x.plan = mpg_plan_make(p->table, &size);
    x.v = (int32_t)(((int64_t)(place < 0 ? 0 : place) - size.root + size.p) % size.p);
    if (mpg_program_tag(p, e->comm, branch < 0 ? TAG_OF_COLLECTIVES : TAG_OF_BRANCHES - branch, &x.tag, err) < 0)
        return -1;
    for (int i = 0; i < x.plan.phases && c->size > 1; i++)
        if (write_phase(&x, &x.plan.phase[i], err) < 0)
            return -1;
    return 0;
}
