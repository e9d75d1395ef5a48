/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes perturbations from signatures and options; queries about perturbations. */
#include "simulate/models/perturbation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- from signatures --- */

/* Sets ERR to the message that SIG has no path of class PATH, with a list of the classes that SIG has. */
static int no_path(const struct mpg_signature *sig, enum mpg_path_class path,
                   struct mpg_error *err)
{
    char others[128] = "";
    for (size_t i = 0; i < sig->paths; i++) {
        size_t used = strlen(others);
        snprintf(others + used, sizeof others - used, "%s %s", i > 0 ? "," : "; measured were:",
                 mpg_path_name(sig->network[i].path));
    }
    return mpg_error_set(err, "%s: no path '%s' was measured%s", sig->path, mpg_path_name(path),
                         others);
}

static int choose_paths(struct mpg_perturbation *p, enum mpg_path_class path,
                        struct mpg_error *err)
{
    if (p->target)
        p->target_path = path == MPG_PATHS ? mpg_signature_farthest(p->target)
                                           : mpg_signature_path(p->target, path);
    if (p->target && path != MPG_PATHS && !p->target_path)
        return no_path(p->target, path, err);
    if (p->source && !p->source_path && p->target_path)
        p->source_path = mpg_signature_path(p->source, p->target_path->path);
    if (p->source && !p->source_path)
        p->source_path = mpg_signature_farthest(p->source);
    return 0;
}

/* Uses the measured times of the arithmetic in reductions, if both machines have these times; in predict mode, if the target has
 * these times. Without a source, the target's times are used for both machines. */
static void use_reductions(struct mpg_perturbation *p)
{
    const struct mpg_signature *other = p->source && !p->predicts ? p->source : p->target;
    if (!p->target || p->target->reductions == 0 || other->reductions == 0)
        return;
    p->reduces = p->target;
    p->source_reduces = other;
}

int mpg_perturbation_use(struct mpg_perturbation *p, const struct mpg_signature *target,
                         const struct mpg_signature *source, enum mpg_path_class path,
                         const struct mpg_network_path *source_path, struct mpg_error *err)
{
    p->target = target;
    p->source = source;
    p->source_path = source_path;
    if (mpg_perturbation_use_noise(p, err) < 0)
        return -1;
    if (choose_paths(p, path, err) < 0)
        return -1;
    if (!p->predicts && mpg_perturbation_use_fits(p, err) < 0)
        return -1;
    mpg_perturbation_use_overheads(p);
    use_reductions(p);
    return mpg_perturbation_use_collectives(p, err);
}

void mpg_perturbation_clear(struct mpg_perturbation *p)
{
    mpg_perturbation_clear_noise(p);
    mpg_perturbation_clear_collectives(p);
    mpg_perturbation_clear_fits(p);
    free(p->launch);
    mpg_specs_clear(&p->noise);
    mpg_specs_clear(&p->call_noise);
    mpg_specs_clear(&p->latency);
    mpg_specs_clear(&p->byte);
}

/* --- launches --- */

/* Returns the smaller of two numbers of launches; ignores numbers below 2. */
static uint32_t fewest(uint32_t a, size_t b)
{
    return b == 0 || (a > 1 && (b == 1 || a <= b)) ? a : (uint32_t)b;
}

static uint32_t launches_of_sizes(const struct mpg_network_sizes *sizes)
{
    uint32_t n = 0;
    for (size_t i = 0; i < sizes->n; i++)
        n = fewest(n, sizes->size[i].launches.n);
    return n;
}

static uint32_t launches_of_path(const struct mpg_network_path *path)
{
    if (!path)
        return 0;
    const struct mpg_network_sizes *all[] = {&path->latency, &path->bandwidth, &path->sender, &path->send_overhead,
                                             &path->receive_overhead};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n = fewest(n, launches_of_sizes(all[i]));
    return n;
}

/* Returns the smallest number of launches of the measurements on PATH and of the collectives. */
static uint32_t launches_in_use(const struct mpg_signature *sig, const struct mpg_network_path *path)
{
    uint32_t n = launches_of_path(path);
    for (size_t i = 0; sig && i < sig->collectives; i++)
        n = fewest(n, sig->collective[i].launches.n);
    return n;
}

/* Returns the smallest number of launches of the measurements on all paths, streams included. */
static uint32_t launches_of_paths(const struct mpg_signature *sig)
{
    uint32_t n = 0;
    for (int i = 0; sig && i < MPG_PATHS; i++) {
        const struct mpg_network_path *path = mpg_signature_path(sig, (enum mpg_path_class)i);
        n = fewest(n, launches_of_path(path));
        n = path ? fewest(n, launches_of_sizes(&path->streaming)) : n;
    }
    return n;
}

/* Returns the number of launches to draw from; 0: launches are not drawn. */
static uint32_t launches_drawn(const struct mpg_perturbation *p)
{
    if (p->measurement_fixed)
        return 0;
    uint32_t n = fewest(launches_in_use(p->target, p->target_path), launches_in_use(p->source, p->source_path));
    if (p->every_path)
        n = fewest(n, launches_of_paths(p->target));
    if (p->every_source_path)
        n = fewest(n, launches_of_paths(p->source));
    return n;
}

int mpg_perturbation_measure(struct mpg_perturbation *p, uint32_t first, uint32_t n,
                             struct mpg_error *err)
{
    struct mpg_address address = {.seed = p->seed, .purpose = MPG_DRAW_LAUNCH};
    free(p->launch);
    p->launch = NULL;
    if (n == 0 || launches_drawn(p) == 0)
        return 0;
    p->first_replica = first;
    p->launch = malloc(n * sizeof *p->launch);
    if (!p->launch)
        return mpg_error_set(err, "out of memory");
    for (uint32_t w = 0; w < n; w++)
        p->launch[w] = mpg_draw(&address, (first + w) / 2);
    return 0;
}

/* --- queries --- */

bool mpg_perturbation_latency_measured(const struct mpg_perturbation *p)
{
    enum mpg_flight_rule rule = mpg_flight_rule(p);
    return p->latency.n == 0 && (rule == MPG_FLIGHT_DIFFERENCE || rule == MPG_FLIGHT_TARGET);
}

bool mpg_perturbation_has_transfers(const struct mpg_network_path *path)
{
    size_t n = path ? path->bandwidth.n : 0;
    return n > 0 && path->bandwidth.size[n - 1].size_bytes > 0;
}

bool mpg_perturbation_bytes_measured(const struct mpg_perturbation *p)
{
    return p->byte.n == 0 && mpg_flight_rule(p) != MPG_FLIGHT_NONE;
}

bool mpg_perturbation_overheads_measured(const struct mpg_perturbation *p)
{
    return p->overhead[MPG_OVERHEAD_SEND].target || p->overhead[MPG_OVERHEAD_RECEIVE].target;
}

bool mpg_perturbation_one_sided_measured(const struct mpg_perturbation *p)
{
    bool any = false;
    for (int i = MPG_OVERHEAD_ONE_SIDED; i < MPG_OVERHEADS; i++)
        any = any || p->overhead[i].target;
    return any;
}

double mpg_perturbation_reduction(const struct mpg_perturbation *p, bool of_source, double bytes)
{
    return mpg_signature_reduction_ns(of_source || p->unperturbed ? p->source_reduces : p->reduces, bytes);
}

/* Returns true if a time of messages or calls comes from a signature. */
static bool any_measured(const struct mpg_perturbation *p)
{
    return mpg_perturbation_latency_measured(p) || mpg_perturbation_bytes_measured(p) ||
           mpg_perturbation_overheads_measured(p) || mpg_perturbation_one_sided_measured(p) ||
           mpg_perturbation_collectives_measured(p);
}

struct mpg_resampling mpg_perturbation_resampling(const struct mpg_perturbation *p)
{
    const bool records = mpg_perturbation_noise_measured(p) || mpg_perturbation_call_noise_measured(p);
    return (struct mpg_resampling){.launches = any_measured(p) ? launches_drawn(p) : 0,
                                   .noise = records && !p->measurement_fixed && p->target_noise.kind->is_resampled,
                                   .seed = p->seed};
}

bool mpg_perturbation_is_random(const struct mpg_perturbation *p)
{
    return mpg_perturbation_noise_is_random(p) || mpg_specs_are_random(&p->call_noise) ||
           mpg_specs_are_random(&p->latency) || mpg_specs_are_random(&p->byte) ||
           mpg_perturbation_noise_measured(p) || any_measured(p) ||
           (p->parameters && mpg_parameters_are_random(p->parameters)) ||
           (p->resizes && !p->source_byte_given && p->source_path && p->source_path->latency.n > 0);
}

bool mpg_perturbation_can_speed_messages(const struct mpg_perturbation *p)
{
    return mpg_specs_can_be_negative(&p->latency) || mpg_specs_can_be_negative(&p->byte) ||
           (p->call_edges == MPG_CALL_EDGES_PAPER && mpg_specs_can_be_negative(&p->call_noise)) ||
           p->resizes || any_measured(p); /* tau of a synchronous send is drawn in these cases */
}

/* --- calls --- */

void mpg_perturb_round_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index, uint32_t number,
                            uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed,
                                  .call = call,
                                  .rank = rank,
                                  .purpose = MPG_DRAW_ROUND_CALL,
                                  .index = number + index * MPG_INDEX_OF_SEVERAL};
    mpg_specs_draw(&p->call_noise, &address, 1, first, n, value_ns);
}

void mpg_perturb_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                      uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed, .call = call, .rank = rank, .purpose = MPG_DRAW_CALL};
    mpg_specs_draw(&p->call_noise, &address, 1, first, n, value_ns);
}
