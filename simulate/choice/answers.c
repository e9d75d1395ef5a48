/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is sent to who sent what a lane lacks still (docs/MODEL.md, section 6: Answers). */
#include <math.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* Whether the trace has completed message ID, which some view holds. */
static bool has_completed(const struct mpg_choosing *c, uint64_t id)
{
    const struct mpg_letter *m = mpg_inbox_find(&c->inbox, id);
    return !m || m->taken[c->n];
}

/* What S sends, at BASE_NS + VALUE[w], to a rank whose message the trace had completed, and lane w
 * has not. */
static void answer_in_lanes(struct mpg_choosing *c, const struct mpg_step *s,
                            const struct mpg_sent *sent, uint32_t slot, double base_ns,
                            const double *value)
{
    bool flies = false;
    for (uint32_t w = 0; w < c->n; w++) {
        struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
        if (v->serial == 0 || v->serial == c->view_serial[slot] || v->done || v->answered ||
            v->sequence.source != sent->origin.to || !has_completed(c, v->serial))
            continue;
        v->answered = true;
        c->counts.answers++;
        if (!flies)
            c->arrivals.fly(c->arrivals.context, s, sent, c->flight_ns);
        flies = true;
        if (base_ns + value[w] + c->flight_ns[w] < v->cause_ns - MPG_ROUNDING_NS)
            c->broken[w] = true;
    }
}

/* M, which the trace has completed, and SENT answers perhaps. */
static void answer_letter(struct mpg_choosing *c, struct mpg_letter *m, double base_ns,
                          const double *value, const double *flight)
{
    for (uint32_t w = 0; w < c->n; w++) {
        if (m->taken[w] || m->answered[w])
            continue;
        m->answered[w] = true;
        c->counts.answers++;
        if (base_ns + value[w] + flight[w] < m->cause_ns + m->cause[w] - MPG_ROUNDING_NS)
            c->broken[w] = true;
    }
}

/* The same of what the trace has taken, and a lane has not. */
static void answer_letters(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_sent *sent,
                           double base_ns, const double *value)
{
    bool flies = false;
    struct mpg_queue *q = mpg_inbox_from(&c->inbox, s->rank, sent->origin.to);
    for (; q; q = q->other)
        for (struct mpg_letter *m = q->overdue; m; m = m->next[MPG_LETTERS_OVERDUE]) {
            if (!flies)
                c->arrivals.fly(c->arrivals.context, s, sent, c->flight_ns);
            flies = true;
            answer_letter(c, m, base_ns, value, c->flight_ns);
        }
}

void mpg_choosing_find_answers(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                               const double *value)
{
    const bool any_moved = s->sent_number > 0 && (uint32_t)s->rank < c->first_capacity;
    for (uint32_t next = any_moved ? c->first_moved[s->rank] : 0; next; next = c->moved[next - 1].next)
        for (uint32_t k = 0; k < s->sent_number; k++)
            answer_in_lanes(c, s, &s->sent[k], next - 1, base_ns, value);
    for (uint32_t k = 0; k < s->sent_number; k++)
        answer_letters(c, s, &s->sent[k], base_ns, value);
}
