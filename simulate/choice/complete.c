/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls with candidates. In each lane, a call completes as many messages as in the trace; a test that failed in the trace
 * completes messages that have arrived (docs/MODEL.md, section 6: A call that completed, Waitsome and Testsome, A test
 * that failed, A Parrived). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* ---- candidates ---- */

static int reserve_candidates(struct mpg_choosing *c, uint32_t n, struct mpg_error *err)
{
    uint32_t picks = c->pick_capacity, order = picks, candidate_keys = picks, times = picks;
    if (mpg_reserve_at(&c->pick, sizeof *c->pick, &picks, n, err) < 0 ||
        mpg_reserve_at(&c->order, sizeof *c->order, &order, n, err) < 0 ||
        mpg_reserve_at(&c->candidate_key, sizeof *c->candidate_key, &candidate_keys, n, err) < 0 ||
        mpg_reserve_at(&c->at_ns, sizeof *c->at_ns, &times, n, err) < 0)
        return -1;
    c->pick_capacity = picks;
    return 0;
}

void mpg_choosing_describe(struct mpg_choosing *c, const struct mpg_step *s, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const struct mpg_candidate *x = &s->alternatives->candidates[i];
        const struct mpg_edge *e = x->arrival;
        const struct mpg_pending *m = e->is_followed ? mpg_unexpected_find(&c->unexpected, e->message) : NULL;
        struct mpg_pick *p = &c->pick[i]; /* mpg_choosing_fill() sets the fields of a lane */
        p->slot = e->slot;
        p->own = (struct mpg_sequence){e->source, x->comm, x->tag, e->message, x->is_eager};
        p->base_ns = p->cause_ns = p->raised_ns = p->traced_ns = 0;
        p->bound_ns = m ? m->raised_ns : 0;
        p->completed = x->completed;
    }
    c->arrivals.place(c->arrivals.context, s, begin, end, c->pick);
}

/* Returns the candidate that arrived last in the trace. If S is a failed test of all candidates, S came before this arrival. */
static uint32_t find_last(const struct mpg_step *s, const struct mpg_pick *pick)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < s->alternatives->candidate_number; i++)
        if (pick[i].traced_ns + pick[i].bound_ns >= pick[last].traced_ns + pick[last].bound_ns)
            last = i;
    return last;
}

/* Returns the conclusions from S about arrivals in the trace. FIRST: the first candidate completed by S (the number of
 * candidates: none). LAST_NS: the latest arrival of the completed candidates (-INFINITY: none). */
static struct mpg_lateness lateness_of(const struct mpg_step *s, uint32_t first, double last_ns)
{
    const uint32_t n = s->alternatives->candidate_number;
    const bool was_unexpected = last_ns <= s->enter_ns;
    const bool arrived_together = s->alternatives->completes_all && !was_unexpected;
    return (struct mpg_lateness){.end = was_unexpected && !s->alternatives->completes_all ? first : n,
                                 .one = n,
                                 .after_ns = fmax(last_ns, s->enter_ns) + MPG_TICK_NS,
                                 .together_ns = arrived_together ? last_ns : -INFINITY};
}

/* Raises t(A) of the I-th of N candidates: messages that the call could have completed, but did not complete, had not
 * arrived; messages completed together by a waiting call arrived together. */
static void raise(struct mpg_pick *p, uint32_t i, uint32_t n, const struct mpg_lateness *x)
{
    const bool is_late = !p->completed && i < x->end && (x->one == n || i == x->one);
    const double min_ns = is_late ? x->after_ns : p->completed ? fmax(x->together_ns, p->traced_ns) : p->traced_ns;
    p->raised_ns = fmax(p->bound_ns, min_ns - p->traced_ns);
}

/* Raises t(A) of all candidates of S. */
static void raise_all(const struct mpg_step *s, struct mpg_pick *pick)
{
    const uint32_t n = s->alternatives->candidate_number;
    double last_ns = -INFINITY;
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++)
        if (pick[i].completed) {
            last_ns = fmax(last_ns, pick[i].traced_ns + pick[i].bound_ns);
            first = i < first ? i : first;
        }
    struct mpg_lateness x = lateness_of(s, first, last_ns);
    if (s->alternatives->needs_all)
        x.one = find_last(s, pick);
    for (uint32_t i = 0; i < n; i++)
        raise(&pick[i], i, n, &x);
}

void mpg_choosing_fill(struct mpg_choosing *c, uint32_t i, uint32_t w)
{
    struct mpg_pick *p = &c->pick[i];
    const struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
    const bool is_own = v->serial == 0 || v->serial == c->view_serial[p->slot];
    p->start_ns = v->serial ? v->cause_ns : p->cause_ns + p->cause[w];
    const double at_ns = p->base_ns + p->value[w] + (is_own ? p->raised_ns : 0);
    const bool early = p->start_ns > at_ns;
    p->at_ns = early ? p->start_ns : at_ns;
    p->came = (struct mpg_arrival_origin){p->slot, early, early ? p->cause[w] : p->value[w]};
    p->done = v->done;
    p->taken = false;
    p->sequence = v->serial ? v->sequence : p->own;
}

/* ---- messages on a channel arrive in order (docs/MODEL.md, Where messages arrive) ---- */

int mpg_choosing_compare_channels(const struct mpg_sequence *a, const struct mpg_sequence *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_sequences(const void *x, const void *y)
{
    const struct mpg_pick *p = *(struct mpg_pick *const *)x, *q = *(struct mpg_pick *const *)y;
    const struct mpg_sequence *a = &p->sequence, *b = &q->sequence;
    const int order = mpg_choosing_compare_channels(a, b);
    if (order != 0)
        return order;
    return (a->id > b->id) - (a->id < b->id);
}

/* Returns the candidate with the later arrival; of equal arrivals SECOND. */
static const struct mpg_pick *later(const struct mpg_pick *first, const struct mpg_pick *second)
{
    return first && first->at_ns > second->at_ns ? first : second;
}

/* Raises at_ns so that no candidate arrives before the preceding eager candidates on the channel, unless in this call the
 * trace completes the candidate but not the preceding candidate. Sets `before`. ORDER: memory for N candidates. */
static void keep_order(struct mpg_pick *pick, uint32_t n, struct mpg_pick **order)
{
    const struct mpg_pick *any = NULL, *completed = NULL; /* latest arrivals on the channel up to here */
    for (uint32_t i = 0; i < n; i++)
        order[i] = &pick[i];
    qsort(order, n, sizeof(struct mpg_pick *), compare_sequences);
    for (uint32_t i = 0; i < n; i++) {
        struct mpg_pick *p = order[i];
        if (i > 0 && mpg_choosing_compare_channels(&p->sequence, &order[i - 1]->sequence) != 0)
            any = completed = NULL;
        p->before = p->completed ? completed : any;
        if (p->before && p->before->at_ns > p->at_ns) {
            p->at_ns = p->before->at_ns;
            p->came = p->before->came;
        }
        if (!p->sequence.is_eager)
            continue;
        any = later(any, p);
        completed = p->completed ? later(completed, p) : completed;
    }
}

/* ---- completions in a lane ---- */

/* Lets S complete the I-th candidate, not completed by S in the trace, in lane W. */
static int complete_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
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

/* Lets S complete candidate IN, instead of OUT, in lane W. */
static int replace(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, uint32_t out, uint32_t in,
                         struct mpg_error *err)
{
    struct mpg_pick *pick = c->pick;
    const struct mpg_match_override override = {.kind = MPG_OVERRIDE_EXCHANGE,
                                  .request = s->alternatives->candidates[out].request,
                                  .other = s->alternatives->candidates[in].request};
    mpg_choosing_exchange(c, &pick[out], &pick[in], w);
    if (mpg_choosing_note(c, s, w, &override, err) < 0)
        return -1;
    c->others[w] = true;
    return mpg_choosing_view_of(c, pick[in].slot, w)->serial != c->view_serial[pick[in].slot]
               ? mpg_choosing_note_moved(c, s->rank, pick[in].slot, err)
               : 0;
}

/* ---- calls that completed candidates ---- */

/* For S, a Waitsome or Testsome, which completes all messages that have arrived: completes in lane W, besides as many
 * candidates as in the trace, all other candidates that arrive by NOW_NS, the time when the lane enters S. */
static int take_more(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                           struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    bool is_made = false;
    for (uint32_t i = 0; i < n; i++)
        is_made = is_made || (c->pick[i].completed && !c->pick[i].done);
    for (uint32_t i = 0; i < n && is_made; i++)
        if (!c->pick[i].completed && !c->pick[i].done && c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (complete_early(c, s, i, w, err) < 0)
                return -1;
            c->others[w] = true;
        }
    return 0;
}

/* Returns the next candidate: a done candidate, else the first in the list that arrives by NOW_NS, else the earliest. */
static uint32_t next_pick(const struct mpg_pick *pick, uint32_t n, double now_ns)
{
    uint32_t arrived = n, min = n;
    double min_ns = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        if (pick[i].taken)
            continue;
        if (pick[i].done)
            return i;
        if (arrived == n && pick[i].at_ns <= now_ns + MPG_ROUNDING_NS)
            arrived = i;
        min_ns = fmin(min_ns, pick[i].at_ns);
    }
    for (uint32_t i = 0; arrived == n && i < n; i++) {
        if (pick[i].taken || pick[i].at_ns > min_ns + MPG_ROUNDING_NS)
            continue;
        if (pick[i].before && !pick[i].before->taken)
            continue; /* the preceding candidate on the channel does not arrive later */
        if (min == n || (pick[i].completed && !pick[min].completed))
            min = i;
    }
    return arrived < n ? arrived : min;
}

/* Lets S, entered at NOW_NS, complete as many candidates in lane W as in the trace. */
static int pick_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
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
        if (replace(c, s, w, out++, in, err) < 0)
            return -1;
    }
    return s->alternatives->completes_all ? take_more(c, s, w, now_ns, err) : 0;
}

/* ---- tests that failed ---- */

/* For S, which completes all candidates or none: completes all in lane W if all have arrived. */
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
        if (!c->pick[i].done && complete_early(c, s, i, w, err) < 0)
            return -1;
    c->skips[w] = c->skips[w] || done;
    c->counts.tests_saved += done;
    c->counts.tests_early += there && !done;
    return 0;
}

/* Lets S complete, in lane W, the first candidate that has arrived, or all arrived candidates. */
static int retry_some(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    for (uint32_t i = 0; i < n; i++)
        if (c->pick[i].done) {
            c->skips[w] = true;
            c->counts.tests_saved++;
            return 0;
        }
    bool any = false;
    for (uint32_t i = 0; i < n && (!any || s->alternatives->completes_all); i++)
        if (c->pick[i].at_ns <= now_ns + MPG_ROUNDING_NS) {
            if (complete_early(c, s, i, w, err) < 0)
                return -1;
            any = true;
        }
    c->counts.tests_early += any;
    return 0;
}

static int retry(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
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
        c->skips[w] = c->skips[w] || all;
    }
}

/* ---- MPI_Parrived that failed in the trace and succeeds in a lane ---- */

/* Writes the key, for c->arrived, of the partition tested by S. */
static void make_key(const struct mpg_step *s, uint64_t key[2])
{
    key[0] = (uint64_t)(uint32_t)s->rank << 32 | (uint32_t)s->alternatives->parrived.partition;
    key[1] = (uint64_t)s->alternatives->parrived.request;
}

static int answer(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                     struct mpg_error *err)
{
    const struct mpg_pick *p = &c->pick[0];
    uint64_t key[2];
    make_key(s, key);
    uint64_t *arrived = mpg_choosing_find_early(&c->arrived, key);
    if (p->done || (arrived && arrived[w])) {
        c->skips[w] = true;
        c->counts.tests_saved++;
        return 0;
    }
    if (p->at_ns > now_ns + MPG_ROUNDING_NS)
        return 0;
    if (!arrived && !(arrived = mpg_choosing_add_early(&c->arrived, key, c->n, err)))
        return -1;
    arrived[w] = true;
    c->counts.tests_early++;
    c->lacks_override = c->lacks_override || w == 0;
    return 0;
}

void mpg_choosing_skip_parrived(struct mpg_choosing *c, const struct mpg_step *s)
{
    uint64_t key[2];
    make_key(s, key);
    uint64_t *arrived = s->alternatives->parrived.found ? mpg_choosing_find_early(&c->arrived, key) : NULL;
    if (!arrived)
        return;
    for (uint32_t w = 0; w < c->n; w++)
        c->skips[w] = c->skips[w] || arrived[w];
    mpg_map_remove(&c->arrived, key[0], key[1]);
    free(arrived);
}

/* ---- long lists of candidates, of which calls complete one at a time, or none in a test. If all messages are on different
 * channels, no message delays another, and arrival times alone decide ---- */

/* Maximum number of candidates that differ from the trace in a lane; with more, the general functions above decide. */
enum { MAX_ALTERED = 64 };

/* State of the candidates in a lane. */
struct lane_candidates {
    uint32_t altered_number, altered[MAX_ALTERED]; /* candidates that differ from the trace */
    uint32_t done;    /* index of the first done candidate; the number of candidates: none */
    uint32_t arrived; /* index of the first candidate that has arrived; the number of candidates: none */
    double min_ns;    /* the earliest arrival, ns */
};

static int compare_own(const void *x, const void *y)
{
    const struct mpg_pick *p = *(struct mpg_pick *const *)x, *q = *(struct mpg_pick *const *)y;
    return mpg_choosing_compare_channels(&p->own, &q->own);
}

/* Sorts the N candidates by the channels of their messages in the trace. Returns whether all channels differ. */
static bool sort_by_channel(struct mpg_choosing *c, uint32_t n)
{
    bool is_sorted = true, differ = true;
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = &c->pick[i];
        is_sorted = is_sorted && (i == 0 || mpg_choosing_compare_channels(&c->pick[i - 1].own, &c->pick[i].own) < 0);
    }
    if (!is_sorted)
        qsort(c->order, n, sizeof(struct mpg_pick *), compare_own);
    for (uint32_t i = 1; i < n && !is_sorted && differ; i++)
        differ = compare_own(&c->order[i - 1], &c->order[i]) != 0;
    return differ;
}

/* Returns the candidate whose traced message is on the channel of SEQUENCE; N: none. */
static uint32_t find_channel(const struct mpg_choosing *c, uint32_t n, const struct mpg_sequence *sequence)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, i = c->candidate_key[middle].in_order;
        const int order = mpg_choosing_compare_channels(&c->pick[i].own, sequence);
        if (order == 0)
            return i;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return n;
}

/* Prepares the fast path, and returns whether the path applies: all channels differ, and S completes a single candidate,
 * or is a failed test that needs only some candidates. */
static bool prepare_fast_path(struct mpg_choosing *c, const struct mpg_step *s, bool is_test)
{
    const struct mpg_alternatives *a = s->alternatives;
    const uint32_t n = a->candidate_number;
    uint32_t completed = 0;
    for (uint32_t i = 0; i < n; i++)
        completed += c->pick[i].completed;
    const bool takes_one = completed == 1 && !a->completes_all;
    if (a->parrived.asks || !(is_test ? !a->needs_all : takes_one) || !sort_by_channel(c, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        c->candidate_key[i] = (struct mpg_candidate_key){.value = p->value,
                                                         .cause = p->cause,
                                                         .base_ns = p->base_ns,
                                                         .raised_ns = p->raised_ns,
                                                         .cause_ns = p->cause_ns,
                                                         .slot = p->slot,
                                                         .in_order = (uint32_t)(c->order[i] - c->pick)};
    }
    return true;
}

/* Returns whether, in lane W, each message that differs from the trace is alone on its channel. */
static bool have_own_channels(const struct mpg_choosing *c, uint32_t n, uint32_t w, const struct lane_candidates *lane_candidates)
{
    const struct mpg_sequence *sequence[MAX_ALTERED];
    for (uint32_t k = 0; k < lane_candidates->altered_number; k++) {
        const struct mpg_pick *p = &c->pick[lane_candidates->altered[k]];
        const struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
        sequence[k] = v->serial ? &v->sequence : &p->own;
        const uint32_t same = find_channel(c, n, sequence[k]);
        if (same < n && !mpg_choosing_is_altered(c, c->candidate_key[same].slot, w))
            return false;
        for (uint32_t before = 0; before < k; before++)
            if (mpg_choosing_compare_channels(sequence[before], sequence[k]) == 0)
                return false;
    }
    return true;
}

/* Finds the state of the N candidates in lane W at NOW_NS: sets LANE_CANDIDATES, and c->at_ns to the arrivals. Returns
 * false if more than MAX_ALTERED candidates differ from the trace. */
static bool look(struct mpg_choosing *c, uint32_t n, uint32_t w, double now_ns, struct lane_candidates *lane_candidates)
{
    *lane_candidates = (struct lane_candidates){.done = n, .arrived = n, .min_ns = INFINITY};
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_candidate_key *g = &c->candidate_key[i];
        const double start_ns = g->cause_ns + g->cause[w], end_ns = g->base_ns + g->value[w] + g->raised_ns;
        double at_ns = start_ns > end_ns ? start_ns : end_ns;
        if (mpg_choosing_is_altered(c, g->slot, w)) {
            mpg_choosing_fill(c, i, w);
            at_ns = c->pick[i].at_ns;
            if (lane_candidates->altered_number == MAX_ALTERED)
                return false;
            lane_candidates->altered[lane_candidates->altered_number++] = i;
            lane_candidates->done = c->pick[i].done && lane_candidates->done == n ? i : lane_candidates->done;
        }
        c->at_ns[i] = at_ns;
        lane_candidates->arrived = lane_candidates->arrived == n &&
            at_ns <= now_ns + MPG_ROUNDING_NS ? i : lane_candidates->arrived;
        lane_candidates->min_ns = at_ns < lane_candidates->min_ns ? at_ns : lane_candidates->min_ns;
    }
    return true;
}

/* Among the candidates that arrive at MIN_NS, the earliest time, returns the first completed in the trace, or else the first. */
static uint32_t first_of(const struct mpg_choosing *c, uint32_t n, double min_ns)
{
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++)
        if (c->at_ns[i] <= min_ns + MPG_ROUNDING_NS && (first == n || (c->pick[i].completed && !c->pick[first].completed)))
            first = i;
    return first;
}

/* Completes candidate IN of S in lane W instead of OUT, which the trace completes. */
static int take_one(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, uint32_t out, uint32_t in,
                    struct mpg_error *err)
{
    mpg_choosing_fill(c, in, w);
    mpg_choosing_fill(c, out, w);
    return replace(c, s, w, out, in, err);
}

/* Completes a candidate of S in lane W: the first done candidate, otherwise the first that has arrived, otherwise the
 * earliest of LANE_CANDIDATES. */
static int take_seen(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, const struct lane_candidates *lane_candidates,
                     struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    const uint32_t in = lane_candidates->done < n ? lane_candidates->done : lane_candidates->arrived < n
        ? lane_candidates->arrived : first_of(c, n, lane_candidates->min_ns);
    uint32_t out = 0;
    while (!c->pick[out].completed)
        out++;
    return in == out ? 0 : take_one(c, s, w, out, in, err);
}

/* Lets lane W skip a test, because an earlier test has completed a candidate. */
static void skip_test(struct mpg_choosing *c, uint32_t w)
{
    c->skips[w] = true;
    c->counts.tests_saved++;
}

/* For a test: completes the first candidate that has arrived, or all arrived candidates; lanes with a done candidate skip
 * the test. */
static int retry_seen(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                      const struct lane_candidates *lane_candidates,
                 struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    if (lane_candidates->done < n) {
        skip_test(c, w);
        return 0;
    }
    const uint32_t end = s->alternatives->completes_all || lane_candidates->arrived == n ? n : lane_candidates->arrived + 1;
    for (uint32_t i = lane_candidates->arrived; i < end; i++)
        if (c->at_ns[i] <= now_ns + MPG_ROUNDING_NS && complete_early(c, s, i, w, err) < 0)
            return -1;
    c->counts.tests_early += lane_candidates->arrived < n;
    return 0;
}

/* Does the work of retry() and pick_in_lane() in lane W, but faster. Sets *IS_DONE to false if the fast path does not
 * apply: two messages share a channel, or too many candidates differ from the trace. */
static int look_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, bool is_test, bool *is_done,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    struct lane_candidates lane_candidates;
    *is_done = look(c, n, w, now_ns, &lane_candidates) && have_own_channels(c, n, w, &lane_candidates);
    if (!*is_done)
        return 0;
    return is_test ? retry_seen(c, s, w, now_ns, &lane_candidates, err) : take_seen(c, s, w, &lane_candidates, err);
}

/* ---- fast path for lists that are kept between calls (long_list.h) ---- */

/* Sets the fields of candidate I of S that are equal for all lanes, including raised_ns. */
static void describe_raised(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, const struct mpg_lateness *lateness)
{
    mpg_choosing_describe(c, s, i, i + 1);
    if (lateness)
        raise(&c->pick[i], i, s->alternatives->candidate_number, lateness);
}

/* Completes a candidate of S in the lane of Q; OUT: the candidate completed in the trace. */
static int take_listed(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_long_question *q,
                       struct mpg_long_list *list, uint32_t out, double now_ns, struct mpg_error *err)
{
    uint32_t position = mpg_long_list_first_done(q);
    if (position == UINT32_MAX)
        position = mpg_long_list_first(q, now_ns + MPG_ROUNDING_NS, 0);
    if (position == UINT32_MAX)
        position = mpg_long_list_earliest(q);
    const uint32_t in = mpg_long_list_index(list, position);
    if (in == out)
        return 0;
    describe_raised(c, s, in, q->lateness);
    describe_raised(c, s, out, q->lateness);
    if (take_one(c, s, q->w, out, in, err) < 0)
        return -1;
    mpg_long_list_remains_free(list, q->w);
    return 0;
}

/* For test S: completes in the lane of Q the first candidate that has arrived, or all arrived candidates. */
static int retry_listed(struct mpg_choosing *c, const struct mpg_step *s, const struct mpg_long_question *q, double now_ns,
                        struct mpg_error *err)
{
    const double limit_ns = now_ns + MPG_ROUNDING_NS;
    if (mpg_long_list_first_done(q) != UINT32_MAX) {
        skip_test(c, q->w);
        return 0;
    }
    uint32_t position = mpg_long_list_first(q, limit_ns, 0);
    c->counts.tests_early += position != UINT32_MAX;
    while (position != UINT32_MAX) {
        const uint32_t i = mpg_long_list_index(q->list, position);
        describe_raised(c, s, i, q->lateness);
        if (complete_early(c, s, i, q->w, err) < 0)
            return -1;
        position = s->alternatives->completes_all ? mpg_long_list_first(q, limit_ns, position + 1) : UINT32_MAX;
    }
    return 0;
}

/* ---- selection among kept list, fast path and general functions ---- */

/* The lanes' method to find the candidates to complete. */
struct method {
    bool is_test;
    bool is_described, looks;   /* is_described: all candidates are described; looks: the fast path applies */
    struct mpg_long_list *list; /* the kept list; NULL: none */
    uint32_t completed;         /* with LIST: the candidate completed in the trace */
    struct mpg_lateness lateness;
    struct mpg_long_question question;
};

/* Describes all candidates of S, for lanes without a list. */
static void describe_all(struct mpg_choosing *c, const struct mpg_step *s, struct method *m)
{
    if (m->is_described)
        return;
    mpg_choosing_describe(c, s, 0, s->alternatives->candidate_number);
    if (c->arrivals.is_bounded)
        raise_all(s, c->pick);
    m->is_described = true;
    m->looks = prepare_fast_path(c, s, m->is_test);
}

/* Sets `list` and the search of M if lanes can use a list for S. S completes COMPLETED candidates in the trace; FIRST is
 * the first of these. Returns 0, or -1 with ERR: out of memory. */
static int begin_list(struct mpg_choosing *c, const struct mpg_step *s, uint32_t first, uint32_t completed, struct method *m,
                      struct mpg_error *err)
{
    const struct mpg_alternatives *a = s->alternatives;
    const bool takes_one = completed == 1 && !a->completes_all;
    if (a->parrived.asks || !(m->is_test ? !a->needs_all : takes_one))
        return 0;
    if (mpg_long_lists_take(c, s, &m->list, err) < 0)
        return -1;
    if (!m->list)
        return 0;
    double last_ns = -INFINITY;
    if (!m->is_test) {
        mpg_choosing_describe(c, s, first, first + 1);
        last_ns = c->pick[first].traced_ns + c->pick[first].bound_ns;
    }
    m->completed = first;
    m->lateness = lateness_of(s, first, last_ns);
    m->question = mpg_long_list_query(c, m->list, s, c->arrivals.is_bounded ? &m->lateness : NULL, first);
    return 0;
}

static int choose_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, struct method *m,
                          struct mpg_error *err)
{
    bool is_done = false;
    m->question.w = w;
    if (m->list && mpg_long_list_is_free(c, m->list, w))
        return m->is_test ? retry_listed(c, s, &m->question, now_ns, err)
                          : take_listed(c, s, &m->question, m->list, m->completed, now_ns, err);
    describe_all(c, s, m);
    if (m->looks && look_in_lane(c, s, w, now_ns, m->is_test, &is_done, err) < 0)
        return -1;
    if (is_done)
        return 0;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++)
        mpg_choosing_fill(c, i, w);
    keep_order(c->pick, s->alternatives->candidate_number, c->order);
    if (s->alternatives->parrived.asks)
        return answer(c, s, w, now_ns, err);
    if (!m->is_test)
        return pick_in_lane(c, s, w, now_ns, err);
    return retry(c, s, w, now_ns, err);
}

int mpg_choosing_complete(struct mpg_choosing *c, const struct mpg_step *s, double base_ns, const double *value,
                          struct mpg_error *err)
{
    const struct mpg_alternatives *a = s->alternatives;
    uint32_t first = a->candidate_number, completed = 0;
    if (a->candidate_number == 0)
        return 0;
    if (reserve_candidates(c, a->candidate_number, err) < 0)
        return -1;
    for (uint32_t i = a->candidate_number; i-- > 0;)
        if (a->candidates[i].completed) {
            completed++;
            first = i;
        }
    struct method m = {.is_test = completed == 0};
    if (begin_list(c, s, first, completed, &m, err) < 0)
        return -1;
    for (uint32_t w = 0; w < c->n; w++)
        if (!c->keeps[w] && !c->broken[w] && choose_in_lane(c, s, w, base_ns + value[w], &m, err) < 0)
            return -1;
    return 0;
}
