/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls with candidates. Each lane completes as many messages as the trace; tests that failed in the trace complete all
 * messages that have arrived (docs/MODEL.md, section 6: A call that completed, Waitsome and Testsome, A test that failed, A
 * Parrived). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

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
        const struct mpg_edge *e = x->arrival;
        const struct mpg_pending *m = e->is_followed ? mpg_unexpected_find(&c->unexpected, e->message) : NULL;
        struct mpg_pick *p = &c->pick[i]; /* fill() sets the fields of a lane */
        p->slot = e->slot;
        p->own = (struct mpg_sequence){e->source, x->comm, x->tag, e->message, x->is_eager};
        p->base_ns = p->cause_ns = p->raised_ns = p->traced_ns = 0;
        p->bound_ns = m ? m->raised_ns : 0;
        p->completed = x->completed;
    }
    c->arrivals.place(c->arrivals.context, s, c->pick);
    return 0;
}

/* Sets the fields of the I-th candidate for lane W, before the order of its channel is kept. */
static void fill(struct mpg_choosing *c, uint32_t i, uint32_t w)
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

/* ---- messages on a channel do not overtake (Where they arrive) ---- */

/* Compares source, communicator and tag: < 0, 0, > 0. */
static int compare_channels(const struct mpg_sequence *a, const struct mpg_sequence *b)
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
    const int order = compare_channels(a, b);
    if (order != 0)
        return order;
    return (a->id > b->id) - (a->id < b->id);
}

/* Returns the candidate with the later arrival; if equal SECOND. */
static const struct mpg_pick *later(const struct mpg_pick *first, const struct mpg_pick *second)
{
    return first && first->at_ns > second->at_ns ? first : second;
}

/* Raises at_ns so that no candidate arrives before the preceding eager candidates on the channel. Exception: the trace
 * completes the later candidate in this call and the earlier candidate not. Sets before. ORDER has room for N candidates. */
static void keep_order(struct mpg_pick *pick, uint32_t n, struct mpg_pick **order)
{
    const struct mpg_pick *any = NULL, *completed = NULL; /* latest arrivals on the channel so far */
    for (uint32_t i = 0; i < n; i++)
        order[i] = &pick[i];
    qsort(order, n, sizeof(struct mpg_pick *), compare_sequences);
    for (uint32_t i = 0; i < n; i++) {
        struct mpg_pick *p = order[i];
        if (i > 0 && compare_channels(&p->sequence, &order[i - 1]->sequence) != 0)
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

/* S completes its I-th candidate in lane W, but not in the trace. */
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

/* S completes candidate IN instead of OUT in lane W. */
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

/* ---- calls that completed something ---- */

/* S completes all messages that have arrived: in lane W also messages that arrive by NOW_NS, the enter time, beyond the picked
 * candidates. */
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

/* Returns the next candidate to take: a candidate already done; else the first in the list that arrives by NOW_NS; else the
 * earliest arrival. */
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
            continue; /* the preceding candidate on the channel arrives no later */
        if (least == n || (pick[i].completed && !pick[least].completed))
            least = i;
    }
    return arrived < n ? arrived : least;
}

/* S, entered at NOW_NS, completes as many candidates in lane W as in the trace. */
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

/* S needs all candidates: completes all in lane W if all have arrived. */
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

/* In lane W, S completes the first candidate that has arrived, or all arrived candidates. */
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

/* Writes the key of the partition that S tests. */
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
    c->unsaid = c->unsaid || w == 0;
    return 0;
}

void mpg_choosing_ask_again(struct mpg_choosing *c, const struct mpg_step *s)
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

/* The most candidates of a lane that differ from the trace; with more, the general rule decides. */
enum { MAX_ALTERED = 64 };

/* The candidates as a lane sees them. */
struct sight {
    uint32_t altered_number, altered[MAX_ALTERED]; /* candidates that differ from the trace */
    uint32_t done;    /* index of the first done candidate; number of candidates: none */
    uint32_t arrived; /* index of the first arrived candidate; number of candidates: none */
    double least_ns;  /* the earliest arrival */
};

static int compare_own(const void *x, const void *y)
{
    const struct mpg_pick *p = *(struct mpg_pick *const *)x, *q = *(struct mpg_pick *const *)y;
    return compare_channels(&p->own, &q->own);
}

/* Sorts the N candidates by the channels of their messages in the trace. Returns whether all channels differ. */
static bool sort_by_channel(struct mpg_choosing *c, uint32_t n)
{
    bool is_sorted = true, differ = true;
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = &c->pick[i];
        is_sorted = is_sorted && (i == 0 || compare_channels(&c->pick[i - 1].own, &c->pick[i].own) < 0);
    }
    if (!is_sorted)
        qsort(c->order, n, sizeof(struct mpg_pick *), compare_own);
    for (uint32_t i = 1; i < n && !is_sorted && differ; i++)
        differ = compare_own(&c->order[i - 1], &c->order[i]) != 0;
    return differ;
}

/* Returns the candidate whose message in the trace is of the channel of SEQUENCE; N: none. */
static uint32_t find_channel(const struct mpg_choosing *c, uint32_t n, const struct mpg_sequence *sequence)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, i = c->glance[middle].in_order;
        const int order = compare_channels(&c->pick[i].own, sequence);
        if (order == 0)
            return i;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return n;
}

/* Prepares the fast path. Returns whether the fast path applies: all channels differ, and S completes one candidate, or is a
 * test that needs only some. */
static bool begin_look(struct mpg_choosing *c, const struct mpg_step *s, bool is_test)
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
        c->glance[i] = (struct mpg_glance){.value = p->value,
                                           .cause = p->cause,
                                           .base_ns = p->base_ns,
                                           .raised_ns = p->raised_ns,
                                           .cause_ns = p->cause_ns,
                                           .slot = p->slot,
                                           .in_order = (uint32_t)(c->order[i] - c->pick)};
    }
    return true;
}

/* Returns whether, in lane W, the candidates' messages that differ from the trace are all on channels without other
 * candidates. */
static bool have_own_channels(const struct mpg_choosing *c, uint32_t n, uint32_t w, const struct sight *sight)
{
    const struct mpg_sequence *sequence[MAX_ALTERED];
    for (uint32_t k = 0; k < sight->altered_number; k++) {
        const struct mpg_pick *p = &c->pick[sight->altered[k]];
        const struct mpg_view *v = mpg_choosing_view_of(c, p->slot, w);
        sequence[k] = v->serial ? &v->sequence : &p->own;
        const uint32_t same = find_channel(c, n, sequence[k]);
        if (same < n && !mpg_choosing_is_altered(c, c->glance[same].slot, w))
            return false;
        for (uint32_t before = 0; before < k; before++)
            if (compare_channels(sequence[before], sequence[k]) == 0)
                return false;
    }
    return true;
}

/* Sets SIGHT to the view of lane W at NOW_NS. Returns false if too many candidates differ from the trace. */
static bool look(struct mpg_choosing *c, uint32_t n, uint32_t w, double now_ns, struct sight *sight)
{
    *sight = (struct sight){.done = n, .arrived = n, .least_ns = INFINITY};
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_glance *g = &c->glance[i];
        const double start_ns = g->cause_ns + g->cause[w], end_ns = g->base_ns + g->value[w] + g->raised_ns;
        double at_ns = start_ns > end_ns ? start_ns : end_ns;
        if (mpg_choosing_is_altered(c, g->slot, w)) {
            fill(c, i, w);
            at_ns = c->pick[i].at_ns;
            if (sight->altered_number == MAX_ALTERED)
                return false;
            sight->altered[sight->altered_number++] = i;
            sight->done = c->pick[i].done && sight->done == n ? i : sight->done;
        }
        c->at_ns[i] = at_ns;
        sight->arrived = sight->arrived == n && at_ns <= now_ns + MPG_ROUNDING_NS ? i : sight->arrived;
        sight->least_ns = at_ns < sight->least_ns ? at_ns : sight->least_ns;
    }
    return true;
}

/* Among the candidates with the earliest arrival LEAST_NS, returns a candidate completed in the trace, else the first. */
static uint32_t first_of(const struct mpg_choosing *c, uint32_t n, double least_ns)
{
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++)
        if (c->at_ns[i] <= least_ns + MPG_ROUNDING_NS && (first == n || (c->pick[i].completed && !c->pick[first].completed)))
            first = i;
    return first;
}

/* Completes one candidate of S in lane W. */
static int take_one(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, const struct sight *sight,
                    struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    const uint32_t in = sight->done < n ? sight->done : sight->arrived < n ? sight->arrived : first_of(c, n, sight->least_ns);
    uint32_t out = 0;
    if (c->pick[in].completed)
        return 0;
    while (!c->pick[out].completed)
        out++;
    fill(c, in, w);
    fill(c, out, w);
    return replace(c, s, w, out, in, err);
}

/* A test completes the first candidate that has arrived, or all; lanes with a done candidate skip the test. */
static int retry_seen(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, const struct sight *sight,
                 struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    if (sight->done < n) {
        c->skips[w] = true;
        c->counts.tests_saved++;
        return 0;
    }
    const uint32_t end = s->alternatives->completes_all || sight->arrived == n ? n : sight->arrived + 1;
    for (uint32_t i = sight->arrived; i < end; i++)
        if (c->at_ns[i] <= now_ns + MPG_ROUNDING_NS && complete_early(c, s, i, w, err) < 0)
            return -1;
    c->counts.tests_early += sight->arrived < n;
    return 0;
}

/* Fast path of retry() and pick_in_lane() in lane W; sets *IS_DONE to false if two messages are on one channel. */
static int look_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, bool is_test, bool *is_done,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    struct sight sight;
    *is_done = look(c, n, w, now_ns, &sight) && have_own_channels(c, n, w, &sight);
    if (!*is_done)
        return 0;
    return is_test ? retry_seen(c, s, w, now_ns, &sight, err) : take_one(c, s, w, &sight, err);
}

/* ---- all of them ---- */

static int choose_in_lane(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns,
                          bool is_test, bool looks, struct mpg_error *err)
{
    bool is_done = false;
    if (looks && look_in_lane(c, s, w, now_ns, is_test, &is_done, err) < 0)
        return -1;
    if (is_done)
        return 0;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++)
        fill(c, i, w);
    keep_order(c->pick, s->alternatives->candidate_number, c->order);
    if (s->alternatives->parrived.asks)
        return answer(c, s, w, now_ns, err);
    if (!is_test)
        return pick_in_lane(c, s, w, now_ns, err);
    return retry(c, s, w, now_ns, err);
}

int mpg_choosing_complete(struct mpg_choosing *c, const struct mpg_step *s, double base_ns, const double *value,
                          struct mpg_error *err)
{
    const struct mpg_alternatives *a = s->alternatives;
    bool is_test = true;
    if (a->candidate_number == 0)
        return 0;
    if (list_candidates(c, s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < a->candidate_number; i++)
        is_test = is_test && !a->candidates[i].completed;
    const bool looks = begin_look(c, s, is_test);
    for (uint32_t w = 0; w < c->n; w++)
        if (!c->keeps[w] && !c->broken[w] && choose_in_lane(c, s, w, base_ns + value[w], is_test, looks, err) < 0)
            return -1;
    return 0;
}
