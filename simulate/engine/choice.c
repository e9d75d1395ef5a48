/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls complete in a world whose times differ (docs/MODEL.md, section 6). A lane that
 * completes another message than the trace did exchanges the two arrivals, as their receiver
 * sees them: from then on each goes by the other's request. */
#include <math.h>
#include <stdlib.h>

#include "simulate/engine/lanes_private.h"

/* Differences of times that are no more than rounding; and the trace's clock ticks, so that what
 * had not happened at some time happened a tick later at the earliest. */
static const double ROUNDING_NS = 1e-3, TICK_NS = 1;

static struct mpg_lanes_view *view_of(const struct mpg_lanes *l, uint32_t slot, uint32_t w)
{
    return &l->view[(size_t)slot * l->n + w];
}

/* ---- where the arrivals are ---- */

/* The traced time t(A) of candidate C of S, and what its slot's value is a delay of. */
static void place_candidate(const struct mpg_lanes *l, const struct mpg_step *s,
                            const struct mpg_candidate *c, struct mpg_lanes_pick *p)
{
    const struct mpg_edge *e = &c->arrival;
    p->slot = e->slot;
    p->completed = c->completed;
    p->arrival_ns = start_ns(l, s->rank, e) + flight_ns(l, e->source, s->rank, e->bytes);
    p->base_ns = e->changed ? e->base_ns : p->arrival_ns;
    p->cause_ns = e->changed ? e->sent_ns : start_ns(l, s->rank, e);
    p->source = e->source;
}

/* What was not completed had not arrived: how much later than t(A) that makes it. */
static void raise(const struct mpg_step *s, struct mpg_lanes_pick *pick)
{
    const uint32_t n = s->candidate_number;
    double last_ns = -INFINITY;
    uint32_t first = n; /* completed one */
    for (uint32_t i = 0; i < n; i++)
        if (pick[i].completed) {
            last_ns = fmax(last_ns, pick[i].arrival_ns);
            first = i < first ? i : first;
        }
    const bool lay_ready = last_ns <= s->enter_ns;
    const bool only_before = lay_ready && first < n && !s->completes_all && !s->takes_first;
    const double since_ns = s->takes_first ? last_ns : fmax(last_ns, s->enter_ns);
    const double after_ns = since_ns + TICK_NS;
    for (uint32_t i = 0; i < n; i++) {
        bool is_late = !pick[i].completed && !(only_before && i > first);
        pick[i].raised_ns = is_late ? fmax(0, after_ns - pick[i].arrival_ns) : 0;
    }
}

static int list_candidates(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->candidate_number > l->pick_capacity) {
        uint32_t capacity = 2 * s->candidate_number;
        void *grown = realloc(l->pick, capacity * sizeof *l->pick);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->pick = grown;
        l->pick_capacity = capacity;
    }
    for (uint32_t i = 0; i < s->candidate_number; i++)
        place_candidate(l, s, &s->candidates[i], &l->pick[i]);
    raise(s, l->pick);
    return 0;
}

/* ---- exchanging ---- */

/* Notes what the view at P holds in lane W before it is moved. */
static void identify(const struct mpg_lanes *l, const struct mpg_lanes_pick *p, uint32_t w)
{
    struct mpg_lanes_view *v = view_of(l, p->slot, w);
    if (v->serial)
        return;
    v->serial = l->view_serial[p->slot];
    v->source = p->source;
    v->cause_ns = p->cause_ns + slot_bare(l, p->slot)[w];
}

/* The view at P gets in lane W what arrives AT_NS, of which PUT_NS were put in. */
static void set_arrival(const struct mpg_lanes *l, const struct mpg_lanes_pick *p, uint32_t w,
                        double at_ns, double put_ns)
{
    slot_value(l, p->slot)[w] = at_ns - p->base_ns;
    slot_bare(l, p->slot)[w] = at_ns - p->arrival_ns - put_ns;
}

static double put_into(const struct mpg_lanes *l, const struct mpg_lanes_pick *p, uint32_t w)
{
    return slot_value(l, p->slot)[w] + p->base_ns - p->arrival_ns - slot_bare(l, p->slot)[w];
}

static void exchange(struct mpg_lanes *l, const struct mpg_lanes_pick *p,
                     const struct mpg_lanes_pick *q, uint32_t w)
{
    const double put_p = put_into(l, p, w), put_q = put_into(l, q, w);
    identify(l, p, w);
    identify(l, q, w);
    struct mpg_lanes_view *v = view_of(l, p->slot, w), *u = view_of(l, q->slot, w), held = *v;
    *v = *u;
    *u = held;
    u->astray = v->astray; /* that is the request's */
    v->astray = held.astray;
    set_arrival(l, p, w, q->at_ns, put_q);
    set_arrival(l, q, w, p->at_ns, put_p);
}

/* RANK's open view at SLOT holds in some lane what goes by another's request. */
static int note_moved(struct mpg_lanes *l, int32_t rank, uint32_t slot, struct mpg_error *err)
{
    for (uint32_t i = 0; i < l->moved_count; i++)
        if (l->moved[i].slot == slot)
            return 0;
    if (l->moved_count == l->moved_capacity) {
        uint32_t capacity = l->moved_capacity ? 2 * l->moved_capacity : 16;
        void *grown = realloc(l->moved, capacity * sizeof *l->moved);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->moved = grown;
        l->moved_capacity = capacity;
    }
    l->moved[l->moved_count++] = (struct mpg_lanes_moved){rank, slot};
    return 0;
}

static void forget_moved(struct mpg_lanes *l, uint32_t slot)
{
    for (uint32_t i = 0; i < l->moved_count; i++)
        if (l->moved[i].slot == slot) {
            l->moved[i] = l->moved[--l->moved_count];
            return;
        }
}

/* ---- choosing ---- */

/* Of two that arrive at one time: whether P goes before Q, which is earlier in the list. */
static bool is_before(const struct mpg_lanes_pick *p, const struct mpg_lanes_pick *q, bool by_source)
{
    if (p->completed != q->completed)
        return p->completed;
    return by_source && p->source < q->source;
}

/* The next of those that are not taken yet: what was completed before, then what has arrived by
 * NOW_NS, in the order of the list, else what arrives first. */
static uint32_t next_pick(const struct mpg_lanes_pick *pick, uint32_t n, double now_ns,
                          bool by_source)
{
    uint32_t arrived = n, least = n;
    double least_ns = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        if (pick[i].taken)
            continue;
        if (pick[i].done)
            return i;
        if (arrived == n && pick[i].at_ns <= now_ns + ROUNDING_NS)
            arrived = i;
        least_ns = fmin(least_ns, pick[i].at_ns);
    }
    for (uint32_t i = 0; arrived == n && i < n; i++) {
        if (pick[i].taken || pick[i].at_ns > least_ns + ROUNDING_NS)
            continue;
        if (least == n || is_before(&pick[i], &pick[least], by_source))
            least = i;
    }
    return arrived < n ? arrived : least;
}

/* A test that failed: in lane W it completes what has arrived, the first or all. */
static void retry_test(struct mpg_lanes *l, const struct mpg_step *s, uint32_t w, double now_ns)
{
    const uint32_t n = s->candidate_number;
    for (uint32_t i = 0; i < n; i++)
        if (l->pick[i].done) {
            l->vanishes[w] = true;
            l->choices.tests_saved++;
            return;
        }
    bool any = false;
    for (uint32_t i = 0; i < n && (!any || s->completes_all); i++)
        if (l->pick[i].at_ns <= now_ns + ROUNDING_NS) {
            view_of(l, l->pick[i].slot, w)->done = true;
            l->done_count++;
            any = true;
        }
    l->choices.tests_early += any;
}

/* As many as the trace completed, in lane W. */
static int choose_again(struct mpg_lanes *l, const struct mpg_step *s, uint32_t w, double now_ns,
                        struct mpg_error *err)
{
    const uint32_t n = s->candidate_number;
    struct mpg_lanes_pick *pick = l->pick;
    uint32_t completed = 0, out = 0;
    bool is_other = false;
    for (uint32_t i = 0; i < n; i++)
        completed += pick[i].completed;
    for (uint32_t k = 0; k < completed; k++)
        pick[next_pick(pick, n, s->takes_first ? -INFINITY : now_ns, s->takes_first)].taken = true;
    for (uint32_t in = 0; in < n; in++) {
        if (!pick[in].taken || pick[in].completed)
            continue;
        while (pick[out].taken || !pick[out].completed)
            out++;
        exchange(l, &pick[out], &pick[in], w);
        if (s->takes_first)
            view_of(l, pick[in].slot, w)->astray = true;
        out++;
        is_other = true;
        if (view_of(l, pick[in].slot, w)->serial != l->view_serial[pick[in].slot] &&
            note_moved(l, s->rank, pick[in].slot, err) < 0)
            return -1;
    }
    l->choices.picks_changed += is_other;
    return 0;
}

static int choose_in_lane(struct mpg_lanes *l, const struct mpg_step *s, uint32_t w, bool is_test,
                          struct mpg_error *err)
{
    const double now_ns = s->enter_ns + stream_value(l, s->stream)[w];
    for (uint32_t i = 0; i < s->candidate_number; i++) {
        struct mpg_lanes_pick *p = &l->pick[i];
        p->at_ns = p->base_ns + slot_value(l, p->slot)[w] + p->raised_ns;
        p->done = view_of(l, p->slot, w)->done;
        p->taken = false;
    }
    if (!is_test)
        return choose_again(l, s, w, now_ns, err);
    retry_test(l, s, w, now_ns);
    return 0;
}

/* Calls that complete only what an earlier test has completed take no time either. */
static void skip_done(struct mpg_lanes *l, const struct mpg_step *s)
{
    if (l->done_count == 0 || s->edge_number == 0)
        return;
    for (uint32_t w = 0; w < l->n; w++) {
        bool all = true;
        for (uint32_t i = 0; i < s->edge_number && all; i++)
            all = s->edges[i].is_view && view_of(l, s->edges[i].slot, w)->done;
        l->vanishes[w] = all;
    }
}

/* A receive that names its source gets what another one took, or another's message. */
static void find_astray(struct mpg_lanes *l, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number; i++)
        for (uint32_t w = 0; s->edges[i].is_view && s->edges[i].is_named && w < l->n; w++)
            l->broken[w] = l->broken[w] || view_of(l, s->edges[i].slot, w)->astray;
}

/* ---- answers ---- */

/* What S sends to a rank whose message the trace had completed, and lane W has not. */
static void answer_in_lanes(struct mpg_lanes *l, const struct mpg_step *s,
                            const struct mpg_sent *sent, uint32_t slot)
{
    const double *value = stream_value(l, s->stream);
    const double flight = flight_ns(l, s->rank, sent->origin.to, sent->bytes);
    for (uint32_t w = 0; w < l->n; w++) {
        struct mpg_lanes_view *v = view_of(l, slot, w);
        if (v->serial == 0 || v->serial == l->view_serial[slot] || v->answered ||
            v->source != sent->origin.to)
            continue;
        v->answered = true;
        l->choices.answers++;
        if (s->enter_ns + value[w] + flight < v->cause_ns - ROUNDING_NS)
            l->broken[w] = true;
    }
}

static void find_answers(struct mpg_lanes *l, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < l->moved_count; i++)
        for (uint32_t k = 0; l->moved[i].rank == s->rank && k < s->sent_number; k++)
            answer_in_lanes(l, s, &s->sent[k], l->moved[i].slot);
}

/* ---- what lanes call ---- */

int mpg_lanes_choose(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    bool is_test = true;
    memset(l->vanishes, 0, l->n * sizeof *l->vanishes);
    find_answers(l, s);
    if (!mpg_lanes_is_probe(s))
        find_astray(l, s);
    if (s->candidate_number > 0 && list_candidates(l, s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->candidate_number; i++)
        is_test = is_test && !s->candidates[i].completed;
    for (uint32_t w = 0; s->candidate_number > 0 && w < l->n; w++)
        if (!l->keeps[w] && choose_in_lane(l, s, w, is_test, err) < 0)
            return -1;
    skip_done(l, s);
    return 0;
}

double mpg_lanes_vanished(const struct mpg_lanes *l, const struct mpg_step *s, uint32_t w)
{
    const double least = stream_value(l, s->stream)[w] - (double)s->duration_ns;
    if (!l->skips_polling)
        return least;
    return fmin(least, l->before[(size_t)s->stream * l->n + w] - l->interval_ns[s->stream] -
                           (double)s->duration_ns);
}

void mpg_lanes_end_views(struct mpg_lanes *l, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        if (!s->edges[i].is_view)
            continue;
        if (mpg_lanes_is_probe(s))
            continue;
        forget_moved(l, s->edges[i].slot);
        for (uint32_t w = 0; w < l->n && l->done_count > 0; w++) {
            struct mpg_lanes_view *v = view_of(l, s->edges[i].slot, w);
            l->done_count -= v->done;
            v->done = false;
        }
    }
}

void mpg_lanes_view(struct mpg_lanes *l, const struct mpg_step *s)
{
    if (s->slot != s->a) {
        memcpy(slot_value(l, s->slot), slot_value(l, s->a), l->n * sizeof(double));
        memcpy(slot_bare(l, s->slot), slot_bare(l, s->a), l->n * sizeof(double));
        l->slot_met[s->slot] = l->slot_met[s->a];
    }
    if (!l->chooses)
        return;
    forget_moved(l, s->slot);
    l->view_serial[s->slot] = ++l->views;
    memset(view_of(l, s->slot, 0), 0, l->n * sizeof *l->view);
}

int mpg_lanes_use_choice(struct mpg_lanes *l, bool skips_polling, const bool *keeps,
                         struct mpg_error *err)
{
    l->keeps = calloc(l->n, sizeof *l->keeps);
    l->broken = calloc(l->n, sizeof *l->broken);
    l->vanishes = calloc(l->n, sizeof *l->vanishes);
    if (!l->keeps || !l->broken || !l->vanishes)
        return mpg_error_set(err, "out of memory");
    if (keeps)
        memcpy(l->keeps, keeps, l->n * sizeof *keeps);
    l->chooses = true;
    l->skips_polling = skips_polling;
    return 0;
}

size_t mpg_lanes_choice_bytes(void)
{
    return sizeof(struct mpg_lanes_view);
}

const struct mpg_lanes_choices *mpg_lanes_choices(const struct mpg_lanes *l)
{
    return &l->choices;
}

const bool *mpg_lanes_broken(const struct mpg_lanes *l)
{
    return l->broken;
}

void mpg_lanes_choice_clear(struct mpg_lanes *l)
{
    free(l->keeps);
    free(l->broken);
    free(l->vanishes);
    free(l->view);
    free(l->view_serial);
    free(l->pick);
    free(l->moved);
    free(l->before);
    free(l->interval_ns);
}
