/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work in records: what lanes know by themselves, and look-ups for those that do not. */
#include "simulate/models/records.h"

#include <math.h>
#include <string.h>

#include "simulate/draws/lane_code.h"
#include "simulate/noise/lookups.h"
#include "simulate/rounding.h"

/* A cursor is, of each of N lanes, times after MPI_Init between which nothing interrupts, and its place. */
enum { DOUBLES = 2, LANE_BYTES = DOUBLES * sizeof(double) + sizeof(struct mpg_noise_place) };

struct cursor {
    double *from_ns, *to_ns; /* to_ns <= 0: no time is known to be quiet */
    struct mpg_noise_place *place; /* of all lanes */
};

size_t mpg_records_cursor_bytes(void)
{
    return LANE_BYTES;
}

/* The lanes from AT on of X, which has LANES of them. */
static struct cursor cursor_of(const struct mpg_interval *x, uint32_t at)
{
    double *first = x->cursor;
    return (struct cursor){first + at, first + x->lanes + at, (void *)(first + DOUBLES * (size_t)x->lanes)};
}

/* Lanes that are looked up, and what each meets. */
struct looked_up {
    uint32_t n, lane[MPG_LANES_AT_ONCE];
    double since_ns[MPG_LANES_AT_ONCE], work_ns[MPG_LANES_AT_ONCE];
    struct mpg_work_met met[MPG_LANES_AT_ONCE];
};

/* Notes in lane W what MET says of the time after it, which began SINCE_NS after MPI_Init. Look-ups round in other
 * places than these sums, by some units in the last place: what is quiet ends before and begins after that. */
static void note(const struct cursor *c, uint32_t w, const struct mpg_work_met *met, double since_ns)
{
    const double end_ns = since_ns + met->time_ns, quiet_ns = met->quiet_ns > 0 ? met->quiet_ns : 0;
    const double margin_ns = MPG_ROUNDING_NS + 1e-14 * (met->end_ns + quiet_ns);
    c->from_ns[w] = end_ns + margin_ns;
    c->to_ns[w] = quiet_ns > 2 * margin_ns ? end_ns + quiet_ns - margin_ns : -1;
}

void mpg_records_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n)
{
    if (!p->target_noise.drawn && !p->target_noise.ecdf)
        mpg_machine_fetch(&p->target_noise, x->rank, cursor_of(x, at).place + at, n);
}

/* Finds what the lanes L of X meet, those from AT on, replica FIRST; notes it in C (NULL: nowhere). */
static void look_up(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t first,
                    const struct cursor *c, const double *delay_ns, const struct mpg_lane_work *work,
                    struct looked_up *l)
{
    for (uint32_t k = 0; k < l->n; k++) {
        const uint32_t w = l->lane[k];
        const double since_ns = x->since_ns + delay_ns[w];
        l->since_ns[k] = since_ns > 0 ? since_ns : 0;
        l->work_ns[k] = mpg_lane_work_in(work, w);
    }
    const struct mpg_begun_work begun = {.rank = x->rank,
                                        .n = l->n,
                                        .at = at,
                                        .first = first - at,
                                        .lane = l->lane,
                                        .since_ns = l->since_ns,
                                        .work_ns = l->work_ns,
                                        .covered_ns = x->covered_ns,
                                        .passed_ns = x->passed_ns,
                                        .place = c ? c->place : NULL};
    mpg_machine_meet(&p->target_noise, p->measurement_fixed ? NULL : &p->parts, p->seed, &begun, l->met);
    for (uint32_t k = 0; c && k < l->n; k++)
        note(c, l->lane[k], &l->met[k], l->since_ns[k]);
}

/* Lengthens those of N lanes of X in which nothing interrupts it, as C knows; lists the others in L. */
static void pass(const struct mpg_interval *x, const struct cursor *c, uint32_t n, const struct mpg_lane_work *work,
                 double *delay_ns, struct looked_up *l)
{
    const struct mpg_lane_quiet quiet = {c->from_ns, c->to_ns, MPG_ROUNDING_NS};
    l->n = mpg_lane_code()->pass(&quiet, x->since_ns, x->length_ns, work, n, delay_ns, l->lane);
}

void mpg_records_meet(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                      double *time_ns)
{
    const struct mpg_lane_work work = {.each = work_ns};
    struct cursor c;
    struct looked_up l;
    if (x->cursor) {
        double after_ns[MPG_LANES_AT_ONCE]; /* nobody asks for it */
        c = cursor_of(x, at);
        memcpy(after_ns, delay_ns, n * sizeof *after_ns);
        memcpy(time_ns, work_ns, n * sizeof *time_ns);
        pass(x, &c, n, &work, after_ns, &l);
    } else {
        for (l.n = 0; l.n < n; l.n++)
            l.lane[l.n] = l.n;
    }
    look_up(p, x, at, first, x->cursor ? &c : NULL, delay_ns, &work, &l);
    for (uint32_t k = 0; k < l.n; k++)
        time_ns[l.lane[k]] = l.met[k].time_ns;
}

void mpg_records_pass(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                      uint32_t first, uint32_t n, const struct mpg_lane_work *work, double *delay_ns)
{
    const struct cursor c = cursor_of(x, at);
    struct looked_up l;
    pass(x, &c, n, work, delay_ns, &l);
    if (l.n > 0)
        look_up(p, x, at, first, &c, delay_ns, work, &l);
    for (uint32_t k = 0; k < l.n; k++) {
        const uint32_t w = l.lane[k];
        double time_ns = l.met[k].time_ns;
        if (p->scales_noise)
            time_ns = mpg_perturbation_scaled(p, mpg_lane_work_in(work, w), time_ns);
        const double more_ns = time_ns - x->length_ns, least_ns = -x->length_ns;
        delay_ns[w] += more_ns > least_ns ? more_ns : least_ns;
    }
}
