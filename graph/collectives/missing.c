/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that some member never enters: error texts, when no rank can go on and at the end. */
#include <stdio.h>

#include "graph/collectives/collective.h"

bool mpg_graph_part_holds(const struct part *part, const struct waiter *waiter)
{
    return part->collective && graph_find_member(part->collective, part->me)->waiter == waiter;
}

/* Returns the index of the first member that has not entered; c->p if all have. */
static int32_t first_missing(const struct collectives *collectives, const struct collective *c)
{
    const int32_t *world_ranks = graph_comm_of(collectives, c)->world_ranks;
    int32_t i = 0;
    while (i < c->p && (world_ranks[i] < 0 || graph_has_arrived(c, i)))
        i++;
    return i;
}

/* Returns whether member I waits only for the root (option sync_reduce). */
static bool waits_for_root(const struct collective *c, int32_t i)
{
    return c->shape == SHAPE_TO_ROOT && i != c->root;
}

int32_t mpg_graph_part_lacks(const struct collectives *collectives, const struct part *part)
{
    const struct collective *c = part->collective;
    int32_t missing = waits_for_root(c, part->me) ? c->root : first_missing(collectives, c);
    return missing < part->collective->p
               ? graph_comm_of(collectives, part->collective)->world_ranks[missing]
               : NO_RANK;
}

int mpg_graph_explain_part(const struct collectives *collectives, const struct part *part, const struct call *call,
                           const char *why,
                           struct mpg_error *err)
{
    const struct collective *c = part->collective;
    const struct call_ref *posted = &graph_find_member(c, part->me)->call_ref;
    struct call_ref here = graph_call_ref(call);
    int32_t missing = mpg_graph_part_lacks(collectives, part);
    char starts[64] = "";
    if (waits_for_root(c, part->me) && graph_has_arrived(c, c->root))
        return mpg_graph_error_lenient(&here, err, "its root, rank %d, does not complete it%s", missing, why);
    if (posted->number != here.number)
        snprintf(starts, sizeof starts, " the collective that call %llu (MPI_%s) starts",
                 (unsigned long long)posted->number, mpg_call_name(c->called));
    return mpg_graph_error_lenient(&here, err, "only %d of %d ranks of communicator %d call%s, rank %d does not%s", c->arrived,
                                   c->expected, graph_comm_of(collectives, c)->label, *starts ? starts : " it",
                                   missing == NO_RANK ? call->rank : missing, why);
}

uint32_t mpg_graph_abandon_part(const struct part *part, const struct waiter *waiter)
{
    return part->collective
               ? graph_abandon(&graph_find_member(part->collective, part->me)->waiter, waiter)
               : 0;
}

int mpg_graph_check_collectives(const struct collectives *collectives, struct mpg_error *err)
{
    for (size_t i = 0; i < collectives->open.capacity; i++) {
        if (!collectives->open.entries[i].used)
            continue;
        const struct collective *c =
            (struct collective *)(uintptr_t)collectives->open.entries[i].value;
        for (int32_t j = 0; j < c->p; j++)
            if (graph_has_arrived(c, j))
                return mpg_graph_error_lenient(&graph_find_member(c, j)->call_ref, err,
                                               "only %d of %d ranks of communicator %d call it", c->arrived, c->expected,
                                               graph_comm_of(collectives, c)->label);
    }
    return 0;
}
