/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_ANY_SOURCE receives and probes: finds which message each lane takes or finds (docs/MODEL.md, section 6, Open receives). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* ---- lower bounds: a message taken in the trace arrived before other matching messages (docs/MODEL.md, Bounds of t(A)) ---- */

/* For each posted receive, in order: the matching messages not taken by the receive arrived later than the taken message. */
static int bound_by_receives(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_decision *d = &c->decision;
    for (uint32_t i = 0; i < s->alternatives->receive_number; i++) {
        const struct mpg_posted *p = &s->alternatives->receives[i];
        struct mpg_pending *own = mpg_unexpected_find(&c->unexpected, p->message);
        if (!own)
            continue;
        mpg_decision_settle(d, own);
        double since_ns = own->base_ns + own->raised_ns;
        if (p->chooses && s->found_nothing)
            since_ns = fmax(since_ns, s->enter_ns);
        const bool was_unexpected = p->here && since_ns <= s->enter_ns;
        if (p->fits.any_source && (was_unexpected ? mpg_decision_note_passed(d, &p->fits, own, err)
                                             : mpg_decision_add_bound(d, &p->fits, since_ns, err)) < 0)
            return -1;
        if (mpg_decision_mark(d, own, err) < 0)
            return -1;
    }
    mpg_decision_settle_all(d);
    return 0;
}

/* For a probe: the found message arrived before all other matching messages; if none was found, all matching messages
 * arrived later than the probe. */
static int bound_by_probe(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_decision *d = &c->decision;
    const struct mpg_message_pattern *fits = &s->alternatives->probe.fits;
    struct mpg_pending *found = s->alternatives->probe.found ? mpg_unexpected_find(&c->unexpected,
                                                                                     s->alternatives->probe.found) : NULL;
    struct mpg_pending *min = NULL;
    if (!fits->any_source) {
        if (mpg_decision_earliest(d, fits, NULL, -INFINITY, &min, err) < 0)
            return -1;
        if (min && !s->alternatives->probe.found)
            mpg_pending_raise(min, s->enter_ns);
        return 0;
    }
    if (!found && s->alternatives->probe.found)
        return 0;
    const double since_ns = found ? found->base_ns + found->raised_ns : s->enter_ns;
    const bool was_unexpected = found && since_ns <= s->enter_ns;
    if ((was_unexpected ? mpg_decision_note_passed(d, fits, found, err) : mpg_decision_add_bound(d, fits, since_ns, err)) < 0 ||
        (found && mpg_decision_mark(d, found, err) < 0))
        return -1;
    mpg_decision_settle_all(d);
    return 0;
}

/* Raises the arrivals of messages that arrived later than S, as S shows. */
static int bound_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_probe *look = &s->alternatives->probe;
    mpg_decision_begin(&c->decision, &c->unexpected, s->rank, c->n);
    int status = bound_by_receives(c, s, err);
    if (status == 0 && look->looks && (look->fits.any_source || !look->found))
        status = bound_by_probe(c, s, err);
    mpg_decision_end(&c->decision);
    return status;
}

/* ---- sends ---- */

int mpg_choosing_sent(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                      const double *value, const double *propagated, double cause_ns,
                      const double *cause, struct mpg_error *err)
{
    struct mpg_pending *m = s->is_followed ? mpg_unexpected_add(&c->unexpected, s, err) : NULL;
    if (!m)
        return s->is_followed ? -1 : 0;
    m->base_ns = base_ns;
    m->cause_ns = cause_ns;
    memcpy(m->value, value, c->n * sizeof *value);
    memcpy(m->propagated, propagated, c->n * sizeof *propagated);
    memcpy(m->cause, cause, c->n * sizeof *cause);
    return 0;
}

/* ---- receives ---- */

/* Sets the view at SLOT, which has OWN in the trace, to TAKEN in lane W. */
static void set_view(struct mpg_choosing *c, uint32_t slot, const struct mpg_pending *own,
                     const struct mpg_pending *taken, uint32_t w)
{
    struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    const bool same = taken == own;
    const double late_ns = taken->base_ns + taken->raised_ns;
    const double min_ns = taken->cause_ns + taken->cause[w] - late_ns;
    v->serial = same ? 0 : taken->id;
    mpg_choosing_alter(c, slot, w);
    v->sequence = (struct mpg_sequence){.source = taken->queue[0]->source,
                                        .comm = taken->queue[0]->comm,
                                        .tag = taken->tag,
                                        .id = taken->id,
                                        .is_eager = true};
    v->cause_ns = taken->cause_ns + taken->cause[w];
    v->answered = taken->answered[w];
    c->arrivals.assign(c->arrivals.context, slot, w, taken, same ? 0 : late_ns - own->base_ns,
                       same ? taken->value[w] : fmax(taken->value[w], min_ns));
}

/* Lets the posted receives take messages in the order of posting. Sets the views of the receives whose message is decided
 * at this LEAVE. */
static int take_posted(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                       struct mpg_error *err)
{
    for (uint32_t i = 0; i < s->alternatives->receive_number; i++) {
        const struct mpg_posted *p = &s->alternatives->receives[i];
        struct mpg_pending *own = mpg_unexpected_find(&c->unexpected, p->message), *taken = own;
        if (!own || (p->is_view && mpg_choosing_view_of(c, p->slot, w)->fixed))
            continue;
        if (p->fits.any_source &&
            mpg_decision_earliest(&c->decision, &p->fits, own, p->here ? now_ns : -INFINITY, &taken, err) < 0)
            return -1;
        if (!taken && p->chooses)
            c->broken[w] = true;
        if (taken && mpg_decision_mark(&c->decision, taken, err) < 0)
            return -1;
        if (taken && p->chooses)
            set_view(c, p->slot, own, taken, w);
    }
    return 0;
}

/* ---- probes ---- */

/* Writes the key of a probe: rank and pattern. */
static void make_key(const struct mpg_step *s, uint64_t key[2])
{
    const struct mpg_message_pattern *fits = &s->alternatives->probe.fits;
    key[0] = (uint64_t)(uint32_t)s->rank << 32 | (uint32_t)fits->comm;
    key[1] = (uint64_t)(fits->any_source ? UINT32_MAX : (uint32_t)fits->source) << 32 |
             (fits->any_tag ? UINT32_MAX : (uint32_t)fits->tag);
}

/* Returns the message FOUND[W] (FOUND NULL: none), unless a receive in lane W has taken the message since. */
static struct mpg_pending *seen(const struct mpg_choosing *c, const uint64_t *found, uint32_t w)
{
    struct mpg_pending *m = found && found[w] ? mpg_unexpected_find(&c->unexpected, found[w]) : NULL;
    return m && !m->taken[w] ? m : NULL;
}

/* Evaluates in lane W a probe that found nothing in the trace. */
static int evaluate_failed_probe(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                                 struct mpg_error *err)
{
    uint64_t key[2];
    make_key(s, key);
    uint64_t *early = mpg_choosing_find_early(&c->probed, key);
    struct mpg_pending *min;
    if (seen(c, early, w)) {
        c->skips[w] = true;
        c->lacks_override = c->lacks_override || w == 0;
        c->counts.tests_saved++;
        return 0;
    }
    if (mpg_decision_earliest(&c->decision, &s->alternatives->probe.fits, NULL, -INFINITY, &min, err) < 0)
        return -1;
    if (!min || mpg_pending_arrival_ns(min, w) > now_ns + MPG_ROUNDING_NS)
        return 0;
    if (!early && !(early = mpg_choosing_add_early(&c->probed, key, c->n, err)))
        return -1;
    early[w] = min->id;
    c->lacks_override = c->lacks_override || w == 0;
    c->counts.tests_early++;
    return 0;
}

/* For S, a probe that found a message in the trace: evaluates the probe in lane W. If S is a matched or MPI_ANY_SOURCE
 * probe, sets *FOUND to the message found in the lane, which no other receive may take. */
static int evaluate_probe(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                          struct mpg_pending **found, struct mpg_error *err)
{
    const struct mpg_probe *look = &s->alternatives->probe;
    struct mpg_pending *own = mpg_unexpected_find(&c->unexpected, look->found), *m = own;
    uint64_t key[2];
    make_key(s, key);
    uint64_t *probed = mpg_choosing_find_early(&c->probed, key);
    struct mpg_pending *early = seen(c, probed, w);
    if (probed)
        probed[w] = 0;
    if (!own || mpg_choosing_view_of(c, look->slot, w)->fixed)
        return 0;
    if (look->fits.any_source && early)
        m = early;
    else if (look->fits.any_source && mpg_decision_earliest(&c->decision, &look->fits, own, now_ns, &m, err) < 0)
        return -1;
    c->skips[w] = early && m == early;
    c->broken[w] = c->broken[w] || !m || m->taken[w];
    c->others[w] = c->others[w] || m != own;
    c->lacks_override = c->lacks_override || (w == 0 && (m != own || c->skips[w]));
    if (!m || c->broken[w])
        return 0;
    set_view(c, look->slot, own, m, w);
    if (look->takes || look->fits.any_source)
        *found = m;
    return 0;
}

static int look(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                struct mpg_pending **found, struct mpg_error *err)
{
    if (!s->alternatives->probe.looks)
        return 0;
    return s->alternatives->probe.found ? evaluate_probe(c, s, w, now_ns, found, err)
           : evaluate_failed_probe(c, s, w, now_ns, err);
}

/* ---- the interface to choice.c ---- */

int mpg_choosing_decide(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                        const double *value, struct mpg_error *err)
{
    if (s->alternatives->receive_number == 0 && !s->alternatives->probe.looks)
        return 0;
    if (c->arrivals.is_bounded && bound_arrivals(c, s, err) < 0)
        return -1;
    for (uint32_t w = 0; w < c->n; w++) {
        struct mpg_pending *found = NULL;
        if (c->keeps[w] || c->broken[w])
            continue;
        mpg_decision_begin(&c->decision, &c->unexpected, s->rank, w);
        const double now_ns = base_ns + value[w];
        const int status = take_posted(c, s, w, now_ns, err) < 0 || look(c, s, w, now_ns, &found, err) < 0;
        mpg_decision_end(&c->decision);
        if (status)
            return -1;
        if (!found)
            continue;
        const bool is_other = found->id != s->alternatives->probe.found;
        mpg_choosing_view_of(c, s->alternatives->probe.slot, w)->fixed = true;
        mpg_unexpected_take(&c->unexpected, found, w);
        if (is_other &&
            mpg_choosing_note_moved(c, s->rank, s->alternatives->probe.slot, err) < 0)
            return -1;
    }
    return 0;
}

void mpg_choosing_take(struct mpg_choosing *c, uint64_t id, uint32_t w)
{
    struct mpg_pending *m = mpg_unexpected_find(&c->unexpected, id);
    if (m)
        mpg_unexpected_take(&c->unexpected, m, w);
}

/* Takes from the queues, in lane W, the message completed by edge E. */
static void take_in_lane(struct mpg_choosing *c, const struct mpg_edge *e, uint32_t w)
{
    const struct mpg_view *v = e->is_view ? mpg_choosing_view_of(c, e->slot, w) : NULL;
    const bool follows = !c->keeps[w] && !c->broken[w];
    const uint64_t id = follows && v && v->serial ? v->serial : e->message;
    const struct mpg_pending *m = mpg_unexpected_find(&c->unexpected, id);
    const bool is_gone = !m || m->taken[w]; /* freed, after all lanes and the trace took the message, or taken by W */
    if (follows && is_gone && !(v && v->fixed))
        c->broken[w] = true;
    mpg_choosing_take(c, id, w);
    if (c->broken[w]) /* otherwise the message would stay in the queues */
        mpg_choosing_take(c, e->message, w);
}

void mpg_choosing_taken(struct mpg_choosing *c, const struct mpg_edge *e)
{
    for (uint32_t w = 0; w < c->n; w++)
        take_in_lane(c, e, w);
    mpg_choosing_take(c, e->message, c->n);
}

/* Lets the trace, and the lanes in the traced order, take the message found by a matched probe. */
void mpg_choosing_matched(struct mpg_choosing *c, uint64_t id)
{
    for (uint32_t w = 0; w < c->n; w++)
        if (c->keeps[w] || c->broken[w])
            mpg_choosing_take(c, id, w);
    mpg_choosing_take(c, id, c->n);
}

void mpg_choosing_clear_open(struct mpg_choosing *c)
{
    mpg_decision_clear(&c->decision);
    mpg_unexpected_clear(&c->unexpected);
    mpg_choosing_clear_early(&c->probed);
}
