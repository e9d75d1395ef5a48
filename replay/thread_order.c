/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/thread_order.h"

#include <stdlib.h>
#include "common/reserve.h"

int mpg_thread_order_begin(struct mpg_thread_order *o, int threads)
{
    *o = (struct mpg_thread_order){.begun = calloc((size_t)threads, sizeof *o->begun), .turn = -1, .thread_start = -1};
    return o->begun ? 0 : -1;
}

/* Returns whether E's call is ordered among the collectives of the communicator, equally on all members. Calls of a group are
 * ordered only within the group. */
static bool is_ordered(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_COMM_FREE:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_DYNAMIC:
        return e->comm >= 0;
    case MPG_KIND_CONSTRUCTOR:
        return e->comm >= 0 && mpg_call_plain(e->call) != MPG_CALL_Comm_create_group;
    default:
        return false;
    }
}

static int take_turn(struct mpg_thread_order *o, int32_t comm)
{
    struct mpg_error unused;
    if (mpg_reserve_at(&o->made, sizeof *o->made, &o->comms, (uint32_t)comm + 1, &unused) < 0)
        return -1;
    o->turn = o->made[comm]++;
    return 0;
}

int mpg_thread_order_note(struct mpg_thread_order *o, const struct mpg_event *e, int by, bool began, bool makes)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    o->turn = o->thread_start = -1;
    if (!began || !makes || kind == MPG_KIND_FINALIZE)
        return 0;
    if (by > 0 && !o->begun[by]) {
        o->begun[by] = true;
        o->thread_start = o->begins++;
    }
    return is_ordered(e) ? take_turn(o, e->comm) : 0;
}

void mpg_thread_order_clear(struct mpg_thread_order *o)
{
    free(o->made);
    free(o->begun);
    *o = (struct mpg_thread_order){.made = NULL};
}
