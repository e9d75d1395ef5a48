/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times at which the members of a barrier leave (Shanmugam, Malony, Mohr 1995, 3.3.3 and Table 1; docs/MACHINES.md). */
#include <math.h>
#include <stdlib.h>

#include "simulate/events/costs.h"
#include "simulate/models/times.h"

/* Draws parameter WHICH for member I of barrier M. */
static double draw(const struct replica *rep, const struct meeting *m, int32_t i, enum mpg_parameter which)
{
    return mpg_events_draw_ns(
        rep, which,
        (struct mpg_address){
            .call = m->origin.call, .rank = m->origin.rank, .index = (uint32_t)i, .purpose = MPG_DRAW_COLLECTIVE});
}

/* Sets the startup time and the flight time of a barrier message from member FROM to member TO; both 0 if barriers send no
 * messages. */
static void message(const struct replica *rep, const struct meeting *m, int32_t from, int32_t to, double *startup_ns,
                    double *flight_ns)
{
    const struct mpg_parameters *p = rep->parameters;
    const int32_t a = m->member[from].rank, b = m->member[to].rank;
    const bool near = p->cluster > 1 && mpg_processors_near(rep->processors, a, b);
    const int32_t hops = mpg_processors_hops(rep->processors, a, b), i = from > 0 ? from : to;
    *startup_ns = *flight_ns = 0;
    if (!p->barrier_by_messages)
        return;
    *startup_ns = draw(rep, m, i, near ? MPG_CLUSTER_STARTUP : MPG_STARTUP);
    *flight_ns = p->barrier_bytes * draw(rep, m, i, near ? MPG_CLUSTER_BYTE : MPG_BYTE);
    if (hops > 0)
        *flight_ns += hops * draw(rep, m, i, MPG_HOP);
}

/* The first time BEGIN + k CHECK with k >= MIN at or after AT, but for rounding. */
static double next_check(double begin_ns, double check_ns, int min, double at_ns)
{
    if (check_ns <= 0)
        return fmax(begin_ns, at_ns);
    const double k = ceil((at_ns - begin_ns) / check_ns - 1e-9);
    return begin_ns + fmax(k, min) * check_ns;
}

static void linear(const struct replica *rep, struct meeting *m, const double *came_ns)
{
    double last_ns = -INFINITY, sent_ns = 0, startup_ns, flight_ns;
    const int32_t n = (int32_t)m->n;
    const double master_ns = came_ns[0] + draw(rep, m, 0, MPG_ENTRY);
    for (int32_t i = 0; i < n; i++) {
        startup_ns = flight_ns = 0;
        if (i > 0)
            message(rep, m, i, 0, &startup_ns, &flight_ns);
        last_ns = fmax(last_ns, came_ns[i] + draw(rep, m, i, MPG_ENTRY) + startup_ns + flight_ns);
    }
    const double lowers_ns =
        next_check(master_ns, draw(rep, m, 0, MPG_CHECK), 1, last_ns) + draw(rep, m, 0, MPG_MODEL);
    for (int32_t i = 1; i < n; i++) {
        message(rep, m, 0, i, &startup_ns, &flight_ns);
        sent_ns += startup_ns;
        m->member[i].end_ns = next_check(came_ns[i] + draw(rep, m, i, MPG_ENTRY), draw(rep, m, i, MPG_EXIT_CHECK), 0,
                                         lowers_ns + sent_ns + flight_ns) +
                              draw(rep, m, i, MPG_EXIT);
    }
    m->member[0].end_ns = lowers_ns + sent_ns + draw(rep, m, 0, MPG_EXIT);
}

/* Dissemination: in round k member i sends to member i + 2^k and receives from member i - 2^k. */
static void dissemination(const struct replica *rep, struct meeting *m, double *at_ns, double *before_ns)
{
    const int32_t n = (int32_t)m->n;
    for (int64_t distance = 1; distance < n; distance *= 2) {
        double startup_ns, flight_ns;
        for (int32_t i = 0; i < n; i++) {
            message(rep, m, i, (int32_t)((i + distance) % n), &startup_ns, &flight_ns);
            before_ns[i] = at_ns[i] + draw(rep, m, i, MPG_ENTRY) + startup_ns;
        }
        for (int32_t i = 0; i < n; i++) {
            const int32_t from = (int32_t)((i - distance + n) % n);
            message(rep, m, from, i, &startup_ns, &flight_ns);
            at_ns[i] = fmax(before_ns[i], before_ns[from] + flight_ns);
        }
    }
    for (int32_t i = 0; i < n; i++)
        m->member[i].end_ns = at_ns[i];
}

int mpg_events_barrier_meet(void *replica, struct meeting *m, struct mpg_error *err)
{
    struct replica *rep = replica;
    double *came_ns = calloc(m->n, 2 * sizeof *came_ns); /* cleared: GCC 16 assumes M may be empty */
    if (!came_ns)
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < m->n; i++)
        came_ns[i] = *mpg_times_slot(rep->times, m->member[i].slot, MPG_SLOT_TIME);
    if (rep->counts)
        rep->x->barriers++;
    if (rep->parameters->barrier == MPG_BARRIER_LOG)
        dissemination(rep, m, came_ns, came_ns + m->n);
    else
        linear(rep, m, came_ns);
    free(came_ns);
    return mpg_events_program_met(&rep->program, m, &rep->calls, err);
}
