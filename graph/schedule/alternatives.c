/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternatives of a call in a replica: candidates with completion times, posted receives, and the probe. */
#include "graph/schedule/alternatives.h"

#include "graph/schedule/completion_times.h"

bool mpg_graph_is_choice(const struct mpg_event *e)
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

/* Counts the call of E if A has alternatives to the traced result. */
static void note_followed(struct mpg_graph_counts *c, const struct mpg_event *e, const struct mpg_alternatives *a)
{
    const bool looks = a->probe.looks && (a->probe.fits.any_source || !e->found);
    if (a->candidate_number == 0 && a->receive_number == 0 && !looks)
        return;
    c->followed += mpg_graph_is_choice(e);
    c->followed_receives += !mpg_graph_is_choice(e);
}

int mpg_graph_date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_error *err)
{
    struct steps *steps = &g->steps;
    size_t kept = 0, open = 0;
    if (steps->candidate_count > 0 && !r->completion_times &&
        !(r->completion_times = mpg_graph_completion_times_open(g->trace, call->rank, err)))
        return -1;
    for (size_t i = 0; i < steps->candidate_count; i++) {
        struct mpg_candidate *c = &steps->candidates[i];
        int64_t leave_ns = call->event->leave_ns;
        int found = c->completed ? 1 : mpg_graph_completion_time(r->completion_times, call->number, c->request, &leave_ns, err);
        if (found < 0)
            return -1;
        c->done_ns = mpg_clock_align(g->clocks, call->rank, leave_ns);
        open += found && !c->completed;
        if (found)
            steps->candidates[kept++] = *c;
    }
    const bool is_whole = kept == steps->candidate_count || call->event->call != MPG_CALL_Testall;
    steps->candidate_count = is_whole && open > 0 ? kept : 0;
    if (r->completion_times && mpg_call_kind(call->event->call) == MPG_KIND_COMPLETE)
        mpg_graph_completion_times_forget(r->completion_times, call->number);
    return 0;
}

int mpg_graph_find_alternatives(struct mpg_graph *g, const struct call *call, struct mpg_step *step, struct mpg_error *err)
{
    const struct steps *s = &g->steps;
    const enum mpg_call name = call->event->call;
    step->alternatives = &mpg_no_alternatives;
    if (!g->requests.choose || (s->candidate_count == 0 && s->posted_count == 0 && !call->probe.looks && !call->parrived.asks))
        return 0;
    struct mpg_alternatives *a = mpg_graph_steps_list(&g->steps, sizeof *a, err);
    struct mpg_candidate *candidates = a ? mpg_graph_steps_list(&g->steps, s->candidate_count * sizeof *candidates, err) : NULL;
    struct mpg_posted *receives = candidates ? mpg_graph_steps_list(&g->steps, s->posted_count * sizeof *receives, err) : NULL;
    if (!receives)
        return -1;
    for (uint32_t i = 0; i < s->candidate_count; i++)
        candidates[i] = s->candidates[i];
    for (uint32_t i = 0; i < s->posted_count; i++)
        receives[i] = s->posted[i];
    *a = (struct mpg_alternatives){.completes_all = name == MPG_CALL_Waitsome || name == MPG_CALL_Testsome,
                                   .needs_all = name == MPG_CALL_Testall,
                                   .candidate_number = s->candidate_count,
                                   .candidates = candidates,
                                   .receive_number = s->posted_count,
                                   .receives = receives,
                                   .probe = call->probe,
                                   .parrived = call->parrived};
    note_followed(&g->counts, call->event, a);
    step->alternatives = a;
    return 0;
}
