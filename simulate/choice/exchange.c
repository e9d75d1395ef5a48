/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes by another's request in some lane (docs/MODEL.md, section 6: exchange identities). */
#include "common/reserve.h"
#include "simulate/choice/choice_private.h"

/* Notes what the view at P holds in lane W before it is moved. */
static void identify(const struct mpg_choosing *c, const struct mpg_pick *p, uint32_t w)
{
    struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
    if (v->serial)
        return;
    v->serial = c->view_serial[p->slot];
    v->sequence = p->own;
    v->cause_ns = p->cause_ns + p->cause[w];
}

void mpg_choosing_exchange(struct mpg_choosing *c, struct mpg_pick *p, struct mpg_pick *q, uint32_t w)
{
    const double at_ns = p->at_ns, start_ns = p->start_ns;
    const struct mpg_whence came = p->came;
    const bool done = p->done;
    identify(c, p, w);
    identify(c, q, w);
    struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w), *u = mpg_choosing_view_of(c, q->slot, w);
    struct mpg_view held = *v;
    *v = *u;
    *u = held;
    v->fixed = u->fixed = true;
    mpg_choosing_alter(c, p->slot, w);
    mpg_choosing_alter(c, q->slot, w);
    mpg_choosing_take(c, v->serial, w);
    mpg_choosing_take(c, u->serial, w);
    c->arrivals.exchange(c->arrivals.context, p, q, w);
    p->at_ns = q->at_ns;
    p->came = q->came;
    p->start_ns = q->start_ns;
    p->done = q->done;
    q->at_ns = at_ns;
    q->came = came;
    q->start_ns = start_ns;
    q->done = done;
}

int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err)
{
    void *moved = c->moved, *first = c->first_moved;
    int status = mpg_reserve(&moved, sizeof *c->moved, &c->moved_capacity, slot + 1, err) < 0 ||
                 mpg_reserve(&first, sizeof *c->first_moved, &c->first_capacity, (uint32_t)rank + 1, err) < 0;
    c->moved = moved;
    c->first_moved = first;
    if (status)
        return -1;
    struct mpg_moved *m = &c->moved[slot];
    if (m->is_moved)
        return 0;
    *m = (struct mpg_moved){.is_moved = true, .rank = rank, .next = c->first_moved[rank]};
    if (m->next)
        c->moved[m->next - 1].before = slot + 1;
    c->first_moved[rank] = slot + 1;
    return 0;
}

void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot)
{
    struct mpg_moved *m = slot < c->moved_capacity ? &c->moved[slot] : NULL;
    if (!m || !m->is_moved)
        return;
    *(m->before ? &c->moved[m->before - 1].next : &c->first_moved[m->rank]) = m->next;
    if (m->next)
        c->moved[m->next - 1].before = m->before;
    m->is_moved = false;
}
