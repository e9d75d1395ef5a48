/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives that progress only inside the members' MPI calls: the completing call waits for calls of other
 * members; edges represent this wait. */
#include "graph/nbc_progress/nbc_progress.h"

#include <stdlib.h>

#include "graph/nbc_progress/private.h"

struct nbc_progress *mpg_graph_nbc_progress_new(struct progress *progress, struct collectives *collectives,
                                                const struct mpg_weak_progress *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                                struct mpg_error *err)
{
    struct nbc_progress *nbc_progress = calloc(1, sizeof *nbc_progress);
    if (!nbc_progress) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    *nbc_progress = (struct nbc_progress){.progress = progress,
                                          .collectives = collectives,
                                          .limits = limits,
                                          .table = table,
                                          .eager_limit_bytes = eager_limit_bytes,
                                          .observes = observes};
    if (observes && !(nbc_progress->observations = mpg_graph_nbc_observations_new(err))) {
        free(nbc_progress);
        return NULL;
    }
    return nbc_progress;
}

void mpg_graph_nbc_progress_free(struct nbc_progress *nbc_progress)
{
    if (!nbc_progress)
        return;
    mpg_graph_stage_cache_clear(nbc_progress);
    mpg_graph_nbc_observations_free(nbc_progress->observations);
    free(nbc_progress);
}

/* Maximum number of members: in larger collectives, the calls of too many members would have to be examined for each member. */
enum { MAX_MEMBERS = 256 };

/* Returns true and fills COMPLETION if CALL, which completes PART, may wait for MPI calls of other members. */
static bool observe_completion(const struct nbc_progress *nbc_progress, const struct part *part, const struct call *call,
                               struct completion *completion)
{
    if (!nbc_progress || !nbc_progress->progress->is_on || !mpg_graph_part_is_nonblocking(nbc_progress->collectives, part,
                                                                                          &completion->nonblocking_part) ||
        completion->nonblocking_part.p > MAX_MEMBERS)
        return false;
    completion->part = part;
    completion->until_ns = call->leave_ns;
    return true;
}

static struct mpg_nonblocking find(const struct nbc_progress *nbc_progress, const struct nonblocking_part *nonblocking_part)
{
    const struct mpg_collective_size size = {
        .operation = nonblocking_part->operation, .p = nonblocking_part->p, .bytes = (double)nonblocking_part->bytes};
    return mpg_graph_nonblocking_rule(nbc_progress->limits, nbc_progress->table, nonblocking_part->call, &size);
}

int mpg_graph_await_nbc_progress(struct nbc_progress *nbc_progress, const struct part *part, struct call *call,
                                 struct mpg_error *err)
{
    struct completion completion;
    if (!observe_completion(nbc_progress, part, call, &completion) || (!nbc_progress->observes &&
                                                                       !find(nbc_progress, &completion.nonblocking_part).is_weak))
        return 0;
    for (int32_t i = 0; i < completion.nonblocking_part.p; i++)
        if (i != completion.nonblocking_part.me &&
            mpg_graph_await_progress(nbc_progress->progress, completion.nonblocking_part.world_ranks[i], call->leave_ns,
                                     &call->waiter, err) < 0)
            return -1;
    return 0;
}

static int add_edges(const struct nbc_progress *nbc_progress, struct mpg_error *err)
{
    for (uint32_t i = 0; i < nbc_progress->found_number; i++) {
        const struct progress_call *p = nbc_progress->found[i].progress_call;
        struct mpg_edge *edge = graph_add_edge(nbc_progress->progress->steps, MPG_EDGE_HELD);
        if (!edge)
            return mpg_graph_out_of_memory(err);
        edge->source = nbc_progress->found[i].rank;
        edge->slot = p->slot;
        edge->from_ns = p->enter_ns;
        edge->awaits_call = true;
    }
    return 0;
}

int mpg_graph_nbc_edges(struct nbc_progress *nbc_progress, const struct part *part, const struct call *call,
                        struct mpg_error *err)
{
    struct completion completion;
    if (!observe_completion(nbc_progress, part, call, &completion))
        return 0;
    if (nbc_progress->observes) {
        mpg_graph_nbc_observe(nbc_progress, &completion, call);
        return 0;
    }
    const struct mpg_nonblocking as = find(nbc_progress, &completion.nonblocking_part);
    const struct model model = {as.choice, true, as.sends_weak};
    if (!as.is_weak)
        return 0;
    (void)mpg_graph_nbc_completion_ns(nbc_progress, &completion, &model);
    return add_edges(nbc_progress, err);
}
