/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states in collectives simulated as the messages of an algorithm: equal to the wait states of a collective that is a single
 * node of the graph. */
#include <math.h>

#include "analyse/waits_private.h"

enum mpg_wait mpg_waits_of_meeting(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Scan:
    case MPG_CALL_Exscan:
        return MPG_WAIT_EARLY_SCAN;
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatter:
    case MPG_CALL_Scatterv:
        return MPG_WAIT_LATE_BROADCAST;
    case MPG_CALL_Reduce:
    case MPG_CALL_Gather:
    case MPG_CALL_Gatherv:
        return MPG_WAIT_EARLY_REDUCE;
    default:
        return mpg_call_category(call) == MPG_CATEGORY_SYNCHRONIZATION ? MPG_WAIT_BARRIER : MPG_WAIT_NXN;
    }
}

/* Returns the slot of member V of C; members are numbered from the root on. */
static struct waits_slot *member_slot(const struct mpg_waits *w, const struct mpg_expanding *c, int32_t v)
{
    const struct mpg_collective_size *size = &c->plan.size;
    return &w->slot[c->member[((int64_t)v + size->root) % size->p].slot];
}

/* All members have entered C: replaces the enter time in each member's slot by the begin of the operation that the member waits
 * for (-INFINITY: none). */
static void expand_all(struct mpg_waits *w, const struct mpg_expanding *c, enum mpg_wait kind)
{
    const int32_t p = c->plan.size.p;
    const double root_ns = member_slot(w, c, 0)->begun_ns;
    double last_ns = root_ns, first_ns = INFINITY;
    for (int32_t v = 1; v < p; v++) {
        struct waits_slot *slot = member_slot(w, c, v);
        last_ns = fmax(last_ns, slot->begun_ns);
        first_ns = fmin(first_ns, slot->begun_ns);
        if (kind == MPG_WAIT_EARLY_SCAN)
            slot->begun_ns = last_ns;
    }
    for (int32_t v = 0; v < p && kind != MPG_WAIT_EARLY_SCAN; v++)
        member_slot(w, c, v)->begun_ns = kind == MPG_WAIT_LATE_BROADCAST ? (v > 0 ? root_ns : -INFINITY)
                                         : kind == MPG_WAIT_EARLY_REDUCE ? (v > 0 ? -INFINITY : first_ns)
                                                                         : last_ns;
}

/* Returns the slot of the message between member V > 0 and V's parent in the tree; NULL with ERR: no memory. */
static struct waits_slot *message_slot(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v,
                                 struct mpg_error *err)
{
    const struct mpg_collective_size *size = &c->plan.size;
    const uint32_t slot = c->member[((int64_t)v + size->root) % size->p].message_slot;
    return mpg_reserve_at(&w->slot, sizeof *w->slot, &w->slot_capacity, slot + 1, err) < 0 ? NULL : &w->slot[slot];
}

/* Evaluates member V of a tree with messages down from the root. A message carries the time that the receiver waits for: the
 * enter of the root or, for a scan, the latest enter of the members before. Returns 0, or -1 with ERR: no memory. */
static int expand_down(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v, enum mpg_wait kind,
                       struct mpg_error *err)
{
    const struct mpg_tree *tree = &c->plan.phase[0].tree;
    const struct waits_slot *from = v > 0 ? message_slot(w, c, v, err) : NULL;
    if (v > 0 && !from)
        return -1;
    const double own_ns = member_slot(w, c, v)->begun_ns, awaited_ns = from ? from->begun_ns : -INFINITY;
    const double passed_ns = from && kind == MPG_WAIT_LATE_BROADCAST ? awaited_ns : fmax(awaited_ns, own_ns);
    for (int32_t k = 0; k < mpg_tree_children(tree, v); k++) {
        struct waits_slot *to = message_slot(w, c, mpg_tree_child(tree, v, k), err);
        if (!to)
            return -1;
        to->begun_ns = passed_ns;
    }
    member_slot(w, c, v)->begun_ns = awaited_ns;
    return 0;
}

/* Evaluates member V of a tree with messages up to the root. A message carries the earliest enter in the sender's subtree: the
 * root's wait counts from the earliest enter of all members. Returns 0, or -1 with ERR: no memory. */
static int expand_up(struct mpg_waits *w, const struct mpg_expanding *c, int32_t v, struct mpg_error *err)
{
    const struct mpg_tree *tree = &c->plan.phase[0].tree;
    double first_ns = INFINITY;
    for (int32_t k = 0; k < mpg_tree_children(tree, v); k++) {
        const struct waits_slot *from = message_slot(w, c, mpg_tree_child(tree, v, k), err);
        if (!from)
            return -1;
        first_ns = fmin(first_ns, from->begun_ns);
    }
    struct waits_slot *to = v > 0 ? message_slot(w, c, v, err) : NULL;
    if (v > 0 && !to)
        return -1;
    struct waits_slot *own = member_slot(w, c, v);
    if (to)
        to->begun_ns = fmin(first_ns, own->begun_ns);
    own->begun_ns = v > 0 ? -INFINITY : first_ns;
    return 0;
}

int mpg_waits_expand(struct mpg_waits *w, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_expanding *c = s->expanding;
    const enum mpg_wait kind = mpg_waits_of_meeting(s->call);
    if (s->member >= 0)
        return c->plan.phase[0].kind == MPG_PHASE_DOWN ? expand_down(w, c, s->member, kind, err)
                                                       : expand_up(w, c, s->member, err);
    expand_all(w, c, kind);
    return 0;
}
