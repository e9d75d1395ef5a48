/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rule by which calls complete, in each lane (docs/MODEL.md, section 6). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/choice/choice_private.h"

/* ---- candidates ---- */

static int reserve_candidates(struct mpg_choosing *c, uint32_t n, struct mpg_error *err)
{
    uint32_t picks = c->pick_capacity, order = picks, glances = picks, times = picks;
    if (mpg_reserve_at(&c->pick, sizeof *c->pick, &picks, n, err) < 0 ||
        mpg_reserve_at(&c->order, sizeof *c->order, &order, n, err) < 0 ||
        mpg_reserve_at(&c->glance, sizeof *c->glance, &glances, n, err) < 0 ||
        mpg_reserve_at(&c->at_ns, sizeof *c->at_ns, &times, n, err) < 0)
        return -1;
    c->pick_capacity = picks;
    return 0;
}

static int list_candidates(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    if (reserve_candidates(c, s->alternatives->candidate_number, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++) {
        const struct mpg_candidate *x = &s->alternatives->candidates[i];
        const struct mpg_edge *e = &x->arrival;
        const struct mpg_letter *m = e->is_followed ? mpg_inbox_find(&c->inbox, e->message) : NULL;
        c->pick[i] = (struct mpg_pick){.slot = e->slot,
                                       .own = {e->source, x->comm, x->tag, e->message, x->is_eager},
                                       .bound_ns = m ? m->raised_ns : 0,
                                       .completed = x->completed};
    }
    c->arrivals.place(c->arrivals.context, s, c->pick);
    return 0;
}

/* ---- choosing ---- */

void mpg_choosing_fill(struct mpg_choosing *c, uint32_t i, uint32_t w)
{
    struct mpg_pick *p = &c->pick[i];
    const struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
    const bool is_own = v->serial == 0 || v->serial == c->view_serial[p->slot];
    p->start_ns = v->serial ? v->cause_ns : p->cause_ns + p->cause[w];
    const double at_ns = p->base_ns + p->value[w] + (is_own ? p->raised_ns : 0);
    const bool early = p->start_ns > at_ns;
    p->at_ns = early ? p->start_ns : at_ns;
    p->came = (struct mpg_whence){p->slot, early, early ? p->cause[w] : p->value[w]};
    p->done = v->done;
    p->taken = false;
    p->sequence = v->serial ? v->sequence : p->own;
}

static int choose_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                          bool is_test, bool looks, struct mpg_error *err)
{
    bool is_done = false;
    if (looks && mpg_choosing_look(c, s, w, now_ns, is_test, &is_done, err) < 0)
        return -1;
    if (is_done)
        return 0;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++)
        mpg_choosing_fill(c, i, w);
    mpg_picks_keep_order(c->pick, s->alternatives->candidate_number, c->order);
    if (s->alternatives->asking.asks)
        return mpg_choosing_ask(c, s, w, now_ns, err);
    if (!is_test)
        return mpg_choosing_pick(c, s, w, now_ns, err);
    return mpg_choosing_retry(c, s, w, now_ns, err);
}

/* What is completed by what an open receive took, here: it is another one's. */
static void find_others(struct mpg_choosing *c, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number && s->alternatives->receive_number > 0; i++)
        for (uint32_t w = 0; s->edges[i].is_view && w < c->n; w++) {
            const struct mpg_view *v = mpg_choosing_view_of(c, s->edges[i].slot, w);
            const bool is_open = s->edges[i].kind == MPG_EDGE_ARRIVAL && !v->fixed;
            const bool is_other = is_open && v->serial && v->serial != s->edges[i].message;
            c->others[w] = c->others[w] || is_other;
        }
    for (uint32_t w = 0; w < c->n; w++)
        c->counts.picks_changed += c->others[w];
}

/* What is in S's views from here on is told. */
static int settle(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const bool any = s->alternatives->candidate_number + s->alternatives->receive_number > 0 || s->alternatives->looking.looks;
    return any ? c->arrivals.settle(c->arrivals.context, err) : 0;
}

/* ---- what evaluators call ---- */

int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err)
{
    bool is_test = true;
    c->early = c->unsaid = false;
    memset(c->vanishes, 0, c->n * sizeof *c->vanishes);
    memset(c->others, 0, c->n * sizeof *c->others);
    mpg_choosing_find_answers(c, s, base_ns, value);
    if (mpg_choosing_decide(c, s, base_ns, value, err) < 0 || settle(c, s, err) < 0)
        return -1;
    if (s->alternatives->candidate_number > 0 && list_candidates(c, s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++)
        is_test = is_test && !s->alternatives->candidates[i].completed;
    const bool looks = s->alternatives->candidate_number > 0 && mpg_choosing_begin_look(c, s, is_test);
    for (uint32_t w = 0; s->alternatives->candidate_number > 0 && w < c->n; w++)
        if (!c->keeps[w] && !c->broken[w] && choose_in_lane(c, s, w, base_ns + value[w], is_test, looks, err) < 0)
            return -1;
    if (settle(c, s, err) < 0)
        return -1;
    mpg_choosing_skip_done(c, s);
    if (s->alternatives->asking.asks)
        mpg_choosing_ask_again(c, s);
    find_others(c, s);
    if (mpg_choosing_note_arrivals(c, s, err) < 0)
        return -1;
    return mpg_choosing_note_rest(c, s, err) < 0 ? -1 : mpg_choosing_say_brought(c, s, err);
}

void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->alternatives->candidate_number && c->early; i++)
        for (uint32_t w = 0; w < c->n; w++)
            mpg_choosing_view_of(c, s->alternatives->candidates[i].arrival.slot, w)->is_new = false;
    const struct mpg_looking *look = &s->alternatives->looking;
    if (look->looks && look->takes && look->found)
        mpg_choosing_matched(c, look->found);
    for (uint32_t i = 0; i < s->edge_number && !mpg_call_is_probe(s->call); i++) {
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && s->edges[i].is_followed)
            mpg_choosing_taken(c, &s->edges[i]);
        if (!s->edges[i].is_view)
            continue;
        mpg_choosing_forget_moved(c, s->edges[i].slot);
        for (uint32_t w = 0; w < c->n && c->done_count > 0; w++) {
            struct mpg_view *v = mpg_choosing_view_of(c, s->edges[i].slot, w);
            c->done_count -= v->done;
            v->done = false;
        }
    }
}

int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    void *views = c->view, *serials = c->view_serial, *altered = c->altered;
    const size_t altered_bytes = mpg_choosing_words(c) * sizeof *c->altered;
    int status = mpg_reserve(&views, c->n * sizeof *c->view, &c->view_capacity,
                                     s->slot + 1, err) < 0 ||
                 mpg_reserve(&serials, sizeof *c->view_serial, &c->serial_capacity,
                                     s->slot + 1, err) < 0 ||
                 mpg_reserve(&altered, altered_bytes, &c->altered_capacity, s->slot + 1, err) < 0;
    c->altered = altered;
    c->view = views;
    c->view_serial = serials;
    if (status)
        return -1;
    mpg_choosing_forget_moved(c, s->slot);
    c->view_serial[s->slot] = s->message;
    memset(mpg_choosing_view_of(c, s->slot, 0), 0, c->n * sizeof *c->view);
    memset(&c->altered[(size_t)s->slot * mpg_choosing_words(c)], 0, altered_bytes);
    return 0;
}

struct mpg_choosing *mpg_choosing_new(uint32_t lanes, const bool *keeps,
                                  const struct mpg_arrivals *arrivals, struct mpg_error *err)
{
    struct mpg_choosing *c = calloc(1, sizeof *c);
    if (!c)
        goto fail;
    c->n = lanes;
    c->arrivals = *arrivals;
    c->keeps = calloc(lanes, sizeof *c->keeps);
    c->broken = calloc(lanes, sizeof *c->broken);
    c->vanishes = calloc(lanes, sizeof *c->vanishes);
    c->others = calloc(lanes, sizeof *c->others);
    c->inbox.n = lanes;
    c->inbox.numbers = &c->numbers;
    c->flight_ns = calloc(lanes, sizeof *c->flight_ns);
    if (!c->keeps || !c->broken || !c->vanishes || !c->others || !c->flight_ns)
        goto fail;
    if (keeps)
        memcpy(c->keeps, keeps, lanes * sizeof *keeps);
    return c;
fail:
    mpg_choosing_free(c);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_choosing_free(struct mpg_choosing *c)
{
    if (!c)
        return;
    free(c->keeps);
    free(c->broken);
    free(c->vanishes);
    free(c->others);
    mpg_choosing_clear_open(c);
    mpg_choosing_clear_told(c);
    free(c->flight_ns);
    free(c->view);
    free(c->view_serial);
    free(c->pick);
    free(c->order);
    free(c->glance);
    free(c->at_ns);
    free(c->altered);
    free(c->moved);
    free(c->first_moved);
    free(c);
}

uint32_t mpg_choosing_kept(const struct mpg_choosing *c, uint64_t id)
{
    return mpg_inbox_find(&c->inbox, id)->number;
}

void mpg_choosing_mark_kept(const struct mpg_choosing *c, void (*mark)(void *context, uint32_t number, uint32_t w, bool bare),
                            void *context)
{
    mpg_inbox_tell_left(&c->inbox, mark, context);
}

int32_t mpg_choosing_source(const struct mpg_choosing *c, uint32_t slot, uint32_t w, int32_t source)
{
    const struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    return v->serial ? v->sequence.source : source;
}

size_t mpg_choosing_view_bytes(void)
{
    return sizeof(struct mpg_view) + mpg_inbox_letter_bytes();
}

const struct mpg_choices *mpg_choosing_counts(const struct mpg_choosing *c)
{
    return &c->counts;
}

void mpg_choices_add(struct mpg_choices *sum, const struct mpg_choices *c)
{
    sum->picks_changed += c->picks_changed;
    sum->tests_early += c->tests_early;
    sum->tests_saved += c->tests_saved;
    sum->answers += c->answers;
}

const bool *mpg_choosing_broken_lanes(const struct mpg_choosing *c)
{
    return c->broken;
}

uint32_t mpg_choosing_broken(const struct mpg_choosing *c)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < c->n; w++)
        count += c->broken[w];
    return count;
}
