/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that failed, and that succeed in a lane (docs/MODEL.md, section 6: A test that failed). */
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

int mpg_choosing_complete_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                                struct mpg_error *err)
{
    const struct mpg_pick *p = &c->pick[i];
    struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
    if (mpg_choosing_note_early(c, s, i, w, err) < 0)
        return -1;
    v->done = v->is_new = v->fixed = true;
    mpg_choosing_alter(c, p->slot, w);
    mpg_choosing_take(c, v->serial ? v->serial : c->view_serial[p->slot], w);
    c->done_count++;
    c->early = true;
    return 0;
}

/* S needs all: in lane W it completes them if they have arrived. */
static int retry_whole(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                       struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    bool done = true, there = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        done = done && p->done;
        there = there && (p->done || p->at_ns <= now_ns + MPG_ROUNDING_NS);
    }
    for (uint32_t i = 0; i < n && there && !done; i++)
        if (!c->pick[i].done && mpg_choosing_complete_early(c, s, i, w, err) < 0)
            return -1;
    c->vanishes[w] = c->vanishes[w] || done;
    c->counts.tests_saved += done;
    c->counts.tests_early += there && !done;
    return 0;
}

/* In lane W it completes what has arrived, the first or all. */
static int retry_some(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    for (uint32_t i = 0; i < n; i++)
        if (c->pick[i].done) {
            c->vanishes[w] = true;
            c->counts.tests_saved++;
            return 0;
        }
    bool any = false;
    for (uint32_t i = 0; i < n && (!any || s->alternatives->completes_all); i++)
        if (c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (mpg_choosing_complete_early(c, s, i, w, err) < 0)
                return -1;
            any = true;
        }
    c->counts.tests_early += any;
    return 0;
}

int mpg_choosing_retry(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                       struct mpg_error *err)
{
    return s->alternatives->needs_all ? retry_whole(c, s, w, now_ns, err) : retry_some(c, s, w, now_ns, err);
}

void mpg_choosing_skip_done(struct mpg_choosing *c, const struct mpg_step *s)
{
    if (c->done_count == 0 || s->edge_number == 0)
        return;
    for (uint32_t w = 0; w < c->n; w++) {
        bool all = true;
        for (uint32_t i = 0; i < s->edge_number && all; i++)
            all = s->edges[i].is_view && mpg_choosing_view_of(c, s->edges[i].slot, w)->done;
        c->vanishes[w] = c->vanishes[w] || all;
    }
}
