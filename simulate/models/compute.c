/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system takes from computation, for a vector of lanes: nu and rho. */
#include <math.h>
#include <stdlib.h>

#include "simulate/models/perturbation.h"

enum { LANES_AT_ONCE = 64 };

/* --- from signatures --- */

static void free_replays(struct mpg_replay **replays, size_t n)
{
    for (size_t i = 0; replays && i < n; i++)
        mpg_replay_free(replays[i]);
    free(replays);
}

/* A replay for each core of SIG with a record, on whatever host, in the order of
 * hosts and cores; some may have quanta only. */
static struct mpg_replay **make_replays(const struct mpg_signature *sig, size_t *n,
                                        struct mpg_error *err)
{
    struct mpg_replay **replays = calloc(sig->cores ? sig->cores : 1, sizeof *replays);
    size_t made = 0;
    if (!replays) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < sig->cores; i++) {
        if (!(sig->core[i].span_ns > 0))
            continue;
        if (!(replays[made] = mpg_replay_new(&sig->core[i], err))) {
            mpg_error_prefix(err, "%s", sig->path);
            free_replays(replays, made);
            return NULL;
        }
        made++;
    }
    *n = made;
    return replays;
}

int mpg_perturbation_use_noise(struct mpg_perturbation *p, struct mpg_error *err)
{
    if (p->target && !(p->target_noise = make_replays(p->target, &p->target_cores, err)))
        return -1;
    if (p->source && !(p->source_noise = make_replays(p->source, &p->source_cores, err)))
        return -1;
    return 0;
}

void mpg_perturbation_clear_noise(struct mpg_perturbation *p)
{
    free_replays(p->target_noise, p->target_cores);
    free_replays(p->source_noise, p->source_cores);
}

bool mpg_perturbation_noise_measured(const struct mpg_perturbation *p)
{
    return p->noise.n == 0 && p->target_cores > 0;
}

/* --- intervals --- */

/* How much longer than traced an interval takes that began SINCE_NS after MPI_Init,
 * DELAY_NS late: the work in it, less the source's noise, meets the target's. U
 * says where in their records both machines' noise starts. */
static double replayed_ns(const struct mpg_perturbation *p, int32_t rank, double u, double since_ns,
                          double interval_ns, double delay_ns)
{
    const struct mpg_replay *target = p->target_noise[(size_t)rank % p->target_cores];
    double work_ns = interval_ns;
    if (p->source_cores) {
        const struct mpg_replay *source = p->source_noise[(size_t)rank % p->source_cores];
        double from_ns = u * mpg_replay_span_ns(source) + since_ns;
        work_ns = mpg_replay_work_in(source, from_ns, interval_ns);
    }
    double begin_ns = u * mpg_replay_span_ns(target) + fmax(since_ns + delay_ns, 0);
    return mpg_replay_time_for(target, begin_ns, p->compute_ratio * work_ns) - interval_ns;
}

void mpg_perturb_compute(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                         double since_ns, double interval_ns, uint32_t first, uint32_t n,
                         double *delay_ns)
{
    if (mpg_perturbation_noise_measured(p)) {
        struct mpg_address phase = {.seed = p->seed, .rank = rank, .purpose = MPG_DRAW_PHASE};
        for (uint32_t w = 0; w < n; w++)
            delay_ns[w] += fmax(replayed_ns(p, rank, mpg_draw(&phase, first + w), since_ns,
                                            interval_ns, delay_ns[w]),
                                -interval_ns);
        return;
    }
    double growth_ns = (p->compute_ratio - 1) * interval_ns;
    if (growth_ns == 0 && p->noise.n == 0)
        return;
    struct mpg_address address = {
        .seed = p->seed, .call = call, .rank = rank, .purpose = MPG_DRAW_NOISE};
    double added_ns[LANES_AT_ONCE];
    for (uint32_t done = 0, m; done < n; done += m) {
        m = n - done < LANES_AT_ONCE ? n - done : LANES_AT_ONCE;
        for (uint32_t w = 0; w < m; w++)
            added_ns[w] = growth_ns;
        mpg_specs_draw(&p->noise, &address, 1, first + done, m, added_ns);
        for (uint32_t w = 0; w < m; w++)
            delay_ns[done + w] += fmax(added_ns[w], -interval_ns);
    }
}
