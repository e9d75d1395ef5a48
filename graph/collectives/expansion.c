/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of collectives simulated as messages of an algorithm. In most algorithms every member depends on all members: a
 * single step evaluates all members, once all have entered. In a tree a member depends on few members and leaves early,
 * as in MPI libraries: each member has a separate step, made after the steps of the members that it depends on. */
#include "graph/collectives/expansion.h"

#include <math.h>
#include <stdlib.h>

#include "graph/algorithms/operation.h"

struct expansion {
    struct expansion_input what;
    struct mpg_expanding shared; /* read by the evaluator of the steps */
    int32_t arrived;
    /* TREE: each member is evaluated in a separate step; EVALUATED: all members have been evaluated at once. */
    bool planned, tree, evaluated;
    struct mpg_expanded_member *member;
    struct call_ref *call_ref;           /* by member index: the member's call */
    double *bytes, *before;        /* by member index: bytes; BEFORE: prefix sums of the bytes from the root on, if block
                                      sizes differ */
    /* TREE: number of predecessors still missing, by member number relative to the root; -1: evaluated. */
    int32_t *lacks;
    int32_t *ready;                /* TREE: stack of members that can be evaluated */
    bool *elsewhere;               /* by member index: see struct mpg_expanding */
    struct member_time {
        double enter_ns, progressed_ns, leave_ns; /* LEAVE_NS: only if evidence about sends is collected (what.observes) */
        /* SENT_NS: earliest time at which the parent's message departs; READY_NS: time when the member has all data for
         * its own sends: whether they progress depends only on the receivers' MPI calls from then on */
        double sent_ns, ready_ns;
    } *time;                       /* by member index; NULL unless evidence about sends is collected (what.observes), or large
                                      sends progress weakly (what.weak_bytes) */
    int32_t left;
};

bool mpg_graph_has_algorithms(enum mpg_call call)
{
    return mpg_collective_of(call) != MPG_COLLECTIVES;
}

struct expansion *mpg_graph_expansion_new(const struct expansion_input *what, struct mpg_error *err)
{
    struct expansion *x = calloc(1, sizeof *x);
    size_t p = (size_t)what->p;
    if (!x)
        goto fail;
    x->what = *what;
    x->member = calloc(p, sizeof *x->member);
    x->call_ref = calloc(p, sizeof *x->call_ref);
    x->bytes = calloc(p, sizeof *x->bytes);
    if (!x->member || !x->call_ref || !x->bytes)
        goto fail;
    x->shared.world_ranks = what->world_ranks;
    x->shared.eager_limit_bytes =
        what->eager_limit_bytes == INT64_MAX ? INFINITY : (double)what->eager_limit_bytes;
    x->shared.weak_bytes = what->weak_bytes == INT64_MAX ? INFINITY : (double)what->weak_bytes;
    x->shared.member = x->member;
    const bool has_weak_progress = what->weak_bytes < INT64_MAX;
    if ((what->observes || has_weak_progress) && !(x->time = calloc(p, sizeof *x->time)))
        goto fail;
    if (has_weak_progress && !(x->elsewhere = calloc(p, sizeof *x->elsewhere)))
        goto fail;
    x->shared.elsewhere = x->elsewhere;
    return x;
fail:
    mpg_graph_expansion_free(x);
    mpg_graph_out_of_memory(err);
    return NULL;
}

void mpg_graph_expansion_free(struct expansion *x)
{
    if (!x)
        return;
    free(x->member);
    free(x->call_ref);
    free(x->bytes);
    free(x->before);
    free(x->lacks);
    free(x->ready);
    free(x->time);
    free(x->elsewhere);
    free(x);
}

static int32_t index_of(const struct expansion *x, int32_t v)
{
    return (int32_t)(((int64_t)v + x->shared.plan.size.root) % x->what.p);
}

static int32_t number_of(const struct expansion *x, int32_t index)
{
    int32_t v = index - x->shared.plan.size.root;
    return v < 0 ? v + x->what.p : v;
}

/* Computes before[]: prefix sums of the members' bytes, from the root on. */
static int sum_blocks(struct expansion *x, int32_t root, struct mpg_error *err)
{
    int32_t p = x->what.p;
    x->before = calloc((size_t)p + 1, sizeof *x->before);
    if (!x->before)
        return mpg_graph_out_of_memory(err);
    for (int32_t v = 0; v < p; v++)
        x->before[v + 1] = x->before[v] + x->bytes[((int64_t)v + root) % p];
    return 0;
}

/* --- trees --- */

static const struct mpg_phase *first_phase(const struct expansion *x)
{
    return &x->shared.plan.phase[0];
}

static bool is_synchronous(const struct expansion *x, int32_t v)
{
    return mpg_tree_message(&x->shared.plan, first_phase(x), v).bytes > x->shared.eager_limit_bytes;
}

/* Returns whether the send between V and its parent is weak: not synchronous, but complete only once the receiver has
 * entered MPI. */
static bool has_progress_call(const struct expansion *x, int32_t v)
{
    return !is_synchronous(x, v) &&
           mpg_tree_message(&x->shared.plan, first_phase(x), v).bytes > x->shared.weak_bytes;
}

/* Returns whether the message between V and its parent, if the send is weak, waits until the receiver enters the
 * collective: earlier MPI calls of the receiver give no progress. */
static bool is_posted(const struct expansion *x, int32_t v)
{
    return mpg_tree_message(&x->shared.plan, first_phase(x), v).bytes > (double)x->what.tree_bytes;
}

static bool goes_down(const struct expansion *x)
{
    return first_phase(x)->kind == MPG_PHASE_DOWN;
}

/* Counts the predecessors of each member. Always: the member's enter. Down the tree: the parent, and the children with
 * synchronous or weak sends from this member. Up the tree: the children, and the parent if the member's send is weak. */
static int plan_tree(struct expansion *x, struct mpg_error *err)
{
    size_t p = (size_t)x->what.p;
    x->lacks = calloc(p, sizeof *x->lacks);
    x->ready = calloc(p, sizeof *x->ready);
    if (!x->lacks || !x->ready)
        return mpg_graph_out_of_memory(err);
    for (int32_t v = 0; v < x->what.p; v++) {
        x->lacks[v] += 1 + (goes_down(x) && v > 0);
        if (v > 0 && (!goes_down(x) || is_synchronous(x, v) || has_progress_call(x, v)))
            x->lacks[mpg_tree_parent(&first_phase(x)->tree, v)]++;
        x->lacks[v] += v > 0 && !goes_down(x) && has_progress_call(x, v);
    }
    return 0;
}

static struct member_time *time_of(const struct expansion *x, int32_t v)
{
    return &x->time[index_of(x, v)];
}

/* look_down() and look_up() are called when V is about to be evaluated. The enter times on which V's sends depend are
 * then known: down the tree of the members above V and of the children that V waits for, up the tree of all members below
 * V. Both mark the sends that progress in an MPI call of the receiver before the collective. */
static void look_down(struct expansion *x, int32_t v)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    const int32_t n = mpg_tree_children(tree, v);
    struct member_time *me = time_of(x, v);
    me->ready_ns = v > 0 ? fmax(me->enter_ns, me->sent_ns) : me->enter_ns;
    double ready_ns = me->ready_ns;
    for (int32_t k = 0; k < n; k++) {
        const int32_t child = mpg_tree_child(tree, v, k);
        struct member_time *receiver = time_of(x, child);
        receiver->sent_ns = ready_ns;
        bool *elsewhere = x->elsewhere ? &x->elsewhere[index_of(x, child)] : NULL;
        if (!elsewhere || !(has_progress_call(x, child) || is_synchronous(x, child)))
            continue;
        *elsewhere = !is_synchronous(x, child) && !is_posted(x, child) && receiver->progressed_ns >= ready_ns;
        if (!*elsewhere)
            ready_ns = fmax(ready_ns, receiver->enter_ns);
    }
}

static void look_up(struct expansion *x, int32_t v)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    struct member_time *me = time_of(x, v);
    me->ready_ns = me->enter_ns;
    for (int32_t k = mpg_tree_children(tree, v); k-- > 0;)
        me->ready_ns = fmax(me->ready_ns, time_of(x, mpg_tree_child(tree, v, k))->ready_ns);
    if (x->elsewhere && v > 0 && has_progress_call(x, v) && !is_posted(x, v))
        x->elsewhere[index_of(x, v)] = time_of(x, mpg_tree_parent(tree, v))->progressed_ns >= me->ready_ns;
}

/* The plan begins with a tree, but all members are evaluated at once, and all have entered: marks the sends in the tree.
 * A parent's number is lower than its children's. */
static void look_at_all(struct expansion *x)
{
    for (int32_t v = 0; v < x->what.p; v++) {
        if (goes_down(x))
            look_down(x, v);
        else
            look_up(x, x->what.p - 1 - v);
    }
}

/* A predecessor of V has been evaluated: if none is missing any more, adds V to the N members on the stack `ready`.
 * Returns the new number of members on the stack. */
static int32_t satisfy(struct expansion *x, int32_t v, int32_t n)
{
    if (--x->lacks[v] == 0)
        x->ready[n++] = v;
    return n;
}

static void wake(const struct expansion *x, int32_t v)
{
    x->what.wake(x->what.context, index_of(x, v));
}

/* Emits the step that evaluates member V, or all members (V = -1). The step refers to the call of member INDEX. */
static int emit_expand(const struct expansion *x, struct steps *steps, int32_t index, int32_t v,
                       struct mpg_error *err)
{
    struct mpg_step *s = mpg_graph_emit_at(steps, MPG_STEP_EXPAND, &x->call_ref[index]);
    if (!s)
        return mpg_graph_out_of_memory(err);
    s->call = x->what.call;
    s->expanding = &x->shared;
    s->member = v;
    return 0;
}

/* Allocates the slot for the message between V and its parent, in use from the sender's evaluation to the receiver's. */
static int make_message(struct expansion *x, struct steps *steps, int32_t v, struct mpg_error *err)
{
    return graph_new_slot(steps, &x->member[index_of(x, v)].message_slot, err);
}

static void drop_message(const struct expansion *x, struct steps *steps, int32_t v)
{
    graph_free_slot(steps, x->member[index_of(x, v)].message_slot);
}

/* Evaluates V of a tree whose messages go down from the root, and adds the members that waited for V to the N members on
 * the stack `ready`. Returns the new number, or -1: out of memory. */
static int32_t evaluate_down(struct expansion *x, struct steps *steps, int32_t v, int32_t n,
                             struct mpg_error *err)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    int32_t children = mpg_tree_children(tree, v);
    if (x->time)
        look_down(x, v);
    for (int32_t k = 0; k < children; k++)
        if (make_message(x, steps, mpg_tree_child(tree, v, k), err) < 0)
            return -1;
    if (emit_expand(x, steps, index_of(x, v), v, err) < 0)
        return -1;
    if (v > 0)
        drop_message(x, steps, v);
    wake(x, v);
    for (int32_t k = 0; k < children; k++)
        n = satisfy(x, mpg_tree_child(tree, v, k), n);
    return n;
}

/* Evaluates V of a tree whose messages go up to the root, like evaluate_down(). The children's synchronous sends complete
 * only now. */
static int32_t evaluate_up(struct expansion *x, struct steps *steps, int32_t v, int32_t n,
                           struct mpg_error *err)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    int32_t children = mpg_tree_children(tree, v);
    if (x->time)
        look_up(x, v);
    if ((v > 0 && make_message(x, steps, v, err) < 0) ||
        emit_expand(x, steps, index_of(x, v), v, err) < 0)
        return -1;
    for (int32_t k = 0; k < children; k++) {
        int32_t child = mpg_tree_child(tree, v, k);
        drop_message(x, steps, child);
        if (is_synchronous(x, child))
            wake(x, child);
    }
    if (v == 0 || !is_synchronous(x, v))
        wake(x, v);
    return v > 0 ? satisfy(x, mpg_tree_parent(tree, v), n) : n;
}

static int arrive_in_tree(struct expansion *x, struct steps *steps, int32_t v,
                          struct mpg_error *err)
{
    int32_t n = satisfy(x, v, 0);
    const struct mpg_tree *tree = &first_phase(x)->tree;
    if (goes_down(x) && v > 0 && (is_synchronous(x, v) || has_progress_call(x, v)))
        n = satisfy(x, mpg_tree_parent(tree, v), n);
    for (int32_t k = goes_down(x) ? 0 : mpg_tree_children(tree, v); k-- > 0;)
        if (has_progress_call(x, mpg_tree_child(tree, v, k)))
            n = satisfy(x, mpg_tree_child(tree, v, k), n);
    while (n > 0) {
        int32_t next = x->ready[n - 1];
        x->lacks[next] = -1;
        n = goes_down(x) ? evaluate_down(x, steps, next, n - 1, err)
                         : evaluate_up(x, steps, next, n - 1, err);
    }
    return n;
}

/* --- all --- */

/* Makes the plan on the first enter; if block sizes differ, once all members have entered. Returns 0, or -1 with ERR. */
static int make_plan(struct expansion *x, const struct expansion_member *member, struct mpg_error *err)
{
    struct mpg_collective_size size = {.operation = mpg_collective_of(x->what.call),
                                       .p = x->what.p,
                                       .root = member->root < 0 ? 0 : member->root,
                                       .bytes = member->bytes};
    if (mpg_collective_has_blocks(size.operation)) {
        if (x->arrived < x->what.p)
            return 0;
        if (sum_blocks(x, size.root, err) < 0)
            return -1;
        size.before = x->before;
    }
    if (x->what.observed_progress) {
        const struct mpg_nonblocking as = mpg_graph_nonblocking_rule(x->what.observed_progress, x->what.table, x->what.call,
                                                                     &size);
        x->shared.plan = mpg_plan_by(&as.choice, &size);
    } else
        x->shared.plan = mpg_plan_make(x->what.table, &size);
    x->planned = true;
    x->tree = mpg_plan_is_tree(&x->shared.plan) && !size.before;
    return x->tree ? plan_tree(x, err) : 0;
}

int mpg_graph_expansion_arrive(struct expansion *x, struct steps *steps, const struct expansion_member *member,
                               struct mpg_error *err)
{
    /* MESSAGE_SLOT stays: the parent's evaluation may have set the slot already. */
    struct mpg_expanded_member *it = &x->member[member->index];
    it->slot = member->slot;
    it->origin = member->origin;
    x->call_ref[member->index] = member->call_ref;
    x->bytes[member->index] = member->bytes;
    if (x->time)
        x->time[member->index] = (struct member_time){.enter_ns = member->enter_ns, .progressed_ns = member->progressed_ns,
                                                      .sent_ns = x->time[member->index].sent_ns};
    x->arrived++;
    if (!x->planned && make_plan(x, member, err) < 0)
        return -1;
    if (x->tree)
        return arrive_in_tree(x, steps, number_of(x, member->index), err);
    if (x->arrived < x->what.p)
        return 0;
    if (x->time && (goes_down(x) || first_phase(x)->kind == MPG_PHASE_UP))
        look_at_all(x);
    if (emit_expand(x, steps, member->index, -1, err) < 0)
        return -1;
    x->evaluated = true;
    for (int32_t i = 0; i < x->what.p; i++)
        x->what.wake(x->what.context, i);
    return 0;
}

/* Counts in EVIDENCE whether the send between V and its parent waited for the receiver. SENDER, OTHER: times of sender
 * and receiver. */
static void observe(const struct expansion *x, int32_t v, const struct member_time *sender, const struct member_time *other,
                    const struct tree_progress_evidence *evidence)
{
    const double ready_ns = sender->ready_ns;
    if (other->enter_ns > ready_ns)
        mpg_graph_evidence_count(other->progressed_ns < ready_ns ? evidence->entering : evidence->posted,
                                 (int64_t)mpg_tree_message(&x->shared.plan, first_phase(x), v).bytes,
                                 sender->leave_ns >= other->enter_ns ? other->enter_ns - ready_ns : -1);
}

/* Up the tree V can send once V and all members below have entered. */
static void observe_up(const struct expansion *x, const struct tree_progress_evidence *evidence)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    for (int32_t v = x->what.p - 1; v > 0; v--)
        observe(x, v, time_of(x, v), time_of(x, mpg_tree_parent(tree, v)), evidence);
}

/* Down the tree a parent sends to several children: only the child that enters last shows whether the parent waited. */
static void observe_down(const struct expansion *x, const struct tree_progress_evidence *evidence)
{
    const struct mpg_tree *tree = &first_phase(x)->tree;
    for (int32_t v = 0; v < x->what.p; v++) {
        const int32_t n = mpg_tree_children(tree, v);
        int32_t last = -1;
        for (int32_t k = 0; k < n; k++) {
            const int32_t child = mpg_tree_child(tree, v, k);
            if (last < 0 || time_of(x, child)->enter_ns > time_of(x, last)->enter_ns)
                last = child;
        }
        if (last >= 0)
            observe(x, last, time_of(x, v), time_of(x, last), evidence);
    }
}

void mpg_graph_expansion_leave(struct expansion *x, int32_t index, double leave_ns, const struct tree_progress_evidence *evidence)
{
    if (!x->time || !evidence->entering)
        return;
    x->time[index].leave_ns = leave_ns;
    if (++x->left < x->what.p || !x->planned || !mpg_plan_is_tree(&x->shared.plan))
        return;
    if (goes_down(x))
        observe_down(x, evidence);
    else
        observe_up(x, evidence);
}

bool mpg_graph_expansion_needs_all(const struct expansion *x)
{
    return !x->tree;
}

bool mpg_graph_expansion_left(const struct expansion *x, int32_t index)
{
    if (!x->tree)
        return x->evaluated;
    int32_t v = number_of(x, index);
    if (x->lacks[v] >= 0)
        return false;
    if (goes_down(x) || v == 0 || !is_synchronous(x, v))
        return true;
    return x->lacks[mpg_tree_parent(&first_phase(x)->tree, v)] < 0;
}
