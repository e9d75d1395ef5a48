/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waitsome and Testsome, which complete all that is there (docs/MODEL.md, section 6: Waitsome and
 * Testsome). */
#include <math.h>
#include <stdlib.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"
#include "simulate/rules.h"

static int compare_owed(const void *a, const void *b)
{
    const struct mpg_owed *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* What portions of lane W wait for is kept, the first of S's portions first. */
static void keep_owed(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, const struct mpg_owed *owed)
{
    for (uint32_t i = 0; i < s->alternatives->portions; i++) {
        const struct mpg_whence came = {owed[i].slot, owed[i].early, owed[i].value};
        if (owed[i].at_ns > -INFINITY)
            c->arrivals.owe(c->arrivals.context, mpg_portions_number(c->portions, s->stream, i), w, &came);
    }
}

/* In lane W S, which entered NOW_NS, completes what had arrived by UNTIL_NS, with FIRST, or, NULL, as it enters; what it
 * lacks, the portions that follow wait for. */
static int leave_for_later(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                           double now_ns, double until_ns, const struct mpg_whence *first, struct mpg_error *err)
{
    struct mpg_owed *owed = mpg_portions_owe(c->portions, s, w, err);
    uint32_t k = 0;
    if (!owed)
        return -1;
    c->unsaid = c->unsaid || w == 0;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++) {
        const struct mpg_pick *p = &c->pick[i];
        if (!p->completed)
            continue;
        mpg_choosing_identify(c, p, w);
        struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
        const bool is_late = !p->done && p->at_ns > until_ns + MPG_ROUNDING_NS;
        if (is_late) {
            owed[k] = (struct mpg_owed){p->at_ns,      v->cause_ns,  v->sequence.source, v->answered,
                                        p->came.value, p->came.slot, p->came.early};
            v->cause_ns = -INFINITY; /* the call does not wait for it */
        }
        k++;
        c->arrivals.move(c->arrivals.context, s, p, w, is_late ? fmax(now_ns, until_ns) : p->at_ns,
                         is_late ? first : &p->came, !is_late);
    }
    qsort(owed, s->alternatives->portions, sizeof *owed, compare_owed);
    keep_owed(c, s, w, owed);
    return 0;
}

int mpg_choosing_take_all(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                          struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    double first_ns = INFINITY, last_ns = -INFINITY;
    const struct mpg_whence *first = NULL;
    bool any_left = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        any_left = any_left || (p->completed && !p->done);
        const double at_ns = p->done ? -INFINITY : p->at_ns;
        if (p->completed && at_ns < first_ns) {
            first_ns = at_ns;
            first = &p->came;
        }
        last_ns = p->completed && !p->done ? fmax(last_ns, p->at_ns) : last_ns;
    }
    for (uint32_t i = 0; i < n && any_left; i++) /* a call that is made takes all */
        if (!c->pick[i].completed && !c->pick[i].done && c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (mpg_choosing_complete_early(c, s, i, w, err) < 0)
                return -1;
            c->others[w] = true;
        }
    const double until_ns = fmax(first_ns, now_ns);
    if (s->alternatives->portions == 0 || !mpg_rule_holds(MPG_RULE_PORTIONS) || last_ns <= until_ns + MPG_ROUNDING_NS)
        return 0;
    c->others[w] = true;
    return leave_for_later(c, s, w, now_ns, until_ns, first_ns > now_ns ? first : NULL, err);
}
