/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are given long lists, and complete one of them, or none, again and again (MPI_Waitany, MPI_Testany,
 * MPI_Testsome): where no two messages are of one channel, none keeps another back, and it is enough to look at when each
 * arrives. */
#include <math.h>
#include <stdlib.h>

#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

/* Candidates that are in a lane not as they were made, at most; of more all is looked at. */
enum { MAX_ALTERED = 64 };

/* What a lane sees. */
struct sight {
    uint32_t altered_number, altered[MAX_ALTERED]; /* candidates */
    uint32_t done;    /* the first that is done already; as many as there are: none */
    uint32_t arrived; /* the first that has arrived by now; likewise */
    double least_ns;  /* when the earliest does */
};

/* ---- in the order of channels ---- */

static int compare_own(const void *x, const void *y)
{
    const struct mpg_pick *p = *(struct mpg_pick *const *)x, *q = *(struct mpg_pick *const *)y;
    return mpg_sequences_compare_channels(&p->own, &q->own);
}

/* Sorts the N candidates by their own messages' channels; whether each has one for itself. */
static bool sort_by_channel(struct mpg_choosing *c, uint32_t n)
{
    bool is_sorted = true, differ = true;
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = &c->pick[i];
        is_sorted = is_sorted && (i == 0 || mpg_sequences_compare_channels(&c->pick[i - 1].own, &c->pick[i].own) < 0);
    }
    if (!is_sorted)
        qsort(c->order, n, sizeof(struct mpg_pick *), compare_own);
    for (uint32_t i = 1; i < n && !is_sorted && differ; i++)
        differ = compare_own(&c->order[i - 1], &c->order[i]) != 0;
    return differ;
}

/* The candidate whose own message is of the channel of SEQUENCE; N: none. */
static uint32_t find_channel(const struct mpg_choosing *c, uint32_t n, const struct mpg_sequence *sequence)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, i = c->glance[middle].in_order;
        const int order = mpg_sequences_compare_channels(&c->pick[i].own, sequence);
        if (order == 0)
            return i;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return n;
}

bool mpg_choosing_begin_look(struct mpg_choosing *c, const struct mpg_step *s, bool is_test)
{
    const struct mpg_alternatives *a = s->alternatives;
    const uint32_t n = a->candidate_number;
    uint32_t completed = 0;
    for (uint32_t i = 0; i < n; i++)
        completed += c->pick[i].completed;
    const bool takes_one = completed == 1 && !a->completes_all;
    if (a->asking.asks || !(is_test ? !a->needs_all : takes_one) || !sort_by_channel(c, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_pick *p = &c->pick[i];
        c->glance[i] = (struct mpg_glance){.value = p->value, .cause = p->cause, .base_ns = p->base_ns, .raised_ns = p->raised_ns,
                                           .cause_ns = p->cause_ns, .slot = p->slot, .in_order = (uint32_t)(c->order[i] - c->pick)};
    }
    return true;
}

/* ---- a lane ---- */

/* Whether the messages that lane W has in the candidates that are altered are of other channels than all others. */
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
            if (mpg_sequences_compare_channels(sequence[before], sequence[k]) == 0)
                return false;
    }
    return true;
}

/* When the candidate of G, which is not as it was made in lane W, arrives; as mpg_choosing_fill(). */
static double altered_at(const struct mpg_choosing *c, const struct mpg_glance *g, uint32_t w, bool *is_done)
{
    const struct mpg_view *v = mpg_choosing_view_of(c, g->slot, w);
    const bool is_own = v->serial == 0 || v->serial == c->view_serial[g->slot];
    const double start_ns = v->serial ? v->cause_ns : g->cause_ns + g->cause[w];
    const double at_ns = g->base_ns + g->value[w] + (is_own ? g->raised_ns : 0);
    *is_done = v->done;
    return start_ns > at_ns ? start_ns : at_ns;
}

/* What lane W sees of the N candidates at NOW_NS; false: too many are altered. */
static bool look(struct mpg_choosing *c, uint32_t n, uint32_t w, double now_ns, struct sight *sight)
{
    *sight = (struct sight){.done = n, .arrived = n, .least_ns = INFINITY};
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_glance *g = &c->glance[i];
        const double start_ns = g->cause_ns + g->cause[w], end_ns = g->base_ns + g->value[w] + g->raised_ns;
        double at_ns = start_ns > end_ns ? start_ns : end_ns;
        if (mpg_choosing_is_altered(c, g->slot, w)) {
            bool is_done;
            at_ns = altered_at(c, g, w, &is_done);
            if (sight->altered_number == MAX_ALTERED)
                return false;
            sight->altered[sight->altered_number++] = i;
            sight->done = is_done && sight->done == n ? i : sight->done;
        }
        c->at_ns[i] = at_ns;
        sight->arrived = sight->arrived == n && at_ns <= now_ns + MPG_ROUNDING_NS ? i : sight->arrived;
        sight->least_ns = at_ns < sight->least_ns ? at_ns : sight->least_ns;
    }
    return true;
}

/* Of those that arrive first, together, one that the trace completed too, else the first. */
static uint32_t first_of(const struct mpg_choosing *c, uint32_t n, double least_ns)
{
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++)
        if (c->at_ns[i] <= least_ns + MPG_ROUNDING_NS && (first == n || (c->pick[i].completed && !c->pick[first].completed)))
            first = i;
    return first;
}

/* The one that S completes in lane W. */
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
    mpg_choosing_fill(c, in, w);
    mpg_choosing_fill(c, out, w);
    return mpg_choosing_replace(c, s, w, out, in, err);
}

/* A test completes what has arrived, the first or all; or is not made, as something has been completed already. */
static int retry(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, const struct sight *sight,
                 struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    if (sight->done < n) {
        c->vanishes[w] = true;
        c->counts.tests_saved++;
        return 0;
    }
    const uint32_t end = s->alternatives->completes_all || sight->arrived == n ? n : sight->arrived + 1;
    for (uint32_t i = sight->arrived; i < end; i++)
        if (c->at_ns[i] <= now_ns + MPG_ROUNDING_NS && mpg_choosing_complete_early(c, s, i, w, err) < 0)
            return -1;
    c->counts.tests_early += sight->arrived < n;
    return 0;
}

int mpg_choosing_look(struct mpg_choosing *c, const struct mpg_step *s, uint32_t w, double now_ns, bool is_test, bool *is_done,
                      struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    struct sight sight;
    *is_done = look(c, n, w, now_ns, &sight) && have_own_channels(c, n, w, &sight);
    if (!*is_done)
        return 0;
    return is_test ? retry(c, s, w, now_ns, &sight, err) : take_one(c, s, w, &sight, err);
}
