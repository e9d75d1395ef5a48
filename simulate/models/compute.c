/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes compute intervals in several replicas: by noise nu and ratio rho. */
#include <math.h>
#include <string.h>

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"
#include "simulate/noise/removal.h"
#include "simulate/rules.h"

/* --- from signatures --- */

/* Returns the model by which the source's noise is removed: the target's model. Where the target's noise is drawn from
 * distributions, the source's recorded detours are used instead. */
static enum mpg_noise_model source_model(const struct mpg_perturbation *p)
{
    return p->target && p->target_noise.kind && p->target_noise.kind->is_drawn ? MPG_NOISE_ANY : p->noise_model;
}

int mpg_perturbation_use_noise(struct mpg_perturbation *p, struct mpg_error *err)
{
    if (p->target && mpg_noise_use(&p->target_noise, p->target, p->noise_model, err) < 0)
        return -1;
    p->target_cores = p->target_noise.cores;
    if (p->call_noise_of_target && p->target_cores == 0)
        return mpg_error_set(err, "%s: --call-noise=signature: there is no noise in it", p->target->path);
    if (p->source && mpg_noise_use(&p->source_noise, p->source, source_model(p), err) < 0)
        return -1;
    p->source_cores = p->source_noise.cores;
    p->same_noise = p->target_cores > 0 && p->source && mpg_noise_same(p->target, p->source);
    mpg_bootstrap_blocks_draw(&p->parts, p->seed);
    return 0;
}

void mpg_perturbation_clear_noise(struct mpg_perturbation *p)
{
    mpg_noise_clear(&p->target_noise);
    mpg_noise_clear(&p->source_noise);
}

int mpg_perturbation_noise_location(struct mpg_perturbation *p, int32_t ranks, const int32_t *host,
                                    const int32_t *traced, enum mpg_cosched cosched,
                                    struct mpg_error *err)
{
    if (mpg_noise_place(&p->target_noise, ranks, host, p->threads, cosched, err) < 0)
        return -1;
    return mpg_noise_place(&p->source_noise, ranks, traced, p->threads, cosched, err);
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

bool mpg_perturbation_noise_by_class(const struct mpg_perturbation *p)
{
    return mpg_perturbation_noise_removed(p) && !p->source_noise.kind->work_in;
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

/* Returns true if SPECS are all const:0. */
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
           p->target_noise.kind->has_detours && mpg_flight_target_known(p) && mpg_rule_holds(MPG_RULE_COVERED);
}

bool mpg_perturbation_call_noise_measured(const struct mpg_perturbation *p)
{
    return p->call_noise_of_target && p->target_cores > 0 && (!p->same_noise || p->scales_call_noise);
}

size_t mpg_perturbation_cursor_bytes(const struct mpg_perturbation *p)
{
    return p->target_cores > 0 ? p->target_noise.kind->cursor_bytes : 0;
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

/* Returns the factor for the losses of X's rank: time lost by the noise record of the rank's core with the bootstrap blocks PART,
 * over time lost by the whole record. */
static double scale_of(const struct mpg_perturbation *p, const struct mpg_interval *x, const uint8_t *part)
{
    if (!part)
        return 1;
    const uint32_t core = mpg_noise_location_of(&p->source_noise, x->rank).core;
    const double whole = mpg_noise_lost(&p->source_noise, core, NULL);
    return whole > 0 ? mpg_noise_lost(&p->source_noise, core, part) / whole : 1;
}

/* Returns X's length without interruptions, ns: X's length minus SCALE times a randomly drawn loss of X (without LOSSES, minus
 * the fraction `lost`). */
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

/* Applies X's ratio and hypotheses to WORK_NS. */
static double on_target(const struct mpg_interval *x, double work_ns)
{
    return fmax(x->ratio * work_ns + x->more_ns, 0);
}

/* Writes the work of X on the target, ns, into WORK_NS for N replicas from FIRST on: without the source's noise, and without
 * the target's noise. */
static void find_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                      uint32_t first, uint32_t n, double *work_ns)
{
    const struct mpg_noise_source *source = &p->source_noise;
    if (source->kind->work_in) {
        for (uint32_t w = 0; w < n; w++)
            work_ns[w] = on_target(x, source->kind->work_in(source, p->seed, x->rank, first + w, x->since_ns,
                                                            x->length_ns - x->off_ns));
        return;
    }
    const uint8_t *last = NULL;
    double scale = 1;
    for (uint32_t w = 0; w < n; w++) {
        const uint8_t *part = mpg_perturbation_parts(p, first + w);
        if (part != last) /* both replicas of a pair have the same blocks */
            scale = scale_of(p, x, part);
        last = part;
        work_ns[w] = on_target(x, work_without_loss(p, x, scale, first + w));
    }
}

/* N replicas from number FIRST on, which are at index AT of the cursor. */
struct batch {
    uint32_t at, first, n;
};

/* Look-ups in the target's noise are made for several batches at once: the data of the later ones come while the first ones
 * are made. */
enum { MAX_LOOKED_UP = 2 * MPG_LANES_AT_ONCE };

/* Replicas whose work must be looked up in the target's noise record, as offsets from the cursor's first replica, and the time
 * of the work on the target, ns. */
struct looked_up {
    uint32_t n, lane[MAX_LOOKED_UP];
    double since_ns[MAX_LOOKED_UP], work_ns[MAX_LOOKED_UP], time_ns[MAX_LOOKED_UP];
};

static struct mpg_noise_cursor cursor_of(const struct mpg_interval *x, uint32_t at)
{
    return (struct mpg_noise_cursor){.state = x->cursor, .lanes = x->lanes, .at = at};
}

/* Adds the extra time of X to DELAY_NS in all replicas of B in which, according to the cursor, no detour meets X. Lists the
 * remaining replicas in LANE, as offsets from B's first, and returns their number. */
static uint32_t pass(const struct mpg_perturbation *p, const struct mpg_interval *x, const struct batch *b,
                     const struct mpg_lane_work *work, double *delay_ns, uint32_t *lane)
{
    const struct mpg_noise_kind *kind = p->target_noise.kind;
    if (x->cursor && kind->pass)
        return kind->pass(cursor_of(x, b->at), x->since_ns, x->length_ns, work, b->n, delay_ns, lane);
    for (uint32_t w = 0; w < b->n; w++)
        lane[w] = w;
    return b->n;
}

/* Appends the N replicas LANE of B to L, with their WORK, which begins DELAY_NS late. */
static void list(const struct mpg_interval *x, const struct batch *b, const struct mpg_lane_work *work, const uint32_t *lane,
                 uint32_t n, const double *delay_ns, struct looked_up *l)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t w = lane[k];
        const double since_ns = x->since_ns + delay_ns[w];
        l->lane[l->n] = b->at + w;
        l->since_ns[l->n] = since_ns > 0 ? since_ns : 0;
        l->work_ns[l->n++] = mpg_lane_work_in(work, w);
    }
}

/* Finds the time of the work of X for the replicas L, offsets from replica FIRST. The time that noise takes is multiplied by
 * FACTOR. */
static void look_up(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t first, double factor,
                    struct looked_up *l)
{
    const struct mpg_noise_source *target = &p->target_noise;
    const struct mpg_begun_work begun = {.rank = x->rank,
                                        .seed = p->seed,
                                        .parts = p->measurement_fixed ? NULL : &p->parts,
                                        .cursor = cursor_of(x, 0),
                                        .n = l->n,
                                        .first = first,
                                        .lane = l->lane,
                                        .since_ns = l->since_ns,
                                        .work_ns = l->work_ns,
                                        .covered_ns = x->covered_ns,
                                        .passed_ns = x->passed_ns};
    if (x->cursor && target->kind->fetch && x->lanes > MPG_LANES_AT_ONCE) /* fewer lanes have been fetched before */
        target->kind->fetch(&target->core[mpg_noise_location_of(target, x->rank).core], begun.cursor, l->lane, l->n);
    target->kind->time_for(target, &begun, l->time_ns);
    for (uint32_t k = 0; k < l->n && factor != 1; k++)
        l->time_ns[k] = l->work_ns[k] + factor * (l->time_ns[k] - l->work_ns[k]);
}

/* Returns true if B, one of the batches of N replicas, is the last, or L has no room for another one. */
static bool is_full(const struct looked_up *l, const struct batch *b, uint32_t n)
{
    return b->at + b->n == n || l->n > MAX_LOOKED_UP - MPG_LANES_AT_ONCE;
}

/* Looks up the work of X for the replicas L, adds its extra time to DELAY_NS, and empties L. */
static void add_looked_up(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t first, double *delay_ns,
                          struct looked_up *l)
{
    look_up(p, x, first, p->scales_noise ? p->noise_factor : 1, l);
    for (uint32_t k = 0; k < l->n; k++) {
        const double more_ns = l->time_ns[k] - x->length_ns, min_ns = -x->length_ns;
        delay_ns[l->lane[k]] += more_ns > min_ns ? more_ns : min_ns;
    }
    l->n = 0;
}

/* Adds the extra time of X to DELAY_NS for the replicas of B, or lists them in L. If REMOVED, the source's noise is removed. */
static void lengthen(const struct mpg_perturbation *p, const struct mpg_interval *x, bool removed, const struct batch *b,
                     double *delay_ns, struct looked_up *l)
{
    double without_ns[MPG_LANES_AT_ONCE];
    struct mpg_lane_work work = {.all = on_target(x, x->length_ns - x->off_ns)};
    uint32_t lane[MPG_LANES_AT_ONCE];
    if (removed) {
        find_work(p, x, b->first, b->n, without_ns);
        work.each = without_ns;
    }
    if (p->target_cores == 0) { /* without target noise, only the source's noise is removed */
        mpg_lane_code()->lengthen(without_ns, x->length_ns, b->n, delay_ns);
        return;
    }
    if (x->visit_number > 0) {
        mpg_perturb_threads(p, x, p->scales_noise ? p->noise_factor : 1, b->at, b->first, b->n, &work, delay_ns);
        return;
    }
    const uint32_t n = pass(p, x, b, &work, delay_ns, lane);
    list(x, b, &work, lane, n, delay_ns, l);
}

void mpg_perturbation_fetch(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t at, uint32_t n)
{
    const struct mpg_noise_source *target = &p->target_noise;
    if (target->kind->fetch)
        target->kind->fetch(&target->core[mpg_noise_location_of(target, x->rank).core], cursor_of(x, at), NULL, n);
}

/* Returns at most MPG_LANES_AT_ONCE of the N replicas from FIRST on, which are at index AT of the cursor. */
static struct batch batch_at(uint32_t at, uint32_t first, uint32_t n)
{
    return (struct batch){at, first + at, n - at < MPG_LANES_AT_ONCE ? n - at : MPG_LANES_AT_ONCE};
}

/* Adds GROWTH_NS to ADDED_NS, the losses of X's rank in the replicas of B, after those of its other threads. */
static void add_drawn(const struct mpg_perturbation *p, const struct mpg_interval *x, double growth_ns, const struct batch *b,
                      double *added_ns)
{
    if (p->noise.n > 0)
        mpg_perturb_threads_drawn(p, x, b->first, b->n, added_ns);
    for (uint32_t w = 0; w < b->n; w++)
        added_ns[w] += growth_ns;
}

void mpg_perturb_compute(const struct mpg_perturbation *p, const struct mpg_interval *x,
                         uint32_t first, uint32_t n, double *delay_ns)
{
    const bool removed = mpg_perturbation_noise_removed(p);
    if (removed || (mpg_perturbation_noise_measured(p) && !mpg_perturbation_noise_unchanged(p))) {
        struct looked_up l;
        l.n = 0;
        for (struct batch b = batch_at(0, first, n); b.n > 0; b = batch_at(b.at + b.n, first, n)) {
            lengthen(p, x, removed, &b, delay_ns + b.at, &l);
            if (l.n > 0 && is_full(&l, &b, n))
                add_looked_up(p, x, first, delay_ns, &l);
        }
        return;
    }
    const double growth_ns = on_target(x, x->length_ns - x->off_ns) - x->length_ns;
    if (growth_ns == 0 && p->noise.n == 0)
        return;
    struct mpg_address address = {
        .seed = p->seed, .call = x->call, .rank = x->rank, .purpose = MPG_DRAW_NOISE};
    double added_ns[MPG_LANES_AT_ONCE];
    for (struct batch b = batch_at(0, first, n); b.n > 0; b = batch_at(b.at + b.n, first, n)) {
        for (uint32_t w = 0; w < b.n; w++)
            added_ns[w] = x->visit_number > 0 ? 0 : growth_ns;
        mpg_specs_draw(&p->noise, &address, 1, b.first, b.n, added_ns);
        if (x->visit_number > 0)
            add_drawn(p, x, growth_ns, &b, added_ns);
        for (uint32_t w = 0; w < b.n; w++)
            delay_ns[b.at + w] += fmax(added_ns[w], -x->length_ns);
    }
}

/* Returns the factor of the target's noise inside calls. If source and target have the same noise, the trace already contains
 * this noise once: only the rest of the factor is added. */
static double call_noise_factor(const struct mpg_perturbation *p)
{
    if (p->scales_call_noise)
        return p->call_noise_factor - (p->same_noise ? 1 : 0);
    return p->scales_noise ? p->noise_factor : 1;
}

void mpg_perturb_call_work(const struct mpg_perturbation *p, const struct mpg_interval *x,
                           uint32_t first, uint32_t n, const double *delay_ns, double *value_ns)
{
    const struct mpg_lane_work work = {.all = x->length_ns};
    const double factor = call_noise_factor(p);
    double after_ns[MPG_LANES_AT_ONCE]; /* not used */
    uint32_t lane[MPG_LANES_AT_ONCE];
    struct looked_up l;
    l.n = 0;
    for (struct batch b = batch_at(0, first, n); b.n > 0; b = batch_at(b.at + b.n, first, n)) {
        memcpy(after_ns, delay_ns + b.at, b.n * sizeof *after_ns);
        list(x, &b, &work, lane, pass(p, x, &b, &work, after_ns, lane), delay_ns + b.at, &l);
        if (l.n > 0 && is_full(&l, &b, n)) {
            look_up(p, x, first, factor, &l);
            for (uint32_t k = 0; k < l.n; k++)
                value_ns[l.lane[k]] += l.time_ns[k] - x->length_ns;
            l.n = 0;
        }
    }
}
