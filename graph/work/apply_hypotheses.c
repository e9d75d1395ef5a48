/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/work/apply_hypotheses.h"

#include <math.h>

#include "graph/work/private.h"

static int64_t resized(const struct mpg_hypothesis *h, int64_t bytes)
{
    const double max = 9e15, scaled = h->factor * (double)bytes;
    return h->size_bytes >= 0 ? h->size_bytes : scaled < max ? llround(scaled) : (int64_t)max;
}

/* Sets ERR: hypotheses I and J both change CALL or its messages. Returns -1. */
static int contradict(const struct applied_hypotheses *s, const struct call *call, size_t i, size_t j,
                      struct mpg_error *err)
{
    const struct mpg_hypotheses *list = s->bound->list;
    const struct call_ref here = graph_call_ref(call);
    char one[300], other[300];
    return mpg_graph_error(&here, err, "%s and %s contradict each other: both change this call or its messages",
                           mpg_hypothesis_name(&list->item[i], one, sizeof one),
                           mpg_hypothesis_name(&list->item[j], other, sizeof other));
}

/* Returns whether hypothesis I is active and selects the message, transfer or collective WHAT. */
static bool is_about(const struct applied_hypotheses *s, size_t i, const struct mpg_selected *what)
{
    const struct mpg_hypothesis *h = &s->bound->list->item[i];
    return (s->active >> i & 1) && mpg_hypothesis_selects(h) && mpg_select_fits(&h->select, what) &&
           (!h->select.place || what->placed >> i & 1);
}

static int apply(const struct applied_hypotheses *s, const struct call *call, const struct mpg_selected *what,
                 struct outcome *outcome, struct mpg_error *err)
{
    const struct mpg_hypotheses *list = s->bound->list;
    size_t found = list->n;
    for (size_t i = 0; i < list->n; i++) {
        const struct mpg_hypothesis *h = &list->item[i];
        if (!is_about(s, i, what))
            continue;
        if (found < list->n)
            return contradict(s, call, found, i, err);
        found = i;
        s->bound->met[i] = true;
        outcome->drops = h->kind == MPG_HYPOTHESIS_DROP;
        outcome->by = (int)i;
        if (h->kind == MPG_HYPOTHESIS_RESIZE)
            outcome->bytes = resized(h, what->bytes);
    }
    return 0;
}

/* Returns the properties of CALL by which hypotheses select. BYTES: bytes of the call's message or collective. */
static struct mpg_selected select_call(const struct applied_hypotheses *s, const struct call *call, int32_t comm,
                                       int64_t bytes)
{
    const struct mpg_bound_hypotheses *x = s->bound;
    const int32_t site = call->event->site;
    const bool is_met = site >= 0 && (size_t)site < x->sites;
    return (struct mpg_selected){
        .call = call->event->call,
        .region = call->region >= 0 ? mpg_trace_string(s->trace, call->region) : NULL,
        .site = is_met ? x->site[site] : -1,
        .placed = is_met && x->placed ? x->placed[site] : 0,
        .comm = comm >= 0 && comm < mpg_trace_comm_count(s->trace) ? mpg_trace_comm(s->trace, comm)->label : -1,
        .bytes = bytes};
}

int mpg_graph_apply_to_message(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int32_t tag,
                               int64_t bytes, struct outcome *outcome, struct mpg_error *err)
{
    *outcome = (struct outcome){.bytes = bytes, .by = -1};
    if (!s->bound)
        return 0;
    struct mpg_selected what = select_call(s, call, comm, bytes);
    what.is_message = true;
    what.from = call->rank;
    what.to = to;
    what.tag = tag;
    return apply(s, call, &what, outcome, err);
}

int mpg_graph_apply_to_part(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int64_t bytes,
                            struct outcome *outcome, struct mpg_error *err)
{
    *outcome = (struct outcome){.bytes = bytes, .by = -1};
    if (!s->bound)
        return 0;
    const struct mpg_selected what = select_call(s, call, comm, bytes);
    return apply(s, call, &what, outcome, err);
}

/* --- learning pass: the effects of hypotheses, for an observer --- */

bool mpg_graph_reports_effects(const struct applied_hypotheses *s)
{
    return s->bound && s->bound->learned->learns && s->bound->learned->observer;
}

int mpg_graph_report_effect(const struct applied_hypotheses *s, const struct mpg_hypothesis_effect *effect, int by,
                            struct mpg_error *err)
{
    if (!mpg_graph_reports_effects(s) || by < 0)
        return 0;
    struct mpg_hypothesis_effect whole = *effect;
    whole.by = &s->bound->list->item[by];
    return s->bound->learned->observer(s->bound->learned->context, &whole, err);
}

int mpg_graph_report_other_effect(const struct applied_hypotheses *s, const struct call *call, int by, struct mpg_error *err)
{
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_OTHER, .rank = call->rank, .number = call->number};
    return mpg_graph_report_effect(s, &effect, by, err);
}

int mpg_graph_apply_to_epoch(const struct applied_hypotheses *s, const struct call *call, int32_t comm, int32_t to, int *dropper,
                             struct mpg_error *err)
{
    *dropper = -1;
    if (!mpg_graph_is_learning(s))
        return 0;
    const struct mpg_hypotheses *list = s->bound->list;
    struct mpg_selected what = select_call(s, call, comm, MPG_SELECTED_NO_BYTES);
    what.is_message = to >= 0;
    what.from = call->rank;
    what.to = to;
    what.tag = MPG_SELECTED_NO_TAG;
    for (size_t i = 0; i < list->n; i++) {
        if (list->item[i].kind != MPG_HYPOTHESIS_DROP || !is_about(s, i, &what))
            continue;
        if (*dropper >= 0)
            return contradict(s, call, (size_t)*dropper, i, err);
        *dropper = (int)i;
        s->bound->met[i] = true;
    }
    return mpg_graph_report_other_effect(s, call, *dropper, err);
}

int mpg_graph_check_agreement(const struct applied_hypotheses *s, const struct call *call, int one, int other,
                              struct mpg_error *err)
{
    return one < 0 || other < 0 || one == other ? 0 : contradict(s, call, (size_t)one, (size_t)other, err);
}

/* --- drops of receives, known only from the sends: recorded in the learning pass --- */

/* Combines PART and the rank of POSTED, 32 bits each, into a key. */
static uint64_t key_of(const struct call_ref *posted, uint32_t part)
{
    return (uint64_t)part << 32 | (uint32_t)posted->rank;
}

bool mpg_graph_is_learning(const struct applied_hypotheses *s)
{
    return s->bound && s->bound->learned->learns;
}

int mpg_graph_learn_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part, int dropper,
                            struct mpg_error *err)
{
    const struct mpg_bound_hypotheses *x = s->bound;
    if (!mpg_graph_is_learning(s) || dropper < 0)
        return 0;
    uint64_t *some = mpg_map_add(&x->learned->dropped, posted->number, key_of(posted, part));
    if (!some)
        return mpg_graph_out_of_memory(err);
    *some |= UINT64_C(1) << dropper;
    return 0;
}

bool mpg_graph_is_post_dropped(const struct applied_hypotheses *s, const struct call_ref *posted, uint32_t part)
{
    if (!s->bound || s->bound->learned->learns)
        return false;
    const uint64_t *some = mpg_map_find(&s->bound->learned->dropped, posted->number, key_of(posted, part));
    return some && (*some & s->active);
}

int mpg_graph_learn_together(const struct applied_hypotheses *s, uint64_t droppers, struct mpg_error *err)
{
    struct learned *learned = s->bound->learned;
    const bool is_one = (droppers & (droppers - 1)) == 0;
    return !learned->learns || is_one || mpg_map_add(&learned->together, droppers, 0) ? 0 : mpg_graph_out_of_memory(err);
}

int mpg_graph_drops_half(const struct applied_hypotheses *s, const struct call *call, const struct call_ref *other,
                         uint64_t droppers,
                         bool drops_other, struct mpg_error *err)
{
    const struct mpg_hypotheses *list = s->bound->list;
    const struct call_ref here = graph_call_ref(call);
    size_t i = 0;
    char name[300];
    while (i + 1 < list->n && !(droppers >> i & 1))
        i++;
    mpg_hypothesis_name(&list->item[i], name, sizeof name);
    if (drops_other)
        return mpg_graph_error(&here, err, "%s drops this collective on rank %d (call %llu), but not on this rank", name,
                               other->rank, (unsigned long long)other->number);
    return mpg_graph_error(&here, err, "%s drops this collective on this rank, but not on rank %d (call %llu)", name, other->rank,
                           (unsigned long long)other->number);
}
