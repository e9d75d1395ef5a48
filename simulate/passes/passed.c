/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a pass has told, as bytes. */
#include "simulate/passes/pass.h"

/* All of them; WHOLE and REAL are given each one's name. */
#define COUNTS(WHOLE, REAL) \
    WHOLE(calls) WHOLE(messages) WHOLE(synchronous_messages) WHOLE(collectives) \
    WHOLE(made_eager) WHOLE(made_synchronous) WHOLE(choices) WHOLE(open_receives) \
    WHOLE(followed) WHOLE(followed_receives) WHOLE(open_kept) WHOLE(beyond_horizon) \
    WHOLE(uncompleted_sends) WHOLE(asynchronous) WHOLE(cancelled) WHOLE(unmatched) \
    WHOLE(truncated) WHOLE(incomplete_ranks) WHOLE(failed) WHOLE(flushed_ns) WHOLE(tracer_ns) WHOLE(off_ns) WHOLE(call_off_ns) \
    WHOLE(cpu_intervals) WHOLE(foreign) REAL(largest_bytes) WHOLE(backward) REAL(backward_ns) \
    WHOLE(held_messages) REAL(held_ns) REAL(alone_ns) REAL(served_ns) REAL(posted_ns) WHOLE(kept_waiting) WHOLE(kept_leaving) \
    WHOLE(waited_sends) WHOLE(waited_bytes) REAL(waited_ns) WHOLE(transfers) WHOLE(transfers_alone) WHOLE(file_calls) WHOLE(unknown) WHOLE(threads) WHOLE(shared_windows) \
    WHOLE(expanded) WHOLE(whole) WHOLE(partial)

#define ONE(name) +1
_Static_assert(sizeof(struct mpg_graph_counts) == (0 COUNTS(ONE, ONE)) * sizeof(uint64_t),
               "COUNTS has all of them");

void mpg_passed_put(struct mpg_bytes *bytes, const struct mpg_passed *passed)
{
#define PUT_WHOLE(name) mpg_bytes_put_u64(bytes, passed->counts.name);
#define PUT_REAL(name) mpg_bytes_put_double(bytes, passed->counts.name);
    COUNTS(PUT_WHOLE, PUT_REAL)
    mpg_bytes_put_u64(bytes, passed->slots);
    mpg_bytes_put_u64(bytes, (uint64_t)passed->expanded);
    mpg_bytes_put_u64(bytes, (uint64_t)passed->evident_limit);
}

int mpg_passed_get(struct mpg_bytes_left *left, struct mpg_passed *passed)
{
#define GET_WHOLE(name) got.counts.name = mpg_bytes_get_u64(left);
#define GET_REAL(name) got.counts.name = mpg_bytes_get_double(left);
    struct mpg_passed got;
    COUNTS(GET_WHOLE, GET_REAL)
    got.slots = (uint32_t)mpg_bytes_get_below(left, UINT32_MAX);
    got.expanded = (int32_t)mpg_bytes_get_below(left, INT32_MAX);
    got.evident_limit = (int64_t)mpg_bytes_get_u64(left);
    if (left->failed)
        return -1;
    *passed = got;
    return 0;
}
