/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which measured one-sided operations a call consists of. */
#include "simulate/evaluate/one_sided.h"

/* Returns the measured operation that stands for CALL, which starts a transfer. */
static enum mpg_one_sided operation_of(enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Get:
    case MPG_CALL_Rget:
        return MPG_ONE_SIDED_GET;
    case MPG_CALL_Fetch_and_op:
    case MPG_CALL_Compare_and_swap:
        return MPG_ONE_SIDED_FETCH_AND_OP;
    case MPG_CALL_Accumulate:
    case MPG_CALL_Raccumulate:
    case MPG_CALL_Get_accumulate:
    case MPG_CALL_Rget_accumulate:
        return MPG_ONE_SIDED_ACCUMULATE;
    default:
        return MPG_ONE_SIDED_PUT;
    }
}

/* Returns the cost of completing in S: an unlock after a put or without transfers takes the time of an unlock, else transfers
 * take their flush. */
static struct mpg_one_sided_cost completion(const struct mpg_step *s)
{
    const enum mpg_one_sided operation = s->round_trip ? operation_of((enum mpg_call)s->round_trip_call) : MPG_ONE_SIDED_PUT;
    const bool unlocks = s->call == MPG_CALL_Win_unlock && operation == MPG_ONE_SIDED_PUT;
    return (struct mpg_one_sided_cost){
        .which = mpg_overhead_complete(unlocks ? MPG_ONE_SIDED_LOCK : operation),
        .to = s->transfer->owner >= 0 ? s->transfer->owner : s->transfer->awaits_of,
        .bytes = s->round_trip ? s->round_trip_target_bytes : 0,
        .traced_bytes = s->round_trip ? s->round_trip_bytes : 0,
        .completes = true};
}

uint32_t mpg_one_sided_costs(const struct mpg_step *s, struct mpg_one_sided_cost cost[MPG_ONE_SIDED_COSTS])
{
    uint32_t n = 0;
    const struct mpg_transfer *x = s->transfer;
    const bool to_one = x->awaits_of >= 0;
    if (s->failed)
        return 0;
    if (x->owner >= 0)
        cost[n++] = (struct mpg_one_sided_cost){.which = mpg_overhead_call(operation_of(s->call)), .to = x->owner,
                                                .bytes = x->put_bytes + x->get_bytes, .traced_bytes = x->traced_bytes};
    if (s->call == MPG_CALL_Win_lock && to_one)
        cost[n++] = (struct mpg_one_sided_cost){.which = mpg_overhead_call(MPG_ONE_SIDED_LOCK), .to = x->awaits_of};
    if (s->round_trip || (s->call == MPG_CALL_Win_unlock && to_one))
        cost[n++] = completion(s);
    return n;
}
