/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawing perturbations of calls and messages for a vector of lanes. */
#include "simulate/models/perturbation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- from signatures --- */

/* Fills ERR: SIG has no path of class PATH, but others. */
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
    if (p->source && p->target_path)
        p->source_path = mpg_signature_path(p->source, p->target_path->path);
    if (p->source && !p->source_path)
        p->source_path = mpg_signature_farthest(p->source);
    return 0;
}

int mpg_perturbation_use(struct mpg_perturbation *p, const struct mpg_signature *target,
                         const struct mpg_signature *source, enum mpg_path_class path,
                         struct mpg_error *err)
{
    p->target = target;
    p->source = source;
    if (mpg_perturbation_use_noise(p, err) < 0)
        return -1;
    return choose_paths(p, path, err);
}

void mpg_perturbation_clear(struct mpg_perturbation *p)
{
    mpg_perturbation_clear_noise(p);
    mpg_specs_clear(&p->noise);
    mpg_specs_clear(&p->call_noise);
    mpg_specs_clear(&p->latency);
    mpg_specs_clear(&p->byte);
}

bool mpg_perturbation_latency_measured(const struct mpg_perturbation *p)
{
    return p->latency.n == 0 && p->target_path && p->target_path->latency.n > 0;
}

bool mpg_perturbation_has_transfers(const struct mpg_network_path *path)
{
    size_t n = path ? path->bandwidth.n : 0;
    return n > 0 && path->bandwidth.size[n - 1].size_bytes > 0;
}

bool mpg_perturbation_bytes_measured(const struct mpg_perturbation *p)
{
    return p->byte.n == 0 && mpg_perturbation_has_transfers(p->target_path);
}

bool mpg_perturbation_is_random(const struct mpg_perturbation *p)
{
    return mpg_perturbation_noise_is_random(p) || mpg_specs_are_random(&p->call_noise) ||
           mpg_specs_are_random(&p->latency) || mpg_specs_are_random(&p->byte) ||
           mpg_perturbation_latency_measured(p) || mpg_perturbation_bytes_measured(p);
}

bool mpg_perturbation_can_speed_messages(const struct mpg_perturbation *p)
{
    return mpg_specs_can_be_negative(&p->latency) || mpg_specs_can_be_negative(&p->byte) ||
           (p->source && (mpg_perturbation_latency_measured(p) || mpg_perturbation_bytes_measured(p)));
}

/* --- calls --- */

void mpg_perturb_call(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                      uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {
        .seed = p->seed, .call = call, .rank = rank, .purpose = MPG_DRAW_CALL};
    mpg_specs_draw(&p->call_noise, &address, 1, first, n, value_ns);
}

/* --- messages --- */

/* lambda = Q_target(u) - Q_source(u), or the target's distance from its floor, at
 * the smallest size measured. */
static double signature_latency_ns(const struct mpg_perturbation *p, double u)
{
    const struct mpg_distribution *target = p->target_path->latency.size[0].time_ns;
    double x_ns = mpg_distribution_quantile(target, u);
    if (p->source_path && p->source_path->latency.n > 0)
        return x_ns - mpg_distribution_quantile(p->source_path->latency.size[0].time_ns, u);
    return x_ns - target->quantiles[0];
}

void mpg_perturb_latency(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                         enum mpg_purpose purpose, uint32_t index, uint32_t first, uint32_t n,
                         double *value_ns)
{
    struct mpg_address address = {
        .seed = p->seed, .call = call, .rank = rank, .purpose = purpose, .index = index};
    if (!mpg_perturbation_latency_measured(p)) {
        mpg_specs_draw(&p->latency, &address, 1, first, n, value_ns);
        return;
    }
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += signature_latency_ns(p, mpg_draw(&address, first + w));
}

/* Time per byte at BYTES and probability U (or its least, U < 0): linear in
 * log2 of the size between measured sizes, constant outside. */
static double byte_time_ns(const struct mpg_network_path *path, double bytes, double u)
{
    double before_ns = -1, before_x = 0, x = log2(bytes);
    for (size_t i = 0; i < path->bandwidth.n; i++) {
        const struct mpg_network_size *s = &path->bandwidth.size[i];
        if (s->size_bytes == 0)
            continue;
        double size = (double)s->size_bytes, at = log2(size);
        double ns = (u < 0 ? s->time_ns->quantiles[0] : mpg_distribution_quantile(s->time_ns, u)) /
                    size;
        if (x <= at)
            return before_ns < 0
                       ? ns
                       : before_ns + (ns - before_ns) * (x - before_x) / (at - before_x);
        before_ns = ns;
        before_x = at;
    }
    return before_ns;
}

void mpg_perturb_bytes(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                       uint32_t index, double bytes, uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {
        .seed = p->seed, .call = call, .rank = rank, .purpose = MPG_DRAW_BYTE, .index = index};
    if (bytes <= 0)
        return;
    if (!mpg_perturbation_bytes_measured(p)) {
        mpg_specs_draw(&p->byte, &address, bytes, first, n, value_ns);
        return;
    }
    bool has_source = mpg_perturbation_has_transfers(p->source_path);
    double least_ns = has_source ? 0 : byte_time_ns(p->target_path, bytes, -1);
    for (uint32_t w = 0; w < n; w++) {
        double u = mpg_draw(&address, first + w);
        double base_ns = has_source ? byte_time_ns(p->source_path, bytes, u) : least_ns;
        value_ns[w] += bytes * (byte_time_ns(p->target_path, bytes, u) - base_ns);
    }
}

void mpg_perturb_collective(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                            uint32_t index, uint32_t rounds, double bytes, uint32_t first,
                            uint32_t n, double *value_ns)
{
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t k = round + index * 0x9e3779b1u; /* of several that one call starts */
        mpg_perturb_latency(p, rank, call, MPG_DRAW_ROUND_LATENCY, k, first, n, value_ns);
        struct mpg_address address = {
            .seed = p->seed, .call = call, .rank = rank, .purpose = MPG_DRAW_ROUND_CALL,
            .index = k};
        mpg_specs_draw(&p->call_noise, &address, 1, first, n, value_ns);
    }
    mpg_perturb_bytes(p, rank, call, index, bytes, first, n, value_ns);
}
