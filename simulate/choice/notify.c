/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notifies the observer of the first lane's calls that differ from the trace (docs/MODEL.md, section 6: In the trace of a
 * replica). */
#include "simulate/choice/choice_private.h"

int mpg_choosing_note(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                      const struct mpg_match_override *override, struct mpg_error *err)
{
    const struct mpg_observer *observer = c->arrivals.observer;
    return observer && observer->note && w == 0 ? observer->note(observer->context, s, override, err) : 0;
}

/* Notifies that S takes message ID for REQUEST; 0: without a request. */
static int note_taken(struct mpg_choosing *c, const struct mpg_step *s, int64_t request, uint64_t id,
                      struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(s->call);
    const struct mpg_pending *m = mpg_unexpected_find(&c->unexpected, id);
    if (!m || (kind != MPG_KIND_RECV && kind != MPG_KIND_SENDRECV && request == 0)) {
        c->lacks_override = true;
        return 0;
    }
    const struct mpg_match_override taking = {.kind = MPG_OVERRIDE_TAKE,
                                    .request = request,
                                    .comm = m->queue[0]->comm,
                                    .source = m->queue[0]->source,
                                    .tag = m->tag,
                                    .bytes = (int64_t)m->bytes};
    return mpg_choosing_note(c, s, 0, &taking, err);
}

/* Returns true if message ID is still pending (MPI_ANY_SOURCE receives could take the message), but must stay in V, which
 * was exchanged, is done, or was found by a probe. */
static bool is_settled(const struct mpg_choosing *c, const struct mpg_view *v, uint64_t id)
{
    return v->fixed && mpg_unexpected_find(&c->unexpected, id);
}

int mpg_choosing_note_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                            struct mpg_error *err)
{
    const struct mpg_match_override override = {.kind = MPG_OVERRIDE_COMPLETE, .request = s->alternatives->candidates[i].request};
    const uint32_t slot = c->pick[i].slot;
    const struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    const uint64_t own = c->view_serial[slot], id = v->serial ? v->serial : own;
    if (mpg_choosing_note(c, s, w, &override, err) < 0)
        return -1;
    if (w > 0 || !c->arrivals.observer || (id == own && !is_settled(c, v, id)))
        return 0;
    return note_taken(c, s, override.request, id, err);
}

/* Notifies of the message of E, an edge of S, if different from the trace or is_settled(). */
static int note_arrival(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_edge *e,
                        struct mpg_error *err)
{
    const struct mpg_view *v = mpg_choosing_view_of(c, e->slot, 0);
    const uint64_t id = v->serial ? v->serial : e->message;
    const bool is_other = !v->fixed && id != e->message;
    return is_other || (is_settled(c, v, id) && !mpg_call_is_probe(s->call))
               ? note_taken(c, s, e->request, id, err)
               : 0;
}

int mpg_choosing_note_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    for (uint32_t i = 0; c->arrivals.observer && s->alternatives->receive_number > 0 && i < s->edge_number; i++)
        if (s->edges[i].is_view && s->edges[i].kind == MPG_EDGE_ARRIVAL &&
            note_arrival(c, s, &s->edges[i], err) < 0)
            return -1;
    return 0;
}

int mpg_choosing_note_rest(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_match_override skipping = {.kind = MPG_OVERRIDE_SKIP};
    if (c->arrivals.observer && c->arrivals.observer->note && c->lacks_override && !c->refused) {
        c->refused = true;
        mpg_error_set(&c->refusal,
                      "rank %d, call %llu (MPI_%s): the message that this call takes or finds in the replica "
                      "cannot be written (--without=choice keeps the traced message)",
                      s->rank, (unsigned long long)s->number, mpg_call_name(s->call));
    }
    return c->skips[0] ? mpg_choosing_note(c, s, 0, &skipping, err) : 0;
}

int mpg_choosing_notify_arrivals(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_observer *observer = c->arrivals.observer;
    for (uint32_t i = 0; observer && observer->substitute && i < s->edge_number; i++) {
        if (s->edges[i].kind != MPG_EDGE_ARRIVAL || !s->edges[i].is_view)
            continue;
        const uint32_t slot = s->edges[i].slot;
        const struct mpg_view *v = mpg_choosing_view_of(c, slot, 0);
        const uint64_t id = v->serial ? v->serial : c->view_serial[slot];
        if (observer->substitute(observer->context, s, i, id, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_choosing_refusal(const struct mpg_choosing *c, struct mpg_error *err)
{
    return c->refused && !c->broken[0] ? mpg_error_set(err, "%s", c->refusal.text) : 0;
}
