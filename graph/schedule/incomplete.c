/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors for traces that end early, because ranks were killed or still run, or because a file of events is lost. An error
 * names a single rank. */
#include "graph/schedule/incomplete.h"

#include <stdio.h>

#include "common/units.h"

static const char remedy[] = "--lenient simulates the recorded part";

/* Returns whether a thread of RANK was killed. Sets *THREAD, and *CALL and *ENTER_NS as mpg_trace_died() does. */
static bool has_died(const struct mpg_graph *g, int32_t rank, uint32_t *thread,
                     enum mpg_call *call, int64_t *enter_ns)
{
    uint32_t threads = mpg_trace_threads(g->trace, rank);
    for (uint32_t i = 0; i < threads; i++) {
        *thread = mpg_trace_thread(g->trace, rank, i);
        if (mpg_trace_died(g->trace, rank, *thread, call, enter_ns))
            return true;
    }
    return false;
}

/* Returns whether RANK's last calls were in a missing segment (file of the tracer). False for a rank that waits:
 * MPI_Finalize may be among the unread calls. */
static bool lost_segment(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_state *r = &g->rank[rank];
    return r->ended && (!r->run || r->run->held_count == 0) && !r->finalized &&
           mpg_trace_lost_segment(g->trace, rank);
}

/* Returns the rank to name in the error, among ranks without MPI_Finalize; NO_RANK: no rank has died. Preferred is the
 * first rank that states a reason or called MPI_Abort, after which the launcher may have killed the other ranks; else
 * the first rank that died or lost its segment. *DEAD: number of ranks that died. */
static int32_t first_without_end(const struct mpg_graph *g, int32_t *dead)
{
    int32_t first = NO_RANK, cause = NO_RANK;
    *dead = 0;
    for (int32_t rank = 0; rank < g->ranks; rank++) {
        uint32_t thread;
        enum mpg_call call = MPG_CALL_COUNT;
        int64_t enter_ns;
        bool died = has_died(g, rank, &thread, &call, &enter_ns);
        if (g->rank[rank].finalized)
            continue;
        *dead += died;
        if (cause == NO_RANK && (mpg_trace_find_fact(g->trace, rank, "incomplete") ||
                                 call == MPG_CALL_Abort))
            cause = rank;
        if (first == NO_RANK && (died || lost_segment(g, rank)))
            first = rank;
    }
    return cause != NO_RANK ? cause : first;
}

/* Sets ERR to how RANK died. COUNT: number of dead ranks. Returns -1. */
static int explain_death(const struct mpg_graph *g, int32_t rank, int32_t count,
                         struct mpg_error *err)
{
    const struct rank_state *r = &g->rank[rank];
    uint32_t thread;
    enum mpg_call call = MPG_CALL_COUNT;
    int64_t enter_ns = 0;
    char time_text[80] = "", others[64] = "", time[32], who[32], where[64];
    (void)has_died(g, rank, &thread, &call, &enter_ns);
    snprintf(who, sizeof who, thread ? "rank %d.%u" : "rank %d", rank, thread);
    if (r->started && call != MPG_CALL_COUNT)
        snprintf(time_text, sizeof time_text, ", %s after MPI_Init",
                 mpg_units_format_time(time, sizeof time, (double)(enter_ns - r->start_ns)));
    if (count > 1)
        snprintf(others, sizeof others, " (like %d other%s)", count - 1, count > 2 ? "s" : "");
    if (call == MPG_CALL_Abort)
        return mpg_error_set(err, "%s called MPI_Abort%s, so there is no MPI_Finalize; %s", who,
                             time_text, remedy);
    if (call == MPG_CALL_COUNT && !r->ended)
        snprintf(where, sizeof where, "outside of MPI");
    else if (call == MPG_CALL_COUNT)
        snprintf(where, sizeof where, "outside of MPI, after %llu call%s",
                 (unsigned long long)r->calls, r->calls == 1 ? "" : "s");
    else
        snprintf(where, sizeof where, "inside MPI_%s", mpg_call_name(call));
    return mpg_error_set(err, "%s was killed or ended %s%s, without MPI_Finalize%s; %s", who,
                         where, time_text, others, remedy);
}

/* Sets ERR and returns true if a rank still runs. */
static bool explain_running(const struct mpg_graph *g, struct mpg_error *err)
{
    int32_t first = NO_RANK, others = -1;
    char more[64] = "";
    for (int32_t rank = g->ranks - 1; rank >= 0; rank--)
        if (mpg_trace_runs(g->trace, rank)) {
            first = rank;
            others++;
        }
    if (others > 0)
        snprintf(more, sizeof more, " (like %d other%s)", others, others > 1 ? "s" : "");
    if (first != NO_RANK)
        mpg_error_set(err, "rank %d is still running%s; %s", first, more, remedy);
    return first != NO_RANK;
}

bool mpg_graph_explain_dead(const struct mpg_graph *g, struct mpg_error *err)
{
    int32_t count, rank = first_without_end(g, &count);
    if (rank == NO_RANK)
        return explain_running(g, err);
    const char *reason = mpg_trace_find_fact(g->trace, rank, "incomplete");
    if (reason)
        mpg_error_set(err, "rank %d: its trace is incomplete: %s; %s", rank, reason, remedy);
    else if (lost_segment(g, rank))
        mpg_error_set(err, "rank %d: its trace ends without MPI_Finalize, and there is no "
                      "segment (rank-%d.window.mpgt) that would hold its last calls; %s",
                      rank, rank, remedy);
    else
        (void)explain_death(g, rank, count, err);
    return true;
}

int mpg_graph_explain_end(const struct mpg_graph *g, const struct stream *last, struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(&last->call);
    if (mpg_graph_explain_dead(g, err))
        return -1;
    if (!g->rank[last->call.rank].started)
        return mpg_error_set(err, "rank %d: the trace has no calls of this rank (%s)", last->call.rank, remedy);
    return mpg_graph_error(&here, err, "the rank's trace ends here, without MPI_Finalize (%s)", remedy);
}
