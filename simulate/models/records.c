/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work in records: what lanes know by themselves, and look-ups for those that do not. */
#include "simulate/models/records.h"

#include <math.h>
#include <string.h>

#include "simulate/draws/lane_code.h"
#include "simulate/rounding.h"

/* A cursor is, of each of N lanes, times after MPI_Init between which nothing interrupts, where its
 * record was begun, and where it was looked up last. */
enum { DOUBLES = 3, LANE_BYTES = DOUBLES * sizeof(double) + sizeof(struct mpg_replay_hint) };

struct cursor {
    double *from_ns, *to_ns, *start_ns; /* to_ns < 0: no time is known to be quiet */
    struct mpg_replay_hint *hint;
};

size_t mpg_records_cursor_bytes(void)
{
    return LANE_BYTES;
}

/* The lanes from AT on of X, which has LANES of them. */
static struct cursor cursor_of(const struct mpg_interval *x, uint32_t at)
{
    double *first = x->cursor;
    const size_t lanes = x->lanes;
    struct mpg_replay_hint *hint = (void *)(first + DOUBLES * lanes);
    return (struct cursor){first + at, first + lanes + at, first + 2 * lanes + at, hint + at};
}

double mpg_records_passed(const struct mpg_interval *x, double begin_ns, double left_ns,
                          double since_ns)
{
    bool covered = since_ns > MPG_ROUNDING_NS &&
                   since_ns <= x->covered_ns + MPG_ROUNDING_NS;
    return left_ns > 0 && covered ? begin_ns + left_ns : 0;
}

/* What WORK_NS of X meets that begins at BEGIN_NS of RECORD, in lane W. */
static struct mpg_replay_met meet(const struct mpg_interval *x, const struct mpg_resampled *record,
                                  const uint8_t *part, double begin_ns, double work_ns, uint32_t w,
                                  struct mpg_replay_hint *hint)
{
    struct mpg_replay_met met = mpg_resampled_meet(record, part, begin_ns, work_ns, hint);
    /* as little work as rounding takes no time in a detour, either */
    if (!x->passed_ns || (met.time_ns <= work_ns && work_ns > MPG_ROUNDING_NS))
        return met;
    double passed_ns = x->passed_ns[w], since_ns;
    if (begin_ns >= passed_ns) {
        if (met.begins_quiet)
            return met;
        double left_ns = mpg_resampled_detour_left(record, part, begin_ns, &since_ns);
        passed_ns = mpg_records_passed(x, begin_ns, left_ns, since_ns);
    }
    double free_ns = passed_ns - begin_ns;
    if (!(free_ns > 0))
        return met;
    x->passed_ns[w] = passed_ns;
    if (work_ns <= free_ns)
        return (struct mpg_replay_met){.time_ns = work_ns};
    met = mpg_resampled_meet(record, part, passed_ns, work_ns - free_ns, hint);
    met.time_ns = free_ns + met.time_ns;
    return met;
}

/* Notes in lane W what MET says of the time after it, which began SINCE_NS after MPI_Init and at
 * BEGIN_NS of the record. Look-ups round in other places than these sums, by some units in the last
 * place: what is quiet ends before and begins after that. */
static void note(const struct cursor *c, uint32_t w, const struct mpg_replay_met *met,
                 double since_ns, double begin_ns)
{
    double end_ns = since_ns + met->time_ns;
    double margin_ns =
        MPG_ROUNDING_NS + 1e-14 * (begin_ns + met->time_ns + fmax(met->quiet_ns, 0));
    c->from_ns[w] = end_ns + margin_ns;
    c->to_ns[w] = met->quiet_ns > 2 * margin_ns ? end_ns + met->quiet_ns - margin_ns : -1;
}

void mpg_records_meet(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                      double *time_ns)
{
    const struct mpg_machine *target = &p->target_noise;
    const struct mpg_resampled *record =
        &target->resampled[mpg_machine_seat_of(target, x->rank).core];
    if (!x->cursor) {
        for (uint32_t w = 0; w < n; w++) {
            struct mpg_replay_hint hint = {0};
            double begin_ns = mpg_machine_start(target, p->seed, x->rank, first + w) +
                              fmax(x->since_ns + delay_ns[w], 0);
            time_ns[w] = meet(x, record, mpg_records_parts(p, first + w), begin_ns, work_ns[w],
                              at + w, &hint)
                             .time_ns;
        }
        return;
    }
    struct cursor c = cursor_of(x, at);
    uint32_t lane[MPG_LANES_AT_ONCE];
    uint32_t count = mpg_lane_code()->outside(c.from_ns, c.to_ns, x->since_ns, delay_ns, work_ns,
                                              MPG_ROUNDING_NS, n, lane);
    memcpy(time_ns, work_ns, n * sizeof *time_ns);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t w = lane[i];
        if (c.to_ns[w] == 0) /* it is looked up for the first time */
            c.start_ns[w] = mpg_machine_start(target, p->seed, x->rank, first + w);
        double since_ns = fmax(x->since_ns + delay_ns[w], 0), begin_ns = c.start_ns[w] + since_ns;
        struct mpg_replay_met met = meet(x, record, mpg_records_parts(p, first + w), begin_ns,
                                         work_ns[w], at + w, &c.hint[w]);
        time_ns[w] = met.time_ns;
        note(&c, w, &met, since_ns, begin_ns);
    }
}
