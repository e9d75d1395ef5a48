/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the trace says of when messages arrived: what it took came before what it might have taken
 * (docs/MODEL.md, section 6, Bounds of t(A)). */
#include <math.h>

#include "simulate/choice/choice_private.h"

/* What the receives that are posted took, in their order: what was there for one of them too, at that time,
 * came later. */
static int bound_by_receives(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_decision *d = &c->decision;
    for (uint32_t i = 0; i < s->alternatives->receive_number; i++) {
        const struct mpg_posted *p = &s->alternatives->receives[i];
        struct mpg_letter *own = mpg_inbox_find(&c->inbox, p->message);
        if (!own)
            continue;
        mpg_decision_settle(d, own);
        double since_ns = own->base_ns + own->raised_ns;
        if (p->chooses && s->found_nothing)
            since_ns = fmax(since_ns, s->enter_ns);
        const bool lay_ready = p->here && since_ns <= s->enter_ns;
        if (p->fits.any_source && (lay_ready ? mpg_decision_note_passed(d, &p->fits, own, err)
                                             : mpg_decision_tell(d, &p->fits, since_ns, err)) < 0)
            return -1;
        if (mpg_decision_mark(d, own, err) < 0)
            return -1;
    }
    mpg_decision_settle_all(d);
    return 0;
}

/* What the probe found came before what else it fits; if nothing, all that fits came after it. */
static int bound_by_probe(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_decision *d = &c->decision;
    const struct mpg_message_pattern *fits = &s->alternatives->looking.fits;
    struct mpg_letter *found = s->alternatives->looking.found ? mpg_inbox_find(&c->inbox, s->alternatives->looking.found) : NULL;
    struct mpg_letter *least = NULL;
    if (!fits->any_source) {
        if (mpg_decision_least(d, fits, NULL, -INFINITY, &least, err) < 0)
            return -1;
        if (least && !s->alternatives->looking.found)
            mpg_letter_raise(least, s->enter_ns);
        return 0;
    }
    if (!found && s->alternatives->looking.found)
        return 0;
    const double since_ns = found ? found->base_ns + found->raised_ns : s->enter_ns;
    const bool lay_ready = found && since_ns <= s->enter_ns;
    if ((lay_ready ? mpg_decision_note_passed(d, fits, found, err) : mpg_decision_tell(d, fits, since_ns, err)) < 0 ||
        (found && mpg_decision_mark(d, found, err) < 0))
        return -1;
    mpg_decision_settle_all(d);
    return 0;
}

int mpg_choosing_bound_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_looking *look = &s->alternatives->looking;
    mpg_decision_begin(&c->decision, &c->inbox, s->rank, c->n);
    int status = bound_by_receives(c, s, err);
    if (status == 0 && look->looks && (look->fits.any_source || !look->found))
        status = bound_by_probe(c, s, err);
    mpg_decision_end(&c->decision);
    return status;
}
