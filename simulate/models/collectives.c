/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-up of measured collectives by operation, number of processes and size. */
#include "simulate/draws/lane_code.h"
#include "simulate/models/collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/models/perturbation.h"
#include "simulate/models/sizes.h"

const char *mpg_operation_name(enum mpg_operation operation)
{
    static const char *const names[] = {"barrier", "allreduce", "allgather", "alltoall", "reduce_scatter", "bcast",
                                        "reduce", "gather", "scatter", "scan", "alltoallv"};
    return operation < MPG_OPERATIONS ? names[operation] : "";
}

/* Returns the number of SIG's entries from I on with equal operation and number of processes. */
static size_t count_alike(const struct mpg_signature *sig, size_t i)
{
    const struct mpg_collective_time *c = &sig->collective[i];
    size_t n = 1;
    while (i + n < sig->collectives && sig->collective[i + n].processes == c->processes &&
           strcmp(sig->collective[i + n].operation, c->operation) == 0)
        n++;
    return n;
}

/* Makes SIZES refer to N entries of SIG from I on. SIG still owns the distributions. */
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

/* Returns the index of the first entry for OPERATION with PROCESSES; the number of entries if not found. */
static size_t find(const struct mpg_signature *sig, const char *operation, int processes)
{
    size_t i = 0;
    while (i < sig->collectives && (sig->collective[i].processes != processes ||
                                    strcmp(sig->collective[i].operation, operation) != 0))
        i++;
    return i;
}

/* Adds N entries of the target from I on, unless a source is given and lacks this operation with this number of processes. */
static int add_meeting(struct mpg_perturbation *p, size_t i, size_t n,
                       struct mpg_measured_collectives *all, struct mpg_error *err)
{
    const struct mpg_collective_time *c = &p->target->collective[i];
    const struct mpg_signature *source = p->predicts ? NULL : p->source;
    size_t at = source ? find(source, c->operation, c->processes) : 0;
    if (c->processes < 2 || (source && at == source->collectives))
        return 0;
    void *grown = realloc(all->meeting, (all->n + 1) * sizeof *all->meeting);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    all->meeting = grown;
    struct mpg_measured_collective *m = &all->meeting[all->n++];
    *m = (struct mpg_measured_collective){.processes = c->processes};
    if (view(p->target, i, n, &m->target, err) < 0)
        return -1;
    return source ? view(source, at, count_alike(source, at), &m->source, err) : 0;
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
        struct mpg_measured_collectives *all = &p->meetings[k];
        for (size_t i = 0; i < all->n; i++) {
            free(all->meeting[i].target_scale);
            free(all->meeting[i].source_scale);
            free(all->meeting[i].target.size);
            free(all->meeting[i].source.size);
        }
        free(all->meeting);
        *all = (struct mpg_measured_collectives){0};
    }
}

void mpg_measured_collective_sizes(const struct mpg_measured_collective *m, int64_t *from, int64_t *to)
{
    *from = m->target.size[0].size_bytes;
    *to = m->target.size[m->target.n - 1].size_bytes;
    if (m->source.n == 0)
        return;
    const int64_t source_from = m->source.size[0].size_bytes, source_to = m->source.size[m->source.n - 1].size_bytes;
    *from = source_from > *from ? source_from : *from;
    *to = source_to < *to ? source_to : *to;
}

/* Returns the measurement with PROCESSES, else with the next smaller number of processes, else with the smallest number; NULL:
 * ALL is empty. */
static const struct mpg_measured_collective *choose(const struct mpg_measured_collectives *all,
                                                 int32_t processes)
{
    size_t i = 0;
    while (i + 1 < all->n && all->meeting[i + 1].processes <= processes)
        i++;
    return i < all->n ? &all->meeting[i] : NULL;
}

/* Returns true if P uses measured collectives. */
static bool takes_measured(const struct mpg_perturbation *p)
{
    return !p->ignores_collectives && !p->parameters && p->latency.n == 0 && p->byte.n == 0;
}

const struct mpg_measured_collective *mpg_measured_collective_of(const struct mpg_perturbation *p,
                                                  enum mpg_operation operation, int32_t processes)
{
    return choose(&p->meetings[operation], processes);
}

bool mpg_collective_measured(const struct mpg_perturbation *p, enum mpg_operation operation,
                             int32_t processes, double bytes)
{
    int64_t from, to;
    if (operation >= MPG_OPERATIONS_WHOLE || processes < 2 || p->unperturbed || !takes_measured(p))
        return false;
    const struct mpg_measured_collective *m = mpg_measured_collective_of(p, operation, processes);
    if (!m || m->processes != processes)
        return false;
    mpg_measured_collective_sizes(m, &from, &to);
    return (double)from <= bytes && bytes <= (double)to;
}

bool mpg_perturbation_collectives_measured(const struct mpg_perturbation *p)
{
    bool any = false;
    for (int i = 0; i < MPG_OPERATIONS; i++)
        any = any || p->meetings[i].n > 0;
    return any && takes_measured(p);
}

double mpg_collective_scale(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes,
                            double bytes, bool of_source)
{
    if (operation >= MPG_OPERATIONS || !takes_measured(p))
        return 1;
    if (operation == MPG_OPERATION_ALLTOALLV && p->meetings[operation].n == 0)
        operation = MPG_OPERATION_ALLTOALL;
    const struct mpg_measured_collective *m = mpg_measured_collective_of(p, operation, processes);
    if (!m || !m->target_scale)
        return 1;
    const bool source = (of_source || p->unperturbed) && m->source.n > 0;
    const struct mpg_network_sizes *sizes = source ? &m->source : &m->target;
    const double *scale = source ? m->source_scale : m->target_scale;
    const struct mpg_interpolation interpolation = mpg_interpolation_find(sizes, bytes);
    const double low = scale[interpolation.low - sizes->size], high = scale[interpolation.high - sizes->size];
    return low + (high - low) * interpolation.weight;
}

/* The target's times, from which the times LESS are subtracted, at equal probability u or, if MIN, at u = 0. */
struct times {
    struct mpg_interpolation target, less;
    double target_max, less_max;
    bool has_less, min;
};

static void add_times(const void *times, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    const struct times *x = times;
    const struct mpg_quantile_requests min = {.n = wanted->n, .launch = wanted->launch};
    double ns[MPG_LANES_AT_ONCE], less_ns[MPG_LANES_AT_ONCE];
    mpg_interpolation_quantiles(&x->target, wanted, ns);
    if (x->has_less)
        mpg_interpolation_quantiles(&x->less, x->min ? &min : wanted, less_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += fmin(ns[w], x->target_max) - (x->has_less ? fmin(less_ns[w], x->less_max) : 0);
}

static struct mpg_address address_of(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index)
{
    return (struct mpg_address){
        .seed = p->seed, .call = call, .rank = rank, .index = index, .purpose = MPG_DRAW_COLLECTIVE};
}

/* Returns the times of collective M on P's target. */
static struct times find_times(const struct mpg_perturbation *p, const struct mpg_measured_collective *m, double bytes)
{
    struct times x = {.target = mpg_interpolation_find(&m->target, bytes)};
    x.target_max = mpg_interpolation_max(&x.target, p->noise.n == 0 && p->target_cores > 0);
    return x;
}

void mpg_time_collective(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes, double bytes,
                      int32_t rank, uint64_t call, uint32_t index, uint32_t first, uint32_t n, double *value_ns)
{
    const struct mpg_address address = address_of(p, rank, call, index);
    const struct times x = find_times(p, mpg_measured_collective_of(p, operation, processes), bytes);
    mpg_add_drawn(p, &address, first, n, add_times, &x, value_ns);
}

void mpg_perturb_collective(const struct mpg_perturbation *p, enum mpg_operation operation,
                         int32_t processes, double bytes, int32_t rank, uint64_t call,
                         uint32_t index, uint32_t first, uint32_t n, double *value_ns)
{
    const struct mpg_measured_collective *m = mpg_measured_collective_of(p, operation, processes);
    const struct mpg_address address = address_of(p, rank, call, index);
    struct times x = find_times(p, m, bytes);
    x.has_less = true;
    x.min = m->source.n == 0;
    x.less = x.min ? x.target : mpg_interpolation_find(&m->source, bytes);
    x.less_max = x.min ? x.target_max : mpg_interpolation_max(&x.less, p->noise.n == 0 && p->source_cores > 0);
    mpg_add_drawn(p, &address, first, n, add_times, &x, value_ns);
}
