/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which messages calls complete in each lane (docs/MODEL.md, section 6). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* ---- requests with another message than in the trace in some lane (docs/MODEL.md, exchange identities) ---- */

/* Prepares view P for an exchange of messages in lane W: notes the traced message in the view, unless exchanged before. */
static void identify(const struct mpg_choosing *c, const struct mpg_pick *p, uint32_t w)
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
    const struct mpg_arrival_origin came = p->came;
    const bool done = p->done;
    identify(c, p, w);
    identify(c, q, w);
    struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w), *u = mpg_choosing_view_of(c, q->slot, w);
    struct mpg_view held = *v;
    *v = *u;
    *u = held;
    v->fixed = u->fixed = true;
    mpg_choosing_alter(c, p->slot, w);
    mpg_choosing_alter(c, q->slot, w);
    mpg_choosing_take(c, v->serial, w);
    mpg_choosing_take(c, u->serial, w);
    c->arrivals.exchange(c->arrivals.context, p, q, w);
    p->at_ns = q->at_ns;
    p->came = q->came;
    p->start_ns = q->start_ns;
    p->done = q->done;
    q->at_ns = at_ns;
    q->came = came;
    q->start_ns = start_ns;
    q->done = done;
}

int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err)
{
    if (mpg_reserve_at(&c->moved, sizeof *c->moved, &c->moved_capacity, slot + 1, err) < 0 ||
        mpg_reserve_at(&c->first_moved, sizeof *c->first_moved, &c->first_capacity, (uint32_t)rank + 1, err) < 0)
        return -1;
    struct mpg_moved *m = &c->moved[slot];
    if (m->is_moved)
        return 0;
    *m = (struct mpg_moved){.is_moved = true, .rank = rank, .next = c->first_moved[rank]};
    if (m->next)
        c->moved[m->next - 1].before = slot + 1;
    c->first_moved[rank] = slot + 1;
    return 0;
}

void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot)
{
    struct mpg_moved *m = slot < c->moved_capacity ? &c->moved[slot] : NULL;
    if (!m || !m->is_moved)
        return;
    *(m->before ? &c->moved[m->before - 1].next : &c->first_moved[m->rank]) = m->next;
    if (m->next)
        c->moved[m->next - 1].before = m->before;
    m->is_moved = false;
}

/* ---- messages to the sender of a message that the trace has completed and a lane has not (docs/MODEL.md, Answers) ---- */

/* Returns whether the trace has completed message ID, which some view has. */
static bool has_completed(const struct mpg_choosing *c, uint64_t id)
{
    const struct mpg_pending *m = mpg_unexpected_find(&c->unexpected, id);
    return !m || m->taken[c->n];
}

/* For S, which sends SENT at BASE_NS + VALUE[w] to the sender of the message in SLOT: in lanes that have not completed
 * this message, although the trace has, SENT counts as an answer. */
static void answer_in_lanes(struct mpg_choosing *c, const struct mpg_step *s,
                            const struct mpg_sent *sent, uint32_t slot, double base_ns,
                            const double *value)
{
    bool transmits = false;
    for (uint32_t w = 0; w < c->n; w++) {
        struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
        if (v->serial == 0 || v->serial == c->view_serial[slot] || v->done || v->answered ||
            v->sequence.source != sent->origin.to || !has_completed(c, v->serial))
            continue;
        v->answered = true;
        c->counts.answers++;
        if (!transmits)
            c->arrivals.transmit(c->arrivals.context, s, sent, c->flight_ns);
        transmits = true;
        if (base_ns + value[w] + c->flight_ns[w] < v->cause_ns - MPG_ROUNDING_NS)
            c->broken[w] = true;
    }
}

/* Notes that a message sent at BASE_NS + VALUE[w] may answer M, in each lane that has not taken M although the trace
 * has. */
static void answer_pending(struct mpg_choosing *c, struct mpg_pending *m, double base_ns,
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

/* S sends SENT at BASE_NS + VALUE[w]. For each pending message from SENT's receiver that a receive took in the trace, but not in
 * some lane: SENT counts as its answer in these lanes. */
static void answer_overdue(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_sent *sent,
                           double base_ns, const double *value)
{
    bool transmits = false;
    struct mpg_queue *q = mpg_unexpected_from(&c->unexpected, s->rank, sent->origin.to);
    for (; q; q = q->other)
        for (struct mpg_pending *m = q->overdue; m; m = m->next[MPG_PENDING_OVERDUE]) {
            if (!transmits)
                c->arrivals.transmit(c->arrivals.context, s, sent, c->flight_ns);
            transmits = true;
            answer_pending(c, m, base_ns, value, c->flight_ns);
        }
}

/* For each message sent by S at BASE_NS + VALUE[w], perhaps an answer: handles the messages from the receiver that lane w
 * has not completed, although the trace has. */
static void find_answers(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                               const double *value)
{
    const bool any_moved = s->sent_number > 0 && (uint32_t)s->rank < c->first_capacity;
    for (uint32_t next = any_moved ? c->first_moved[s->rank] : 0; next; next = c->moved[next - 1].next)
        for (uint32_t k = 0; k < s->sent_number; k++)
            answer_in_lanes(c, s, &s->sent[k], next - 1, base_ns, value);
    for (uint32_t k = 0; k < s->sent_number; k++)
        answer_overdue(c, s, &s->sent[k], base_ns, value);
}

/* ---- tests that succeed earlier in some lane than in the trace ---- */

uint64_t *mpg_choosing_find_early(const struct mpg_map *early, const uint64_t key[2])
{
    const uint64_t *lanes = mpg_map_find(early, key[0], key[1]);
    return lanes ? (uint64_t *)(uintptr_t)*lanes : NULL;
}

uint64_t *mpg_choosing_add_early(struct mpg_map *early, const uint64_t key[2], uint32_t n, struct mpg_error *err)
{
    uint64_t *entry = mpg_map_add(early, key[0], key[1]), *lanes = entry ? calloc(n, sizeof *lanes) : NULL;
    if (entry)
        *entry = (uint64_t)(uintptr_t)lanes;
    if (!lanes)
        mpg_error_set(err, "out of memory");
    return lanes;
}

void mpg_choosing_clear_early(struct mpg_map *early)
{
    for (size_t i = 0; i < early->capacity; i++)
        if (early->entries[i].used)
            free((void *)(uintptr_t)early->entries[i].value);
    mpg_map_clear(early);
}

/* ---- a call ---- */

/* Sets `others` of the lanes in which an MPI_ANY_SOURCE receive completed by S has taken another message than in the trace. */
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

/* Applies the changes of views by S, if S can have changed any. */
static int settle(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const bool any = s->alternatives->candidate_number + s->alternatives->receive_number > 0 || s->alternatives->probe.looks;
    return any ? c->arrivals.settle(c->arrivals.context, err) : 0;
}

/* ---- the interface to evaluators ---- */

int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err)
{
    c->early = c->lacks_override = false;
    memset(c->skips, 0, c->n * sizeof *c->skips);
    memset(c->others, 0, c->n * sizeof *c->others);
    find_answers(c, s, base_ns, value);
    if (mpg_choosing_decide(c, s, base_ns, value, err) < 0 || settle(c, s, err) < 0 ||
        mpg_choosing_complete(c, s, base_ns, value, err) < 0 || settle(c, s, err) < 0)
        return -1;
    mpg_choosing_skip_done(c, s);
    if (s->alternatives->parrived.asks)
        mpg_choosing_skip_parrived(c, s);
    find_others(c, s);
    if (mpg_choosing_note_arrivals(c, s, err) < 0)
        return -1;
    return mpg_choosing_note_rest(c, s, err) < 0 ? -1 : mpg_choosing_notify_arrivals(c, s, err);
}

void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->alternatives->candidate_number && c->early; i++)
        for (uint32_t w = 0; w < c->n; w++)
            mpg_choosing_view_of(c, s->alternatives->candidates[i].arrival->slot, w)->is_new = false;
    const struct mpg_probe *look = &s->alternatives->probe;
    if (look->looks && look->takes && look->found)
        mpg_choosing_matched(c, look->found);
    for (uint32_t i = 0; i < s->edge_number && !mpg_call_is_probe(s->call); i++) {
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL && s->edges[i].is_followed)
            mpg_choosing_taken(c, &s->edges[i]);
        if (!s->edges[i].is_view)
            continue;
        mpg_choosing_forget_moved(c, s->edges[i].slot);
        mpg_long_list_remove(c, s->edges[i].slot);
        for (uint32_t w = 0; w < c->n && c->done_count > 0; w++) {
            struct mpg_view *v = mpg_choosing_view_of(c, s->edges[i].slot, w);
            c->done_count -= v->done;
            v->done = false;
        }
    }
}

int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err)
{
    const size_t altered_bytes = mpg_choosing_words(c) * sizeof *c->altered;
    if (mpg_reserve_at(&c->view, c->n * sizeof *c->view, &c->view_capacity, s->slot + 1, err) < 0 ||
        mpg_reserve_at(&c->view_serial, sizeof *c->view_serial, &c->serial_capacity, s->slot + 1, err) < 0 ||
        mpg_reserve_at(&c->altered, altered_bytes, &c->altered_capacity, s->slot + 1, err) < 0)
        return -1;
    mpg_choosing_forget_moved(c, s->slot);
    mpg_long_list_remove(c, s->slot);
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
    c->skips = calloc(lanes, sizeof *c->skips);
    c->others = calloc(lanes, sizeof *c->others);
    c->unexpected.n = lanes;
    c->unexpected.numbers = &c->numbers;
    c->flight_ns = calloc(lanes, sizeof *c->flight_ns);
    if (!c->keeps || !c->broken || !c->skips || !c->others || !c->flight_ns)
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
    free(c->skips);
    free(c->others);
    mpg_choosing_clear_open(c);
    mpg_choosing_clear_early(&c->arrived);
    mpg_long_lists_clear(&c->lists);
    free(c->flight_ns);
    free(c->view);
    free(c->view_serial);
    free(c->pick);
    free(c->order);
    free(c->candidate_key);
    free(c->at_ns);
    free(c->altered);
    free(c->moved);
    free(c->first_moved);
    free(c);
}

uint32_t mpg_choosing_kept(const struct mpg_choosing *c, uint64_t id)
{
    return mpg_unexpected_find(&c->unexpected, id)->number;
}

void mpg_choosing_mark_kept(const struct mpg_choosing *c,
                            void (*mark)(void *context, uint32_t number, uint32_t w, bool propagated),
                            void *context)
{
    mpg_unexpected_notify_left(&c->unexpected, mark, context);
}

int32_t mpg_choosing_source(const struct mpg_choosing *c, uint32_t slot, uint32_t w, int32_t source)
{
    const struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    return v->serial ? v->sequence.source : source;
}

size_t mpg_choosing_view_bytes(void)
{
    return sizeof(struct mpg_view) + mpg_unexpected_lane_bytes();
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
