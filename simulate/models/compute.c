/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system takes from computation, for a vector of lanes: nu and rho. */
#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"
#include "simulate/models/records.h"
#include "simulate/noise/lookups.h"
#include "simulate/noise/removal.h"
#include "simulate/rules.h"

/* --- from signatures --- */

/* What the source's noise is taken out by: where the target's detours are drawn, what it met. */
static enum mpg_noise_model source_model(const struct mpg_perturbation *p)
{
    return p->target_noise.drawn ? MPG_NOISE_ANY : p->noise_model;
}

int mpg_perturbation_use_noise(struct mpg_perturbation *p, struct mpg_error *err)
{
    if (p->target && mpg_machine_init(&p->target_noise, p->target, p->noise_model, err) < 0)
        return -1;
    p->target_cores = p->target_noise.cores;
    if (p->call_noise_of_target && p->target_cores == 0)
        return mpg_error_set(err, "%s: --call-noise=signature: there is no noise in it", p->target->path);
    if (p->source && mpg_machine_init(&p->source_noise, p->source, source_model(p), err) < 0)
        return -1;
    p->source_cores = p->source_noise.cores;
    p->same_noise = p->target_cores > 0 && p->source && mpg_machine_same(p->target, p->source);
    mpg_parts_draw(&p->parts, p->seed);
    return 0;
}

void mpg_perturbation_clear_noise(struct mpg_perturbation *p)
{
    mpg_machine_clear(&p->target_noise);
    mpg_machine_clear(&p->source_noise);
}

int mpg_perturbation_seat(struct mpg_perturbation *p, int32_t ranks, const int32_t *host,
                          const int32_t *traced, enum mpg_cosched cosched,
                          struct mpg_error *err)
{
    if (mpg_machine_seat(&p->target_noise, ranks, host, cosched, err) < 0)
        return -1;
    return mpg_machine_seat(&p->source_noise, ranks, traced, cosched, err);
}

bool mpg_perturbation_noise_measured(const struct mpg_perturbation *p)
{
    return p->noise.n == 0 && p->target_cores > 0;
}

bool mpg_perturbation_noise_removed(const struct mpg_perturbation *p)
{
    return p->noise.n == 0 && p->target && p->source_cores > 0 &&
           !mpg_perturbation_noise_unchanged(p) && mpg_rule_holds(MPG_RULE_INTERRUPTIONS);
}

bool mpg_perturbation_noise_alike(const struct mpg_perturbation *p)
{
    return mpg_perturbation_noise_removed(p) && !p->source_noise.ecdf;
}

bool mpg_perturbation_removes_off_cpu(const struct mpg_perturbation *p)
{
    return (p->predicts || p->target) && mpg_rule_holds(MPG_RULE_OFF_CPU);
}

bool mpg_perturbation_noise_unchanged(const struct mpg_perturbation *p)
{
    return p->noise.n == 0 && p->same_noise && !p->off_cpu_known && !p->scales_noise && p->compute_ratio == 1 &&
           !p->regions_differ;
}

/* Whether all of SPECS are constants of 0. */
static bool are_zero(const struct mpg_specs *specs)
{
    bool zero = true;
    for (size_t i = 0; i < specs->n; i++)
        zero = zero && (specs->spec[i].family == MPG_FAMILY_NONE ||
                        (specs->spec[i].family == MPG_FAMILY_CONST && specs->spec[i].a == 0));
    return zero;
}

bool mpg_perturbation_is_quiet(const struct mpg_perturbation *p)
{
    const bool differs = mpg_perturbation_noise_measured(p) || mpg_perturbation_noise_removed(p);
    if (!are_zero(&p->noise))
        return false;
    return !differs || (p->noise.n == 0 && mpg_perturbation_noise_unchanged(p));
}

bool mpg_perturbation_noise_covered(const struct mpg_perturbation *p)
{
    return mpg_perturbation_noise_measured(p) && !mpg_perturbation_noise_unchanged(p) &&
           !p->target_noise.ecdf && mpg_flight_target_known(p) && mpg_rule_holds(MPG_RULE_COVERED);
}

bool mpg_perturbation_call_noise_measured(const struct mpg_perturbation *p)
{
    return p->call_noise_of_target && p->target_cores > 0 && !p->same_noise;
}

size_t mpg_perturbation_cursor_bytes(const struct mpg_perturbation *p)
{
    if (p->target_cores == 0 || p->target_noise.ecdf)
        return 0;
    return p->target_noise.drawn ? sizeof(struct mpg_renewal_cursor) : mpg_records_cursor_bytes();
}

bool mpg_perturbation_noise_is_random(const struct mpg_perturbation *p)
{
    return mpg_specs_are_random(&p->noise) || mpg_perturbation_call_noise_measured(p) ||
           (!mpg_perturbation_noise_unchanged(p) &&
            (mpg_perturbation_noise_measured(p) || mpg_perturbation_noise_removed(p)));
}

bool mpg_perturbation_changes_computation(const struct mpg_perturbation *p)
{
    return p->noise.n > 0 || p->compute_ratio != 1 || p->region_ratios || p->changes_work ||
           mpg_perturbation_noise_measured(p) || mpg_perturbation_noise_removed(p) ||
           mpg_perturbation_removes_off_cpu(p);
}

/* --- intervals --- */

/* How much more or less the source's record loses with the parts PART, another measurement of the machine. */
static double scale_of(const struct mpg_perturbation *p, const struct mpg_interval *x, const uint8_t *part)
{
    if (!part)
        return 1;
    const struct mpg_resampled *record =
        &p->source_noise.resampled[mpg_machine_seat_of(&p->source_noise, x->rank).core];
    const double whole = mpg_resampled_lost(record, NULL);
    return whole > 0 ? mpg_resampled_lost(record, part) / whole : 1;
}

/* X without what interruptions took from it, times SCALE: one of its losses is drawn. */
static double work_without_loss(const struct mpg_perturbation *p, const struct mpg_interval *x, double scale,
                                uint32_t replica)
{
    if (!x->losses)
        return x->alike_ns * (1 - fmin(1, x->lost * scale));
    const struct mpg_address address = {
        .seed = p->seed, .call = x->call, .rank = x->rank, .purpose = MPG_DRAW_REMOVED};
    const int cell = (int)(MPG_REMOVAL_CELLS * mpg_draw(&address, replica));
    return fmax(0, x->alike_ns - scale * (double)x->losses[cell]);
}

/* The work of as many quanta of the source as X is long. */
static double work_of_quanta(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t replica)
{
    const struct mpg_machine *source = &p->source_noise;
    const struct mpg_seat seat = mpg_machine_seat_of(source, x->rank);
    const double from_ns = mpg_machine_start(source, NULL, p->seed, x->rank, replica) + x->since_ns;
    return mpg_quanta_work_in(source->quanta[seat.core], p->seed, seat.leader, replica, from_ns,
                              x->length_ns - x->off_ns);
}

/* How long WORK_NS of X, which begins at BEGIN_NS, takes among the drawn detours OF, in lane W. */
static double time_in_renewal(const struct mpg_interval *x, const struct mpg_renewal_of *of,
                              double begin_ns, double work_ns, uint32_t w)
{
    struct mpg_renewal_cursor nowhere = {.open = false};
    struct mpg_renewal_cursor *cursor =
        x->cursor ? (struct mpg_renewal_cursor *)x->cursor + w : &nowhere;
    if (!x->passed_ns)
        return mpg_renewal_time_for(of, cursor, begin_ns, work_ns);
    double passed_ns = x->passed_ns[w], since_ns;
    if (begin_ns >= passed_ns) {
        double left_ns = mpg_renewal_detour_left(of, cursor, begin_ns, &since_ns);
        passed_ns = left_ns > 0 && mpg_detour_is_covered(x->covered_ns, since_ns) ? begin_ns + left_ns : 0;
    }
    double free_ns = passed_ns - begin_ns;
    if (!(free_ns > 0))
        return mpg_renewal_time_for(of, cursor, begin_ns, work_ns);
    x->passed_ns[w] = passed_ns;
    if (work_ns <= free_ns)
        return work_ns;
    return free_ns + mpg_renewal_time_for(of, cursor, passed_ns, work_ns - free_ns);
}

/* How long WORK_NS of X takes on a target without records in lane W, that of REPLICA. */
static double time_without_records(const struct mpg_perturbation *p, const struct mpg_interval *x,
                                   double work_ns, double delay_ns, uint32_t w, uint32_t replica)
{
    const struct mpg_machine *target = &p->target_noise;
    double begin_ns =
        mpg_machine_start(target, NULL, p->seed, x->rank, replica) + fmax(x->since_ns + delay_ns, 0);
    if (target->drawn) {
        struct mpg_renewal_of of = mpg_machine_renewal(target, p->seed, x->rank, replica);
        return time_in_renewal(x, &of, begin_ns, work_ns, w);
    }
    const struct mpg_seat seat = mpg_machine_seat_of(target, x->rank);
    return mpg_quanta_time_for(target->quanta[seat.core], p->seed, seat.leader, replica, begin_ns,
                               work_ns);
}

/* How long WORK_NS of X takes on the target in each of N lanes from lane AT on, replica FIRST. */
static void meet_noise(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                       uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                       double *time_ns)
{
    if (!p->target_noise.drawn && !p->target_noise.ecdf) {
        mpg_records_meet(p, x, at, first, n, delay_ns, work_ns, time_ns);
        return;
    }
    for (uint32_t w = 0; w < n; w++)
        time_ns[w] = time_without_records(p, x, work_ns[w], delay_ns[w], at + w, first + w);
}

/* The same with what noise takes by P's factor. */
static void find_times(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at,
                       uint32_t first, uint32_t n, const double *delay_ns, const double *work_ns,
                       double *time_ns)
{
    meet_noise(p, x, at, first, n, delay_ns, work_ns, time_ns);
    for (uint32_t w = 0; w < n && p->scales_noise; w++)
        time_ns[w] = mpg_perturbation_scaled(p, work_ns[w], time_ns[w]);
}

/* What becomes of WORK_NS of X there. */
static double on_target(const struct mpg_interval *x, double work_ns)
{
    return fmax(x->ratio * work_ns + x->more_ns, 0);
}

/* What X is on the target but for its noise, without the source's, in each of N lanes, replica FIRST the first. */
static void find_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                      uint32_t first, uint32_t n, double *work_ns)
{
    if (p->source_noise.ecdf) {
        for (uint32_t w = 0; w < n; w++)
            work_ns[w] = on_target(x, work_of_quanta(p, x, first + w));
        return;
    }
    const uint8_t *last = NULL;
    double scale = 1;
    for (uint32_t w = 0; w < n; w++) {
        const uint8_t *part = mpg_records_parts(p, first + w);
        if (part != last) /* two replicas after each other are one measurement */
            scale = scale_of(p, x, part);
        last = part;
        work_ns[w] = on_target(x, work_without_loss(p, x, scale, first + w));
    }
}

/* Replicas FIRST .. FIRST + N - 1, lanes from AT on; the source's noise is to be REMOVED. */
static void replay(const struct mpg_perturbation *p, const struct mpg_interval *x, bool removed, uint32_t at,
                   uint32_t first, uint32_t n, double *delay_ns)
{
    double work_ns[MPG_LANES_AT_ONCE], time_ns[MPG_LANES_AT_ONCE];
    struct mpg_lane_work work = {.all = on_target(x, x->length_ns - x->off_ns)};
    if (removed) {
        find_work(p, x, first, n, work_ns);
        work.each = work_ns;
    }
    if (x->cursor && !p->target_noise.drawn && !p->target_noise.ecdf) { /* there is a target, then */
        mpg_records_pass(p, x, at, first, n, &work, delay_ns);
        return;
    }
    if (!removed)
        mpg_lane_code()->fill(work.all, n, work_ns);
    if (p->target_cores > 0)
        find_times(p, x, at, first, n, delay_ns, work_ns, time_ns);
    mpg_lane_code()->lengthen(p->target_cores > 0 ? time_ns : work_ns, x->length_ns, n, delay_ns);
}

void mpg_perturb_compute(const struct mpg_perturbation *p, const struct mpg_interval *x,
                         uint32_t first, uint32_t n, double *delay_ns)
{
    const bool removed = mpg_perturbation_noise_removed(p);
    if (removed || (mpg_perturbation_noise_measured(p) && !mpg_perturbation_noise_unchanged(p))) {
        for (uint32_t done = 0, m; done < n; done += m) {
            m = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
            replay(p, x, removed, done, first + done, m, delay_ns + done);
        }
        return;
    }
    const double growth_ns = on_target(x, x->length_ns - x->off_ns) - x->length_ns;
    if (growth_ns == 0 && p->noise.n == 0)
        return;
    struct mpg_address address = {
        .seed = p->seed, .call = x->call, .rank = x->rank, .purpose = MPG_DRAW_NOISE};
    double added_ns[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, m; done < n; done += m) {
        m = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        for (uint32_t w = 0; w < m; w++)
            added_ns[w] = growth_ns;
        mpg_specs_draw(&p->noise, &address, 1, first + done, m, added_ns);
        for (uint32_t w = 0; w < m; w++)
            delay_ns[done + w] += fmax(added_ns[w], -x->length_ns);
    }
}

void mpg_perturb_call_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                           uint32_t first, uint32_t n, const double *delay_ns, double *value_ns)
{
    double work_ns[MPG_LANES_AT_ONCE], time_ns[MPG_LANES_AT_ONCE];
    for (uint32_t w = 0; w < MPG_LANES_AT_ONCE; w++)
        work_ns[w] = x->length_ns;
    for (uint32_t done = 0, m; done < n; done += m) {
        m = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        find_times(p, x, done, first + done, m, delay_ns + done, work_ns, time_ns);
        for (uint32_t w = 0; w < m; w++)
            value_ns[done + w] += time_ns[w] - x->length_ns;
    }
}
