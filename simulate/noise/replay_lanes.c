/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups of many lanes at once, step by step: no lane waits for what another one reads. */
#include "simulate/noise/replay_private.h"

#include "simulate/draws/lane_code.h"

/* Asks for what look-ups from HINT on read first: the detour before it, and as many after it as a search looks at.
 * What is beyond a record is not read. */
static inline void fetch(const struct mpg_record *r, uint32_t hint)
{
    const char *at = (const char *)r->detour + hint * sizeof *r->detour;
    __builtin_prefetch(at - sizeof *r->detour);
    __builtin_prefetch(at + 2 * sizeof *r->detour);
    __builtin_prefetch(at + 6 * sizeof *r->detour);
}

void mpg_replay_fetch(const struct mpg_replay *r, const struct mpg_replay_hint *hint)
{
    fetch(r->longest, hint->longest);
    if (r->others)
        fetch(r->others, hint->others);
}

void mpg_replay_meet_lanes(const struct mpg_replay *r, uint32_t n, const double *t_ns,
                           const double *work_ns, struct mpg_replay_hint *hint,
                           struct mpg_replay_met *met)
{
    const struct mpg_record *longest = r->longest, *others = r->others;
    double clock_ns[MPG_LANES_AT_ONCE], quiet_ns[MPG_LANES_AT_ONCE], left_ns[MPG_LANES_AT_ONCE];
    for (uint32_t k = 0; k < n; k++)
        mpg_replay_fetch(r, &hint[k]);
    for (uint32_t k = 0; k < n; k++) {
        struct mpg_record_spot s = mpg_record_spot_at(longest, t_ns[k], &hint[k].longest);
        clock_ns[k] = mpg_record_work_at(longest, &s);
        quiet_ns[k] = mpg_record_quiet_at(longest, &s);
        left_ns[k] = INFINITY;
    }
    for (uint32_t k = 0; others && k < n; k++) {
        struct mpg_record_spot s = mpg_record_spot_at(others, clock_ns[k], &hint[k].others);
        double quiet = mpg_record_quiet_at(others, &s);
        clock_ns[k] = mpg_record_work_at(others, &s);
        quiet_ns[k] = quiet < quiet_ns[k] ? quiet : quiet_ns[k];
    }
    for (uint32_t k = 0; k < n; k++)
        clock_ns[k] += work_ns[k];
    for (uint32_t k = 0; others && k < n; k++)
        clock_ns[k] = mpg_record_time_of(others, clock_ns[k], &hint[k].others, &left_ns[k]);
    for (uint32_t k = 0; k < n; k++) {
        double left, end_ns = mpg_record_time_of(longest, clock_ns[k], &hint[k].longest, &left);
        const bool ends_quiet = work_ns[k] <= quiet_ns[k];
        const double more_ns = end_ns > t_ns[k] ? end_ns - t_ns[k] : 0;
        left = left_ns[k] < left ? left_ns[k] : left;
        met[k] = (struct mpg_replay_met){.time_ns = ends_quiet ? work_ns[k] : more_ns,
                                         .quiet_ns = ends_quiet ? quiet_ns[k] - work_ns[k] : left,
                                         .begins_quiet = quiet_ns[k] > 0};
    }
}
