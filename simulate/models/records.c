/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work in records: what lanes know by themselves, and look-ups for those that do not. */
#include "simulate/models/records.h"

#include <math.h>
#include <string.h>

#include "simulate/draws/lane_code.h"
#include "simulate/rounding.h"

/* Where a lane's record was begun, and where it was looked up last. */
struct place {
    double start_ns;
    struct mpg_replay_hint hint;
};

/* A cursor is, of each of N lanes, times after MPI_Init between which nothing interrupts, and its place. */
enum { DOUBLES = 2, LANE_BYTES = DOUBLES * sizeof(double) + sizeof(struct place) };

struct cursor {
    double *from_ns, *to_ns; /* to_ns < 0: no time is known to be quiet; 0: it is the first time */
    struct place *place;
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
    struct place *place = (void *)(first + DOUBLES * lanes);
    return (struct cursor){first + at, first + lanes + at, place + at};
}

double mpg_records_passed(const struct mpg_interval *x, double begin_ns, double left_ns,
                          double since_ns)
{
    bool covered = since_ns > MPG_ROUNDING_NS &&
                   since_ns <= x->covered_ns + MPG_ROUNDING_NS;
    return left_ns > 0 && covered ? begin_ns + left_ns : 0;
}

/* Lanes that are looked up, and what each meets. */
struct looked_up {
    uint32_t n, lane[MPG_LANES_AT_ONCE];
    const uint8_t *part[MPG_LANES_AT_ONCE];
    double since_ns[MPG_LANES_AT_ONCE]; /* MPI_Init */
    double begin_ns[MPG_LANES_AT_ONCE], work_ns[MPG_LANES_AT_ONCE]; /* of their records */
    struct mpg_replay_hint before[MPG_LANES_AT_ONCE], hint[MPG_LANES_AT_ONCE];
    struct mpg_replay_met met[MPG_LANES_AT_ONCE];
};

/* What the K-th of L meets after all, as X's detours do not all count: MET says what it meets if they do. */
static struct mpg_replay_met meet_passed(const struct mpg_interval *x,
                                         const struct mpg_resampled *record,
                                         const struct looked_up *l, uint32_t k, uint32_t at)
{
    const double begin_ns = l->begin_ns[k], work_ns = l->work_ns[k];
    double *passed = &x->passed_ns[at + l->lane[k]], passed_ns = *passed, since_ns;
    struct mpg_replay_hint hint = l->before[k];
    struct mpg_replay_met met = l->met[k];
    if (begin_ns >= passed_ns) {
        double left_ns = mpg_resampled_detour_left(record, l->part[k], begin_ns, &hint, &since_ns);
        passed_ns = mpg_records_passed(x, begin_ns, left_ns, since_ns);
    }
    double free_ns = passed_ns - begin_ns;
    if (!(free_ns > 0))
        return met;
    *passed = passed_ns;
    if (work_ns <= free_ns)
        return (struct mpg_replay_met){.time_ns = work_ns};
    met = mpg_resampled_meet(record, l->part[k], passed_ns, work_ns - free_ns, &hint);
    met.time_ns = free_ns + met.time_ns;
    return met;
}

/* Finds what the lanes L meet, those of X from AT on; they are all looked up before any is looked at. */
static void meet(const struct mpg_interval *x, const struct mpg_resampled *record,
                 struct looked_up *l, uint32_t at)
{
    for (uint32_t k = 0; k < l->n; k++)
        l->hint[k] = l->before[k];
    mpg_resampled_meet_lanes(record, l->n, l->part, l->begin_ns, l->work_ns, l->hint, l->met);
    for (uint32_t k = 0; x->passed_ns && k < l->n; k++) {
        const struct mpg_replay_met *met = &l->met[k];
        /* as little work as rounding takes no time in a detour, either */
        const bool is_free = met->time_ns <= l->work_ns[k] && l->work_ns[k] > MPG_ROUNDING_NS;
        const bool is_passed = l->begin_ns[k] >= x->passed_ns[at + l->lane[k]];
        if (!is_free && !(is_passed && met->begins_quiet))
            l->met[k] = meet_passed(x, record, l, k, at);
    }
}

/* Notes in lane W what MET says of the time after it, which began SINCE_NS after MPI_Init and at
 * BEGIN_NS of the record. Look-ups round in other places than these sums, by some units in the last
 * place: what is quiet ends before and begins after that. */
static void note(const struct cursor *c, uint32_t w, const struct mpg_replay_met *met,
                 double since_ns, double begin_ns)
{
    double end_ns = since_ns + met->time_ns;
    double margin_ns =
        MPG_ROUNDING_NS +
        1e-14 * (begin_ns + met->time_ns + (met->quiet_ns > 0 ? met->quiet_ns : 0));
    c->from_ns[w] = end_ns + margin_ns;
    c->to_ns[w] = met->quiet_ns > 2 * margin_ns ? end_ns + met->quiet_ns - margin_ns : -1;
}

void mpg_records_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n)
{
    const struct mpg_machine *target = &p->target_noise;
    if (target->drawn || target->ecdf)
        return;
    const struct mpg_resampled *record = &target->resampled[mpg_machine_seat_of(target, x->rank).core];
    const struct cursor c = cursor_of(x, at);
    for (uint32_t w = 0; w < n; w++)
        mpg_replay_fetch(record->replay, &c.place[w].hint);
}

/* Finds what the lanes L of X meet, those from AT on, replica FIRST; notes it in C (NULL: nowhere). */
static void look_up(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t first,
                    const struct cursor *c, const double *delay_ns, const double *work_ns, struct looked_up *l)
{
    const struct mpg_machine *target = &p->target_noise;
    const struct mpg_resampled *record = &target->resampled[mpg_machine_seat_of(target, x->rank).core];
    for (uint32_t k = 0; k < l->n; k++) {
        const uint32_t w = l->lane[k];
        struct place nowhere = {0}, *place = c ? &c->place[w] : &nowhere;
        if (!c || c->to_ns[w] == 0)
            place->start_ns = mpg_machine_start(target, p->seed, x->rank, first + w);
        const double since_ns = x->since_ns + delay_ns[w];
        l->part[k] = mpg_records_parts(p, first + w);
        l->since_ns[k] = since_ns > 0 ? since_ns : 0;
        l->begin_ns[k] = place->start_ns + l->since_ns[k];
        l->work_ns[k] = work_ns[w];
        l->before[k] = place->hint;
    }
    meet(x, record, l, at);
    for (uint32_t k = 0; c && k < l->n; k++) {
        c->place[l->lane[k]].hint = l->hint[k];
        note(c, l->lane[k], &l->met[k], l->since_ns[k], l->begin_ns[k]);
    }
}

/* Lengthens those of N lanes of X in which nothing interrupts it, as C knows; lists the others in L. */
static void pass(const struct mpg_interval *x, const struct cursor *c, uint32_t n, const double *work_ns,
                 double *delay_ns, struct looked_up *l)
{
    const struct mpg_lane_quiet quiet = {c->from_ns, c->to_ns, MPG_ROUNDING_NS};
    for (uint32_t w = 0; w < n; w += 64 / sizeof *c->place)
        __builtin_prefetch(&c->place[w]);
    l->n = mpg_lane_code()->pass(&quiet, x->since_ns, x->length_ns, work_ns, n, delay_ns, l->lane);
}

void mpg_records_meet(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                      double *time_ns)
{
    struct cursor c;
    struct looked_up l;
    if (x->cursor) {
        double after_ns[MPG_LANES_AT_ONCE]; /* nobody asks for it */
        c = cursor_of(x, at);
        memcpy(after_ns, delay_ns, n * sizeof *after_ns);
        memcpy(time_ns, work_ns, n * sizeof *time_ns);
        pass(x, &c, n, work_ns, after_ns, &l);
    } else {
        for (l.n = 0; l.n < n; l.n++)
            l.lane[l.n] = l.n;
    }
    look_up(p, x, at, first, x->cursor ? &c : NULL, delay_ns, work_ns, &l);
    for (uint32_t k = 0; k < l.n; k++)
        time_ns[l.lane[k]] = l.met[k].time_ns;
}

void mpg_records_pass(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const double *work_ns, double *delay_ns)
{
    const struct cursor c = cursor_of(x, at);
    struct looked_up l;
    pass(x, &c, n, work_ns, delay_ns, &l);
    if (l.n > 0)
        look_up(p, x, at, first, &c, delay_ns, work_ns, &l);
    for (uint32_t k = 0; k < l.n; k++) {
        const uint32_t w = l.lane[k];
        double time_ns = l.met[k].time_ns;
        if (p->scales_noise)
            time_ns = mpg_perturbation_scaled(p, work_ns[w], time_ns);
        delay_ns[w] += fmax(time_ns - x->length_ns, -x->length_ns);
    }
}
