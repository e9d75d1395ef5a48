/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates and when they are completed, portions, what is looked for: put together for a call. */
#include "graph/schedule/alternatives.h"

#include <math.h>

#include "graph/schedule/scout.h"

bool graph_is_choice(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_PROBE:
        return e->call == MPG_CALL_Iprobe;
    case MPG_KIND_MPROBE:
        return e->call == MPG_CALL_Improbe;
    case MPG_KIND_PARRIVED:
        return true;
    case MPG_KIND_COMPLETE:
        return e->request_number > 0 && e->call != MPG_CALL_Wait && e->call != MPG_CALL_Waitall;
    default:
        return false;
    }
}

/* Whether it may complete or find something else than in the trace. */
static void note_followed(struct mpg_graph_counts *c, const struct mpg_event *e, const struct mpg_alternatives *a)
{
    const bool looks = a->looking.looks && (a->looking.fits.any_source || !e->found);
    if (a->candidate_number == 0 && a->receive_number == 0 && !looks)
        return;
    c->followed += graph_is_choice(e);
    c->followed_receives += !graph_is_choice(e);
}

static int open_scout(const struct mpg_graph *g, struct rank_run *r, int32_t rank,
                      struct mpg_error *err)
{
    if (!r->scout)
        r->scout = graph_scout_open(g->trace, rank, g->by_completion, err);
    return r->scout ? 0 : -1;
}

int graph_date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_error *err)
{
    struct steps *steps = &g->steps;
    size_t kept = 0, open = 0, completed = 0;
    if (steps->candidate_count > 0 && open_scout(g, r, call->rank, err) < 0)
        return -1;
    for (size_t i = 0; i < steps->candidate_count; i++) {
        struct mpg_candidate *c = &steps->candidates[i];
        int64_t leave_ns = call->event->leave_ns;
        int found = c->completed ? 1
                                 : graph_scout_completion(r->scout, call->number, c->request,
                                                          &leave_ns, err);
        if (found < 0)
            return -1;
        c->done_ns = mpg_clock_align(g->clocks, call->rank, leave_ns);
        open += found && !c->completed;
        completed += c->completed;
        if (found)
            steps->candidates[kept++] = *c;
    }
    const bool is_whole = kept == steps->candidate_count || call->event->call != MPG_CALL_Testall;
    steps->candidate_count = is_whole && (open > 0 || completed > 1) ? kept : 0;
    if (r->scout && mpg_call_kind(call->event->call) == MPG_KIND_COMPLETE)
        graph_scout_forget(r->scout, call->number);
    return 0;
}

/* Whether each of N portions of STRETCH, some calls each, is these and the interval after them, not that
 * before them: which of the first and the last is as long as those between two portions. */
static bool is_worked_on_last(const struct stretch *stretch, uint32_t n)
{
    const uint64_t calls_each = stretch->calls / n;
    double mean_ns = 0;
    for (uint32_t i = 1; i < n; i++)
        mean_ns += (double)stretch->interval_ns[i * calls_each] / (n - 1);
    return fabs((double)stretch->interval_ns[0] - mean_ns) >
           fabs((double)stretch->interval_ns[stretch->calls] - mean_ns);
}

/* Into how many portions what follows CALL, which has the alternatives A, is divided, one for each receive that it
 * completed. */
static int divide_stretch(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_alternatives *a,
                          struct mpg_error *err)
{
    uint32_t completed = 0;
    struct stretch after;
    for (uint32_t i = 0; i < a->candidate_number; i++)
        completed += a->candidates[i].completed;
    if (completed < 2)
        return 0;
    if (open_scout(g, r, call->rank, err) < 0)
        return -1;
    if (graph_scout_stretch(r->scout, call->number, &after, err) < 0)
        return -1;
    const double whole_ns = (1 + 1.0 / completed) / 2 * (double)after.work_ns;
    const bool is_at_once = after.calls == 0 || (double)after.longest_ns > whole_ns;
    if (!is_at_once && (after.calls % completed != 0 || !after.interval_ns))
        return 0;
    a->portions = completed;
    a->portion_calls = is_at_once ? 0 : (uint32_t)(after.calls / completed);
    a->portion_interval = after.longest;
    a->portion_ends = !is_at_once && is_worked_on_last(&after, completed);
    return 0;
}

int graph_find_alternatives(struct mpg_graph *g, struct rank_run *r, const struct call *call,
                            const struct mpg_alternatives **found, struct mpg_error *err)
{
    struct mpg_alternatives *a = &g->steps.alternatives;
    const enum mpg_call name = call->event->call;
    *found = &mpg_no_alternatives;
    if (!g->requests.choose || (g->steps.candidate_count == 0 && g->steps.posted_count == 0 && !call->looking.looks &&
                                !call->asking.asks))
        return 0;
    *a = (struct mpg_alternatives){.completes_all = name == MPG_CALL_Waitsome || name == MPG_CALL_Testsome,
                                   .needs_all = name == MPG_CALL_Testall,
                                   .candidate_number = g->steps.candidate_count,
                                   .candidates = g->steps.candidates,
                                   .receive_number = g->steps.posted_count,
                                   .receives = g->steps.posted,
                                   .looking = call->looking,
                                   .asking = call->asking};
    *found = a;
    if (a->completes_all && divide_stretch(g, r, call, a, err) < 0)
        return -1;
    note_followed(&g->counts, call->event, a);
    return 0;
}
