/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a list of hypotheses to a trace: surveys the trace, finds the callsites that hypotheses name, and checks each
 * hypothesis. */
#include <stdlib.h>
#include <string.h>

#include "graph/call_ref.h"
#include "graph/work/private.h"

/* --- names --- */

static int check_ranks(const struct mpg_bound_hypotheses *x, const struct mpg_rank_set *set, struct mpg_error *err)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->ranges[i].last >= x->ranks)
            return mpg_error_set(err, "there is no rank %d: the trace has ranks 0 to %d", set->ranges[i].last,
                                 x->ranks - 1);
    return 0;
}

static const struct mpg_comm *find_comm(const struct mpg_trace *trace, int32_t label)
{
    for (int32_t i = 0; i < mpg_trace_comm_count(trace); i++)
        if (mpg_trace_comm(trace, i)->label == label)
            return mpg_trace_comm(trace, i);
    return NULL;
}

static int check_comm(const struct mpg_trace *trace, int32_t label, struct mpg_error *err)
{
    return label < 0 || find_comm(trace, label)
               ? 0
               : mpg_error_set(err, "there is no communicator %d in the trace (mpgtrace print shows their "
                               "numbers)", label);
}

static int check_select(const struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i,
                        struct mpg_error *err)
{
    const struct mpg_select *s = &x->list->item[i].select;
    if (check_ranks(x, &s->from, err) < 0 || check_ranks(x, &s->to, err) < 0 ||
        check_comm(trace, s->comm, err) < 0)
        return -1;
    if (s->region && !x->known[i])
        return mpg_error_set(err, "there is no region '%s' in the trace", s->region);
    if (s->site >= 0 && (size_t)s->site >= x->sites_met)
        return mpg_error_set(err, "there is no callsite %d in the trace, which has %zu (mpgtrace print shows "
                             "their numbers)", s->site, x->sites_met);
    if (s->place && !mpg_bound_has_site(x, i))
        return mpg_error_set(err, "no callsite of the trace is called '%s' (mpgtrace stat --callsites shows their "
                             "names; print, their numbers)", s->place);
    return 0;
}

/* --- members --- */

/* Sets the ranks balanced by hypothesis I to the members of the communicator named in the hypothesis. All members must belong
 * to this job. */
static int take_members(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, struct mpg_error *err)
{
    const int32_t label = x->list->item[i].comm;
    if (label < 0)
        return 0;
    if (check_comm(trace, label, err) < 0)
        return -1;
    const struct mpg_comm *c = find_comm(trace, label);
    for (int32_t k = 0; k < c->size + c->remote_size; k++)
        if (c->world_ranks[k] < 0)
            return mpg_error_set(err, "communicator %d has processes of another MPI_COMM_WORLD", label);
    mpg_balance_among(x->balance[i], c->world_ranks, (size_t)(c->size + c->remote_size));
    return 0;
}

/* Checks that hypothesis I has no rank in common with earlier balances of the region. */
static int check_members(const struct mpg_bound_hypotheses *x, size_t i, struct mpg_error *err)
{
    const char *region = x->list->item[i].region;
    char name[300];
    for (size_t j = 0; j < i; j++)
        for (int32_t r = 0; r < x->ranks && x->balance[j]; r++)
            if (strcmp(region, x->list->item[j].region) == 0 && mpg_balance_has(x->balance[i], r) &&
                mpg_balance_has(x->balance[j], r))
                return mpg_error_set(err, "contradicts %s: rank %d is in both communicators",
                                     mpg_hypothesis_name(&x->list->item[j], name, sizeof name), r);
    return 0;
}

/* Returns the hypothesis of the set SOME (bits) that scales REGION on RANK; NULL: none. */
static const struct mpg_hypothesis *scale_of(const struct mpg_bound_hypotheses *x, uint64_t some, const char *region,
                                             int32_t rank)
{
    for (size_t i = 0; i < x->list->n; i++) {
        const struct mpg_hypothesis *h = &x->list->item[i];
        if ((some >> i & 1) && h->kind == MPG_HYPOTHESIS_SCALE && strcmp(h->region, region) == 0 &&
            (h->ranks.count == 0 || mpg_rank_set_contains(&h->ranks, rank)))
            return h;
    }
    return NULL;
}

/* Two ranks of a balance, the hypotheses that scale the ranks' work (NULL: none), and the factors. */
struct speed_mismatch {
    int32_t rank[2];
    const struct mpg_hypothesis *scale[2];
    double factor[2];
};

/* Returns whether the hypotheses of the set SOME (bits) scale the ranks balanced by hypothesis I by different factors. *FIRST:
 * two ranks that differ. */
static bool differ_in_speed(const struct mpg_bound_hypotheses *x, size_t i, uint64_t some, struct speed_mismatch *first)
{
    const char *region = x->list->item[i].region;
    *first = (struct speed_mismatch){.rank = {-1, -1}};
    for (int32_t r = 0; r < x->ranks; r++) {
        if (!mpg_balance_has(x->balance[i], r))
            continue;
        const size_t k = first->rank[0] >= 0;
        const struct mpg_hypothesis *h = scale_of(x, some, region, r);
        first->rank[k] = r;
        first->scale[k] = h;
        first->factor[k] = h ? h->factor : 1.0;
        if (k > 0 && first->factor[0] != first->factor[1])
            return true;
    }
    return false;
}

/* Returns an error if hypotheses scale the ranks balanced by hypothesis I by different factors, which contradicts the balance. */
static int check_factors(const struct mpg_bound_hypotheses *x, size_t i, struct mpg_error *err)
{
    struct speed_mismatch u;
    char name[300];
    if (!differ_in_speed(x, i, mpg_bound_all(x), &u))
        return 0;
    return mpg_error_set(err, "contradicts %s: of the balanced ranks, rank %d would compute %g times as long, rank %d %g times",
                         mpg_hypothesis_name(u.scale[1] ? u.scale[1] : u.scale[0], name, sizeof name), u.rank[0], u.factor[0],
                         u.rank[1], u.factor[1]);
}

/* --- changes --- */

static int check_work(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, struct mpg_error *err)
{
    const struct mpg_hypothesis *h = &x->list->item[i];
    if (!x->known[i])
        return mpg_error_set(err, "there is no region '%s' in the trace%s", h->region,
                             strchr(h->region, '=')
                             ? " (scale, balance and insert take a region's name first; calls are selected by "
                             "drop and resize)"
                             : "");
    if (check_ranks(x, &h->ranks, err) < 0)
        return -1;
    if (x->balance[i]) {
        if (take_members(x, trace, i, err) < 0 || check_members(x, i, err) < 0 || check_factors(x, i, err) < 0)
            return -1;
        x->work_ns[i] = mpg_balance_total(x->balance[i]);
    } else if (!x->entered[i])
        return mpg_error_set(err, "none of these ranks enters '%s'", h->region);
    if (h->kind != MPG_HYPOTHESIS_INSERT && !(x->work_ns[i] > 0))
        return mpg_error_set(err, "there is no computation in '%s'", h->region);
    return x->balance[i] ? mpg_balance_finish(x->balance[i], err) : 0;
}

static int check_exchange(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, struct mpg_error *err)
{
    const struct mpg_hypothesis *h = &x->list->item[i];
    x->met[i] = true; /* mpg_bound_check() requires a selected object of every hypothesis, but inserted messages select nothing
                       * in the trace */
    if (!x->known[i])
        return mpg_error_set(err, "there is no region '%s' in the trace", h->region);
    return check_ranks(x, &h->ranks, err) < 0 ? -1 : mpg_bound_check_exchange(x, trace, i, err);
}

static int check(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i, struct mpg_error *err)
{
    if (x->exchanges >> i & 1)
        return check_exchange(x, trace, i, err);
    return mpg_hypothesis_is_of_work(&x->list->item[i]) ? check_work(x, trace, i, err)
                                                        : check_select(x, trace, i, err);
}

/* --- entry points --- */

static struct mpg_bound_hypotheses *begin(const struct mpg_trace *trace, const struct mpg_hypotheses *list)
{
    const size_t n = list->n;
    struct mpg_bound_hypotheses *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    *x = (struct mpg_bound_hypotheses){.list = list, .ranks = mpg_trace_ranks(trace)};
    x->balance = calloc(n, sizeof(struct balance *));
    x->work_ns = calloc(n, sizeof *x->work_ns);
    x->entered = calloc(n, sizeof *x->entered);
    x->known = calloc(n, sizeof *x->known);
    x->met = calloc(n, sizeof *x->met);
    x->learned = calloc(1, sizeof *x->learned);
    bool is_whole = x->balance && x->work_ns && x->entered && x->known && x->met && x->learned;
    for (size_t i = 0; i < n; i++)
        x->exchanges |= (uint64_t)(list->item[i].kind == MPG_HYPOTHESIS_EXCHANGE) << i;
    for (size_t i = 0; i < n && is_whole; i++)
        if (list->item[i].kind == MPG_HYPOTHESIS_BALANCE)
            is_whole = (x->balance[i] = mpg_balance_new(x->ranks, list->item[i].by_total));
    if (is_whole)
        return x;
    mpg_bound_free(x);
    return NULL;
}

struct mpg_bound_hypotheses *mpg_bound_new(struct mpg_trace *trace, const struct mpg_hypotheses *list,
                                           struct mpg_error *err)
{
    struct mpg_bound_hypotheses *x = begin(trace, list);
    if (!x) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    int status = mpg_bound_survey(x, trace, err);
    if (status == 0)
        status = mpg_bound_find_sites(x, trace, err);
    for (size_t i = 0; i < list->n && status == 0; i++)
        if ((status = check(x, trace, i, err)) < 0)
            mpg_bound_refuse(&list->item[i], err);
    if (status == 0)
        return x;
    mpg_bound_free(x);
    return NULL;
}

const struct mpg_hypothesis *mpg_bound_unbalanced(const struct mpg_bound_hypotheses *x, uint64_t some)
{
    struct speed_mismatch first;
    for (size_t i = 0; i < x->list->n; i++)
        if ((some >> i & 1) && x->balance[i] && differ_in_speed(x, i, some, &first))
            return &x->list->item[i];
    return NULL;
}
