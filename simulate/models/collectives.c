/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured collectives, by operation and processes. */
#include "simulate/draws/lane_code.h"
#include "simulate/models/collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/models/perturbation.h"
#include "simulate/models/sizes.h"

const char *mpg_operation_name(enum mpg_operation operation)
{
    static const char *const names[] = {"barrier", "bcast", "allreduce", "alltoall"};
    return operation < MPG_OPERATIONS ? names[operation] : "";
}

/* Those of SIG from entry I on that are of the same operation and processes. */
static size_t count_alike(const struct mpg_signature *sig, size_t i)
{
    const struct mpg_collective_time *c = &sig->collective[i];
    size_t n = 1;
    while (i + n < sig->collectives && sig->collective[i + n].processes == c->processes &&
           strcmp(sig->collective[i + n].operation, c->operation) == 0)
        n++;
    return n;
}

/* N entries of SIG from I on as times by size, which belong to SIG. */
static int view(const struct mpg_signature *sig, size_t i, size_t n,
                struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    sizes->size = calloc(n, sizeof *sizes->size);
    if (!sizes->size)
        return mpg_error_set(err, "out of memory");
    sizes->n = n;
    for (size_t k = 0; k < n; k++) {
        const struct mpg_collective_time *c = &sig->collective[i + k];
        sizes->size[k] = (struct mpg_network_size){
            .size_bytes = c->size_bytes, .time_ns = c->time_ns, .launches = c->launches};
    }
    return 0;
}

/* Where OPERATION with PROCESSES begins in SIG; SIG's collectives: nowhere. */
static size_t find(const struct mpg_signature *sig, const char *operation, int processes)
{
    size_t i = 0;
    while (i < sig->collectives && (sig->collective[i].processes != processes ||
                                    strcmp(sig->collective[i].operation, operation) != 0))
        i++;
    return i;
}

/* Adds those N of the target from I on, if the source has such, too. */
static int add_meeting(struct mpg_perturbation *p, size_t i, size_t n,
                       struct mpg_measured_meetings *all, struct mpg_error *err)
{
    const struct mpg_collective_time *c = &p->target->collective[i];
    size_t at = p->source ? find(p->source, c->operation, c->processes) : 0;
    if (c->processes < 2 || (p->source && at == p->source->collectives))
        return 0;
    void *grown = realloc(all->meeting, (all->n + 1) * sizeof *all->meeting);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    all->meeting = grown;
    struct mpg_measured_meeting *m = &all->meeting[all->n++];
    *m = (struct mpg_measured_meeting){.processes = c->processes};
    if (view(p->target, i, n, &m->target, err) < 0)
        return -1;
    return p->source ? view(p->source, at, count_alike(p->source, at), &m->source, err) : 0;
}

int mpg_perturbation_use_collectives(struct mpg_perturbation *p, struct mpg_error *err)
{
    for (size_t i = 0, n; p->target && i < p->target->collectives; i += n) {
        n = count_alike(p->target, i);
        for (int k = 0; k < MPG_OPERATIONS; k++)
            if (strcmp(p->target->collective[i].operation,
                       mpg_operation_name((enum mpg_operation)k)) == 0 &&
                add_meeting(p, i, n, &p->meetings[k], err) < 0)
                return -1;
    }
    return 0;
}

void mpg_perturbation_clear_collectives(struct mpg_perturbation *p)
{
    for (int k = 0; k < MPG_OPERATIONS; k++) {
        struct mpg_measured_meetings *all = &p->meetings[k];
        for (size_t i = 0; i < all->n; i++) {
            free(all->meeting[i].target.size);
            free(all->meeting[i].source.size);
        }
        free(all->meeting);
        *all = (struct mpg_measured_meetings){0};
    }
}

/* That of PROCESSES, or of the greatest number below it, or of the least above. */
static const struct mpg_measured_meeting *choose(const struct mpg_measured_meetings *all,
                                                 int32_t processes)
{
    size_t i = 0;
    while (i + 1 < all->n && all->meeting[i + 1].processes <= processes)
        i++;
    return i < all->n ? &all->meeting[i] : NULL;
}

bool mpg_collective_measured(const struct mpg_perturbation *p, enum mpg_operation operation,
                             int32_t processes)
{
    return operation < MPG_OPERATIONS && processes > 1 && !p->collectives_by_rounds && !p->parameters &&
           p->latency.n == 0 && p->byte.n == 0 && p->meetings[operation].n > 0;
}

static double rounds_of(enum mpg_operation operation, int32_t processes)
{
    int rounds = 0;
    if (operation == MPG_OPERATION_ALLTOALL)
        return processes - 1;
    while ((INT64_C(1) << rounds) < processes)
        rounds++;
    return rounds;
}

const struct mpg_measured_meeting *mpg_meeting_of(const struct mpg_perturbation *p,
                                                  enum mpg_operation operation, int32_t processes,
                                                  double *factor)
{
    const struct mpg_measured_meeting *m = choose(&p->meetings[operation], processes);
    *factor = rounds_of(operation, processes) / rounds_of(operation, m->processes);
    return m;
}

void mpg_perturb_meeting(const struct mpg_perturbation *p, enum mpg_operation operation,
                         int32_t processes, double bytes, int32_t rank, uint64_t call,
                         uint32_t index, uint32_t first, uint32_t n, double *value_ns)
{
    double factor;
    const struct mpg_measured_meeting *m = mpg_meeting_of(p, operation, processes, &factor);
    struct mpg_address address = {.seed = p->seed,
                                  .call = call,
                                  .rank = rank,
                                  .index = index,
                                  .purpose = MPG_DRAW_COLLECTIVE};
    bool has_source = m->source.n > 0;
    struct mpg_spot target = mpg_spot_find(&m->target, bytes);
    bool target_noise = p->noise.n == 0 && p->target_cores > 0;
    bool source_noise = has_source ? p->noise.n == 0 && p->source_cores > 0 : target_noise;
    struct mpg_spot source = has_source ? mpg_spot_find(&m->source, bytes) : target;
    double target_most = mpg_spot_most(&target, target_noise);
    double source_most = mpg_spot_most(&source, source_noise);
    double u[MPG_LANES_AT_ONCE], target_ns[MPG_LANES_AT_ONCE],
        source_ns[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        mpg_draw_lanes(&address, first + done, k, u);
        struct mpg_wanted asked = {
            .n = k, .launch = mpg_perturbation_launches(p, first + done), .u = u};
        mpg_spot_quantiles(&target, &asked, target_ns);
        if (!has_source)
            asked.u = NULL;
        mpg_spot_quantiles(&source, &asked, source_ns);
        for (uint32_t w = 0; w < k; w++)
            value_ns[done + w] += factor * (fmin(target_ns[w], target_most) -
                                            fmin(source_ns[w], source_most));
    }
}
