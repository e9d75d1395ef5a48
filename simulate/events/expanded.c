/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EXPAND steps: a member of a tree waits for the members on which it depends, in other algorithms all members wait for all
 * (graph/graph.h, struct mpg_expanding). */
#include "simulate/events/program.h"

/* A tree: its plan, and member V relative to the root. */
struct tree {
    const struct mpg_expanding *c;
    const struct mpg_tree *tree;
    bool down;
};

static struct tree tree_of(const struct mpg_expanding *c)
{
    const struct mpg_phase *phase = &c->plan.phase[0];
    return (struct tree){c, &phase->tree, phase->kind == MPG_PHASE_DOWN};
}

static const struct mpg_expanded_member *member_of(const struct tree *t, int32_t v)
{
    return &t->c->member[((int64_t)v + t->c->plan.size.root) % t->c->plan.size.p];
}

static double bytes_of(const struct tree *t, int32_t v)
{
    return mpg_tree_message(&t->c->plan, &t->c->plan.phase[0], v).bytes;
}

/* Whether the message between V and its parent waits for its receiver, and whether it does so by weak progress alone. */
static bool is_synchronous(const struct tree *t, int32_t v)
{
    return bytes_of(t, v) > t->c->eager_limit_bytes;
}

static bool is_weak(const struct tree *t, int32_t v)
{
    return !is_synchronous(t, v) && bytes_of(t, v) > t->c->weak_bytes;
}

static struct value *enter_of(struct program *p, const struct tree *t, int32_t v)
{
    return &p->slot[member_of(t, v)->slot].own;
}

static struct value *message_of(struct program *p, const struct tree *t, int32_t v)
{
    return &p->slot[member_of(t, v)->message_slot].own;
}

/* NODE, member V, needs what mpg_expand_member() (simulate/algorithms/expand.h) reads. */
static int need_in_tree(struct program *p, struct node *node, const struct tree *t, int32_t v, struct mpg_error *err)
{
    const int32_t children = mpg_tree_children(t->tree, v);
    if (mpg_events_program_need(p, node, enter_of(p, t, v), err) < 0)
        return -1;
    if (t->down && v > 0 && mpg_events_program_need(p, node, message_of(p, t, v), err) < 0)
        return -1;
    if (!t->down && v > 0 && is_weak(t, v) &&
        mpg_events_program_need(p, node, enter_of(p, t, mpg_tree_parent(t->tree, v)), err) < 0)
        return -1;
    for (int32_t k = 0; k < children; k++) {
        const int32_t child = mpg_tree_child(t->tree, v, k);
        const bool reads = !t->down || is_synchronous(t, child) || is_weak(t, child);
        if (reads &&
            mpg_events_program_need(p, node, t->down ? enter_of(p, t, child) : message_of(p, t, child), err) < 0)
            return -1;
    }
    return 0;
}

int mpg_events_program_expand(struct program *p, const struct mpg_step *s, struct mpg_batch *batch,
                              const struct program_calls *calls, struct mpg_error *err)
{
    const struct tree t = tree_of(s->expanding);
    struct node *node = mpg_events_program_node(p, s, batch, err);
    int status = node ? 0 : -1;
    if (s->member < 0) {
        for (int32_t i = 0; i < s->expanding->plan.size.p && status == 0; i++)
            status = mpg_events_program_need(p, node, &p->slot[s->expanding->member[i].slot].own, err);
    } else if (status == 0) { /* the step writes these messages */
        for (int32_t k = t.down ? mpg_tree_children(t.tree, s->member) : 0; k-- > 0;)
            (void)mpg_events_program_renew(p, member_of(&t, mpg_tree_child(t.tree, s->member, k))->message_slot);
        if (!t.down && s->member > 0)
            (void)mpg_events_program_renew(p, member_of(&t, s->member)->message_slot);
        status = need_in_tree(p, node, &t, s->member, err);
    }
    if (status < 0)
        return -1;
    return node->missing == 0 ? calls->evaluate(calls->replica, node, err) : 0;
}

int mpg_events_program_expanded(struct program *p, const struct node *node, const struct program_calls *calls,
                                struct mpg_error *err)
{
    const struct mpg_step *s = node->step;
    const struct tree t = tree_of(s->expanding);
    const int32_t v = s->member, children = v < 0 ? 0 : mpg_tree_children(t.tree, v);
    int status = 0;
    for (int32_t i = 0; v < 0 && i < s->expanding->plan.size.p && status == 0; i++)
        status = mpg_events_program_set_known(p, &p->slot[s->expanding->member[i].slot].left, calls, err);
    if (v >= 0 && (t.down || v == 0 || !is_synchronous(&t, v))) /* else the member leaves when its parent is evaluated */
        status = mpg_events_program_set_known(p, &p->slot[member_of(&t, v)->slot].left, calls, err);
    if (status == 0 && !t.down && v > 0)
        status = mpg_events_program_set_known(p, message_of(p, &t, v), calls, err);
    for (int32_t k = 0; k < children && status == 0; k++) {
        const int32_t child = mpg_tree_child(t.tree, v, k);
        if (t.down)
            status = mpg_events_program_set_known(p, message_of(p, &t, child), calls, err);
        else if (is_synchronous(&t, child))
            status = mpg_events_program_set_known(p, &p->slot[member_of(&t, child)->slot].left, calls, err);
    }
    return status;
}
