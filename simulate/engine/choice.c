/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rule by which calls complete, in each lane (docs/MODEL.md, section 6). */
#include "simulate/engine/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/engine/vectors.h"

/* An open view, of RANK, with what in some lane goes by another's request. */
struct mpg_moved {
    int32_t rank;
    uint32_t slot;
};

static struct mpg_view *view_of(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return mpg_choosing_view_of(c, slot, w);
}

/* ---- candidates ---- */

static int list_candidates(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->candidate_number > c->pick_capacity) {
        uint32_t capacity = 2 * s->candidate_number;
        void *grown = realloc(c->pick, capacity * sizeof *c->pick);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        c->pick = grown;
        void *order = realloc(c->order, capacity * sizeof *c->order);
        if (!order)
            return mpg_error_set(err, "out of memory");
        c->order = order;
        c->pick_capacity = capacity;
    }
    for (uint32_t i = 0; i < s->candidate_number; i++) {
        const struct mpg_candidate *x = &s->candidates[i];
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

/* ---- exchanging ---- */

/* Notes what the view at P holds in lane W before it is moved. */
static void identify(const struct mpg_choosing *c, const struct mpg_pick *p, uint32_t w)
{
    struct mpg_view *v = view_of(c, p->slot, w);
    if (v->serial)
        return;
    v->serial = c->view_serial[p->slot];
    v->sequence = p->own;
    v->cause_ns = p->cause_ns + p->cause[w];
}

/* From here on P's at_ns and done are those of what goes by it, and Q's, too. */
static void exchange(struct mpg_choosing *c, struct mpg_pick *p, struct mpg_pick *q, uint32_t w)
{
    const double at_ns = p->at_ns;
    const bool done = p->done;
    identify(c, p, w);
    identify(c, q, w);
    struct mpg_view *v = view_of(c, p->slot, w), *u = view_of(c, q->slot, w), held = *v;
    *v = *u;
    *u = held;
    v->fixed = u->fixed = true;
    mpg_choosing_take(c, v->serial, w);
    mpg_choosing_take(c, u->serial, w);
    c->arrivals.exchange(c->arrivals.context, p, q, w);
    p->at_ns = q->at_ns;
    p->done = q->done;
    q->at_ns = at_ns;
    q->done = done;
}

/* RANK's open view at SLOT holds in some lane what goes by another's request. */
static int note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err)
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

static void forget_moved(struct mpg_choosing *c, uint32_t slot)
{
    for (uint32_t i = 0; i < c->moved_count; i++)
        if (c->moved[i].slot == slot) {
            c->moved[i] = c->moved[--c->moved_count];
            return;
        }
}

/* ---- choosing ---- */

/* DEED is done in lane W. */
static int note(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                const struct mpg_deed *deed, struct mpg_error *err)
{
    const struct mpg_watch *watch = c->arrivals.watch;
    return watch && w == 0 ? watch->note(watch->watcher, s, deed, err) : 0;
}

/* The next of those that are not taken yet: what was completed before, then what has arrived by
 * NOW_NS, in the order of the list, else what arrives first. */
static uint32_t next_pick(const struct mpg_pick *pick, uint32_t n, double now_ns)
{
    uint32_t arrived = n, least = n;
    double least_ns = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        if (pick[i].taken)
            continue;
        if (pick[i].done)
            return i;
        if (arrived == n && pick[i].at_ns <= now_ns + MPG_ROUNDING_NS)
            arrived = i;
        least_ns = fmin(least_ns, pick[i].at_ns);
    }
    for (uint32_t i = 0; arrived == n && i < n; i++) {
        if (pick[i].taken || pick[i].at_ns > least_ns + MPG_ROUNDING_NS)
            continue;
        if (pick[i].before && !pick[i].before->taken)
            continue; /* which then comes no later */
        if (least == n || (pick[i].completed && !pick[least].completed))
            least = i;
    }
    return arrived < n ? arrived : least;
}

/* In lane W S completes its I-th candidate, which it did not in the trace. */
static int complete_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                          struct mpg_error *err)
{
    const struct mpg_deed deed = {.kind = MPG_DEED_COMPLETE, .request = s->candidates[i].request};
    const struct mpg_pick *p = &c->pick[i];
    struct mpg_view *v = view_of(c, p->slot, w);
    v->done = v->is_new = v->fixed = true;
    mpg_choosing_take(c, v->serial ? v->serial : c->view_serial[p->slot], w);
    c->done_count++;
    c->early = true;
    return note(c, s, w, &deed, err);
}

/* A test that failed, and needs all: in lane W it completes them if they have arrived. */
static int retry_whole(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                       struct mpg_error *err)
{
    const uint32_t n = s->candidate_number;
    bool done = true, there = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        done = done && p->done;
        there = there && (p->done || p->at_ns <= now_ns + MPG_ROUNDING_NS);
    }
    for (uint32_t i = 0; i < n && there && !done; i++)
        if (!c->pick[i].done && complete_early(c, s, i, w, err) < 0)
            return -1;
    c->vanishes[w] = c->vanishes[w] || done;
    c->counts.tests_saved += done;
    c->counts.tests_early += there && !done;
    return 0;
}

/* A test that failed: in lane W it completes what has arrived, the first or all. */
static int retry_test(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    const uint32_t n = s->candidate_number;
    for (uint32_t i = 0; i < n; i++)
        if (c->pick[i].done) {
            c->vanishes[w] = true;
            c->counts.tests_saved++;
            return 0;
        }
    bool any = false;
    for (uint32_t i = 0; i < n && (!any || s->completes_all); i++)
        if (c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (complete_early(c, s, i, w, err) < 0)
                return -1;
            any = true;
        }
    c->counts.tests_early += any;
    return 0;
}

/* ---- all that is there ---- */

static int compare_owed(const void *a, const void *b)
{
    const struct mpg_owed *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* In lane W S, which entered NOW_NS, completes what had arrived by UNTIL_NS; what it lacks, the
 * portions that follow wait for. */
static int leave_for_later(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                           double now_ns, double until_ns, struct mpg_error *err)
{
    struct mpg_owed *owed = mpg_portions_owe(c->portions, s, w, err);
    uint32_t k = 0;
    if (!owed)
        return -1;
    c->unsaid = c->unsaid || w == 0;
    for (uint32_t i = 0; i < s->candidate_number; i++) {
        const struct mpg_pick *p = &c->pick[i];
        if (!p->completed)
            continue;
        identify(c, p, w);
        const struct mpg_view *v = view_of(c, p->slot, w);
        const bool is_late = !p->done && p->at_ns > until_ns + MPG_ROUNDING_NS;
        if (is_late)
            owed[k] = (struct mpg_owed){p->at_ns, v->cause_ns, v->sequence.source, v->answered};
        k++;
        c->arrivals.move(c->arrivals.context, p, w, is_late ? fmax(now_ns, until_ns) : p->at_ns,
                         !is_late);
    }
    qsort(owed, s->portions, sizeof *owed, compare_owed);
    return 0;
}

/* S may complete fewer than the trace did, or more: what has arrived in lane W, or, where nothing
 * has, what arrives first. */
static int take_all(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                    struct mpg_error *err)
{
    const uint32_t n = s->candidate_number;
    double first_ns = INFINITY, last_ns = -INFINITY;
    bool any_left = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        any_left = any_left || (p->completed && !p->done);
        first_ns = p->completed ? fmin(first_ns, p->done ? -INFINITY : p->at_ns) : first_ns;
        last_ns = p->completed && !p->done ? fmax(last_ns, p->at_ns) : last_ns;
    }
    for (uint32_t i = 0; i < n && any_left; i++) /* a call that is made takes all */
        if (!c->pick[i].completed && !c->pick[i].done && c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (complete_early(c, s, i, w, err) < 0)
                return -1;
            c->others[w] = true;
        }
    const double until_ns = fmax(first_ns, now_ns);
    if (s->portions == 0 || last_ns <= until_ns + MPG_ROUNDING_NS)
        return 0;
    c->others[w] = true;
    return leave_for_later(c, s, w, now_ns, until_ns, err);
}

/* ---- what others do in its place ---- */

/* As many as the trace completed, in lane W. */
static int choose_again(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                        struct mpg_error *err)
{
    const uint32_t n = s->candidate_number;
    struct mpg_pick *pick = c->pick;
    uint32_t completed = 0, out = 0;
    for (uint32_t i = 0; i < n; i++)
        completed += pick[i].completed;
    for (uint32_t k = 0; k < completed; k++)
        pick[next_pick(pick, n, now_ns)].taken = true;
    for (uint32_t in = 0; in < n; in++) {
        if (!pick[in].taken || pick[in].completed)
            continue;
        while (pick[out].taken || !pick[out].completed)
            out++;
        const struct mpg_deed deed = {.kind = MPG_DEED_EXCHANGE,
                                      .request = s->candidates[out].request,
                                      .other = s->candidates[in].request};
        exchange(c, &pick[out], &pick[in], w);
        if (note(c, s, w, &deed, err) < 0)
            return -1;
        out++;
        c->others[w] = true;
        if (view_of(c, pick[in].slot, w)->serial != c->view_serial[pick[in].slot] &&
            note_moved(c, s->rank, pick[in].slot, err) < 0)
            return -1;
    }
    return s->completes_all ? take_all(c, s, w, now_ns, err) : 0;
}

static int choose_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                          bool is_test, struct mpg_error *err)
{
    for (uint32_t i = 0; i < s->candidate_number; i++) {
        struct mpg_pick *p = &c->pick[i];
        const struct mpg_view *v = view_of(c, p->slot, w);
        const bool is_own = v->serial == 0 || v->serial == c->view_serial[p->slot];
        p->at_ns = p->base_ns + p->value[w] + (is_own ? p->raised_ns : 0);
        p->done = v->done;
        p->taken = false;
        p->sequence = v->serial ? v->sequence : p->own;
    }
    mpg_picks_keep_order(c->pick, s->candidate_number, c->order);
    if (!is_test)
        return choose_again(c, s, w, now_ns, err);
    return s->needs_all ? retry_whole(c, s, w, now_ns, err) : retry_test(c, s, w, now_ns, err);
}

/* Calls that complete only what an earlier test has completed take no time either. */
static void skip_done(struct mpg_choosing *c, const struct mpg_step *s)
{
    if (c->done_count == 0 || s->edge_number == 0)
        return;
    for (uint32_t w = 0; w < c->n; w++) {
        bool all = true;
        for (uint32_t i = 0; i < s->edge_number && all; i++)
            all = s->edges[i].is_view && view_of(c, s->edges[i].slot, w)->done;
        c->vanishes[w] = c->vanishes[w] || all;
    }
}

/* In the first lane S takes message ID in place of its own: said of a receive without a request. */
static int note_taken(struct mpg_choosing *c, const struct mpg_step *s, uint64_t id,
                      struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(s->call);
    const struct mpg_letter *m = mpg_inbox_find(&c->inbox, id);
    if (!m || (kind != MPG_KIND_RECV && kind != MPG_KIND_SENDRECV)) {
        c->unsaid = true;
        return 0;
    }
    const struct mpg_deed taking = {.kind = MPG_DEED_TAKE,
                                    .source = m->sender->source,
                                    .tag = m->tag,
                                    .bytes = (int64_t)m->bytes};
    return note(c, s, 0, &taking, err);
}

/* What is completed by what an open receive took, here: it is another one's. */
static int find_others(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    for (uint32_t i = 0; i < s->edge_number && s->receive_number > 0; i++)
        for (uint32_t w = 0; s->edges[i].is_view && w < c->n; w++) {
            const struct mpg_view *v = view_of(c, s->edges[i].slot, w);
            const bool is_open = s->edges[i].kind == MPG_EDGE_ARRIVAL && !v->fixed;
            const bool is_other = is_open && v->serial && v->serial != s->edges[i].message;
            c->others[w] = c->others[w] || is_other;
            if (is_other && w == 0 && note_taken(c, s, v->serial, err) < 0)
                return -1;
        }
    for (uint32_t w = 0; w < c->n; w++)
        c->counts.picks_changed += c->others[w];
    return 0;
}

/* That the call vanishes in the first lane; or that what it does there cannot be said. */
static int note_rest(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_deed vanishing = {.kind = MPG_DEED_VANISH};
    if (c->arrivals.watch && c->unsaid && !c->broken[0])
        return mpg_error_set(err,
                             "rank %d, call %llu (MPI_%s): what it takes, finds or leaves for later in this "
                             "replica cannot be written (--deterministic keeps what the trace has)",
                             s->rank, (unsigned long long)s->number, mpg_call_name(s->call));
    return c->vanishes[0] ? note(c, s, 0, &vanishing, err) : 0;
}

/* ---- answers ---- */

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
        struct mpg_view *v = view_of(c, slot, w);
        if (v->serial == 0 || v->serial == c->view_serial[slot] || v->answered ||
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

/* The same of what a call left for a portion that has not begun. */
static void answer_owed(struct mpg_choosing *c, const struct mpg_step *s,
                        const struct mpg_sent *sent, double base_ns, const double *value)
{
    bool flies = false;
    for (uint32_t w = 0; w < c->n; w++) {
        struct mpg_owed *owed;
        for (uint32_t i = 0; (owed = mpg_portions_open(c->portions, s->stream, w, i)); i++) {
            if (owed->at_ns == -INFINITY || owed->answered || owed->source != sent->origin.to)
                continue;
            owed->answered = true;
            c->counts.answers++;
            if (!flies)
                c->arrivals.fly(c->arrivals.context, s, sent, c->flight_ns);
            flies = true;
            if (base_ns + value[w] + c->flight_ns[w] < owed->cause_ns - MPG_ROUNDING_NS)
                c->broken[w] = true;
        }
    }
}

static void find_answers(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                         const double *value)
{
    for (uint32_t k = 0; k < s->sent_number; k++)
        answer_owed(c, s, &s->sent[k], base_ns, value);
    for (uint32_t i = 0; i < c->moved_count; i++)
        for (uint32_t k = 0; c->moved[i].rank == s->rank && k < s->sent_number; k++)
            answer_in_lanes(c, s, &s->sent[k], c->moved[i].slot, base_ns, value);
    for (uint32_t k = 0; k < s->sent_number; k++)
        mpg_choosing_answer(c, s, &s->sent[k], base_ns, value);
}

/* ---- what evaluators call ---- */

int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err)
{
    bool is_test = true;
    c->early = c->unsaid = false;
    memset(c->vanishes, 0, c->n * sizeof *c->vanishes);
    memset(c->others, 0, c->n * sizeof *c->others);
    find_answers(c, s, base_ns, value);
    if (mpg_choosing_decide(c, s, base_ns, value, err) < 0)
        return -1;
    if (s->candidate_number > 0 && list_candidates(c, s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->candidate_number; i++)
        is_test = is_test && !s->candidates[i].completed;
    for (uint32_t w = 0; s->candidate_number > 0 && w < c->n; w++)
        if (!c->keeps[w] && !c->broken[w] && choose_in_lane(c, s, w, base_ns + value[w], is_test, err) < 0)
            return -1;
    skip_done(c, s);
    if (find_others(c, s, err) < 0)
        return -1;
    return note_rest(c, s, err);
}

void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s)
{
    mpg_portions_leave(c->portions, s);
    for (uint32_t i = 0; i < s->candidate_number && c->early; i++)
        for (uint32_t w = 0; w < c->n; w++)
            view_of(c, s->candidates[i].arrival.slot, w)->is_new = false;
    if (s->looking.takes && s->looking.found)
        mpg_choosing_matched(c, s->looking.found);
    for (uint32_t i = 0; i < s->edge_number && !mpg_call_is_probe(s->call); i++) {
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && s->edges[i].is_followed)
            mpg_choosing_taken(c, &s->edges[i]);
        if (!s->edges[i].is_view)
            continue;
        forget_moved(c, s->edges[i].slot);
        for (uint32_t w = 0; w < c->n && c->done_count > 0; w++) {
            struct mpg_view *v = view_of(c, s->edges[i].slot, w);
            c->done_count -= v->done;
            v->done = false;
        }
    }
}

int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    void *views = c->view, *serials = c->view_serial;
    int status = mpg_vectors_reserve(&views, c->n * sizeof *c->view, &c->view_capacity,
                                     s->slot + 1, err) < 0 ||
                 mpg_vectors_reserve(&serials, sizeof *c->view_serial, &c->serial_capacity,
                                     s->slot + 1, err) < 0;
    c->view = views;
    c->view_serial = serials;
    if (status)
        return -1;
    forget_moved(c, s->slot);
    c->view_serial[s->slot] = s->message;
    memset(view_of(c, s->slot, 0), 0, c->n * sizeof *c->view);
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
    c->flight_ns = calloc(lanes, sizeof *c->flight_ns);
    c->portions = mpg_portions_new(lanes, err);
    if (!c->keeps || !c->broken || !c->vanishes || !c->others || !c->flight_ns || !c->portions)
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
    free(c->flight_ns);
    free(c->view);
    free(c->view_serial);
    free(c->pick);
    free(c->order);
    free(c->moved);
    mpg_portions_free(c->portions);
    free(c);
}

size_t mpg_choosing_view_bytes(void)
{
    return sizeof(struct mpg_view) + mpg_inbox_letter_bytes();
}

void mpg_choices_add(struct mpg_choices *sum, const struct mpg_choices *c)
{
    sum->picks_changed += c->picks_changed;
    sum->tests_early += c->tests_early;
    sum->tests_saved += c->tests_saved;
    sum->answers += c->answers;
}

uint32_t mpg_choosing_broken(const struct mpg_choosing *c)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < c->n; w++)
        count += c->broken[w];
    return count;
}
