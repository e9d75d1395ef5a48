/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rooted collectives and scans whose members are in several parts of a divided graph (graph/parts/parts.h). Every part with
 * members learns the arrival of each member, with the value if its own members need the value, and joins the values by itself:
 * the same steps as in a graph of all ranks. */
#include "graph/collectives/collective.h"

struct member_record {
    struct part_record record;
    struct entering entering; /* with the communicator's number in the member's part */
    struct member member;
    int32_t me;
    bool has_value;
};

/* Returns whether part TO needs the value of ME. */
static bool needs_value(const struct collectives *collectives, const struct collective *c, int32_t me, unsigned to)
{
    if (!mpg_graph_has_value(c, me))
        return false;
    return c->shape != SHAPE_TO_ROOT || collectives->ranks->owner[graph_comm_of(collectives, c)->world_ranks[c->root]] == to;
}

static int export_to(struct collectives *collectives, const struct collective *c, const struct call *call,
                     const struct entering *entering, int32_t me, unsigned to, struct mpg_error *err)
{
    struct mpg_rank_part *ranks = collectives->ranks;
    const bool has_value = needs_value(collectives, c, me, to);
    if (mpg_part_tell_comm(ranks, to, c->comm, err) < 0)
        return -1;
    struct member_record *r = mpg_part_add(ranks, to, PART_ARRIVAL, sizeof *r, has_value, err);
    if (!r)
        return -1;
    r->entering = *entering;
    r->member = *graph_find_member(c, me);
    r->me = me;
    r->has_value = has_value;
    if (!has_value)
        return 0;
    const struct call_ref here = graph_call_ref(call);
    return mpg_graph_export(collectives->steps, r->member.slot, &here, graph_value_of(ranks, &r->record), err);
}

int mpg_graph_export_member(struct collectives *collectives, const struct collective *c, const struct call *call,
                            const struct entering *entering, int32_t me, struct mpg_error *err)
{
    const struct mpg_rank_part *ranks = collectives->ranks;
    const uint64_t members = collectives->ranks->comm[c->comm].members;
    for (unsigned to = 0; to < ranks->n; to++)
        if (to != ranks->index && (members >> to & 1) && export_to(collectives, c, call, entering, me, to, err) < 0)
            return -1;
    if (c->shape == SHAPE_TO_ROOT && mpg_graph_has_value(c, me) && !needs_value(collectives, c, me, ranks->index))
        graph_free_slot(collectives->steps, graph_find_member(c, me)->slot);
    return 0;
}

int mpg_graph_import_member(struct collectives *collectives, const struct part_record *record, struct mpg_error *err)
{
    const struct member_record *r = (const struct member_record *)(const void *)record;
    struct entering entering = r->entering;
    uint32_t slot = 0;
    entering.comm = entering.where = graph_comm_here(collectives->ranks, record->from, r->entering.comm);
    if (r->has_value && mpg_graph_import(collectives->steps, graph_value_of(collectives->ranks, record), &r->member.call_ref,
                                         &slot, err) < 0)
        return -1;
    return mpg_graph_take_over_member(collectives, &entering, r->me, &r->member, slot, err);
}
