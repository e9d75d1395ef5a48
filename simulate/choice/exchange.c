/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes by another's request in some lane (docs/MODEL.md, section 6: exchange identities). */
#include <stdlib.h>

#include "simulate/choice/choice_private.h"

void mpg_choosing_identify(const struct mpg_choosing *c, const struct mpg_pick *p, uint32_t w)
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
    const bool done = p->done;
    mpg_choosing_identify(c, p, w);
    mpg_choosing_identify(c, q, w);
    struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w), *u = mpg_choosing_view_of(c, q->slot, w);
    struct mpg_view held = *v;
    *v = *u;
    *u = held;
    v->fixed = u->fixed = true;
    mpg_choosing_take(c, v->serial, w);
    mpg_choosing_take(c, u->serial, w);
    c->arrivals.exchange(c->arrivals.context, p, q, w);
    p->at_ns = q->at_ns;
    p->start_ns = q->start_ns;
    p->done = q->done;
    q->at_ns = at_ns;
    q->start_ns = start_ns;
    q->done = done;
}

int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err)
{
    for (uint32_t i = 0; i < c->moved_count; i++)
        if (c->moved[i].slot == slot)
            return 0;
    if (c->moved_count == c->moved_capacity) {
        uint32_t capacity = c->moved_capacity ? 2 * c->moved_capacity : 16;
        void *grown = realloc(c->moved, capacity * sizeof *c->moved);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        c->moved = grown;
        c->moved_capacity = capacity;
    }
    c->moved[c->moved_count++] = (struct mpg_moved){rank, slot};
    return 0;
}

void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot)
{
    for (uint32_t i = 0; i < c->moved_count; i++)
        if (c->moved[i].slot == slot) {
            c->moved[i] = c->moved[--c->moved_count];
            return;
        }
}
