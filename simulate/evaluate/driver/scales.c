/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes scale factors of collectives: the measured median, divided by the time of the algorithm with median message costs. */
#include "simulate/evaluate/driver/scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/models/factors.h"
#include "simulate/models/times.h"

/* Median costs of messages on one path. */
struct messages {
    const struct mpg_signature *signature;
    struct mpg_perturbation path_costs;
    double bytes; /* message size of the last look-up; < 0: none yet */
    struct mpg_typical typical;
    double eager_limit_bytes;
};

static const struct mpg_typical *find(struct messages *x, double bytes)
{
    if (x->bytes != bytes)
        x->typical = mpg_time_typical(&x->path_costs, bytes);
    x->bytes = bytes;
    return &x->typical;
}

static void flight(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns)
{
    *lambda_ns = find(data, m->bytes)->lambda_ns;
    *tau_ns = find(data, m->bytes)->tau_ns;
}

static void send(void *data, const struct mpg_message *m, double *overhead_ns)
{
    struct messages *x = data;
    const bool known = !x->path_costs.overhead[MPG_OVERHEAD_SEND].in_send || m->bytes <= x->eager_limit_bytes;
    *overhead_ns = known ? find(x, m->bytes)->send_ns : 0;
}

static void receive(void *data, const struct mpg_message *m, double *overhead_ns)
{
    *overhead_ns = find(data, m->bytes)->receive_ns;
}

static bool waiting(void *data, const struct mpg_message *m, double *waiting_ns)
{
    *waiting_ns = find(data, m->bytes)->waiting_ns;
    return *waiting_ns >= 0;
}

static double gap(void *data, const struct mpg_message *m)
{
    return find(data, m->bytes)->gap_ns;
}

static void reduce(void *data, double bytes, double *reduce_ns)
{
    const struct messages *x = data;
    *reduce_ns = mpg_signature_reduction_ns(x->signature, bytes);
}

static enum mpg_collective collective_of(enum mpg_operation operation)
{
    static const enum mpg_collective all[MPG_OPERATIONS] = {
        [MPG_OPERATION_BARRIER] = MPG_COLLECTIVE_BARRIER,     [MPG_OPERATION_ALLREDUCE] = MPG_COLLECTIVE_ALLREDUCE,
        [MPG_OPERATION_ALLGATHER] = MPG_COLLECTIVE_ALLGATHER, [MPG_OPERATION_ALLTOALL] = MPG_COLLECTIVE_ALLTOALL,
        [MPG_OPERATION_BCAST] = MPG_COLLECTIVE_BCAST,         [MPG_OPERATION_REDUCE] = MPG_COLLECTIVE_REDUCE,
        [MPG_OPERATION_GATHER] = MPG_COLLECTIVE_GATHER,       [MPG_OPERATION_SCATTER] = MPG_COLLECTIVE_SCATTER,
        [MPG_OPERATION_SCAN] = MPG_COLLECTIVE_SCAN,           [MPG_OPERATION_ALLTOALLV] = MPG_COLLECTIVE_ALLTOALLV,
        [MPG_OPERATION_REDUCE_SCATTER] = MPG_COLLECTIVE_REDUCE_SCATTER};
    return all[operation];
}

/* Data for the evaluation of an algorithm's messages. */
struct evaluation {
    struct mpg_expansion *expansion;
    const struct mpg_collective_table *table;
    double eager_limit_bytes;
    bool reduces; /* the costs include the arithmetic of reductions */
};

/* Returns the time, ns, from the simultaneous arrival of all P members at OPERATION of BYTES until the last member leaves,
 * with the message costs X; -1 with ERR. */
static double take(const struct evaluation *e, struct messages *x, enum mpg_operation operation, int32_t p, double bytes,
                   struct mpg_error *err)
{
    const struct mpg_collective_size size = {.operation = collective_of(operation), .p = p, .bytes = bytes};
    const struct mpg_plan plan = mpg_plan_make(e->table, &size);
    const struct mpg_message_costs costs = {.data = x,
                                            .flight = flight,
                                            .send = send,
                                            .receive = receive,
                                            .waiting = waiting,
                                            .gap = gap,
                                            .reduce = e->reduces ? reduce : NULL,
                                            .eager_limit_bytes = e->eager_limit_bytes,
                                            .weak_bytes = INFINITY};
    double *value = calloc((size_t)p, sizeof *value), last_ns = -1;
    if (!value)
        mpg_error_set(err, "out of memory");
    else if (mpg_expand(e->expansion, &plan, &costs, value, err) == 0)
        for (int32_t v = 0; v < p; v++)
            last_ns = fmax(last_ns, value[v]);
    free(value);
    return last_ns;
}

/* Returns the time, ns, that P members take for OPERATION of BYTES, as of take(), with the message costs of path number I of
 * SIGNATURE; -1 with ERR. */
static double take_on(const struct evaluation *e, const struct mpg_signature *signature, size_t i, enum mpg_operation operation,
                      int32_t p, double bytes, struct mpg_error *err)
{
    struct messages x = {.signature = signature,
                         .path_costs = {.target = signature, .target_path = &signature->network[i]},
                         .bytes = -1,
                         .eager_limit_bytes = e->eager_limit_bytes};
    mpg_perturbation_use_overheads(&x.path_costs);
    return take(e, &x, operation, p, bytes, err);
}

/* Returns the scale of OPERATION of P members at SIZE on SIGNATURE's machine; < 0 with ERR. The measurement does not tell the
 * path: the path with the scale closest to 1 is used, with the path's number stored in *PATH (the number of paths: none). */
static double scale_of(const struct evaluation *e, const struct mpg_signature *signature, enum mpg_operation operation,
                       int32_t p, const struct mpg_network_size *size, size_t *path, struct mpg_error *err)
{
    const double measured_ns = mpg_size_quantile(size, -1, 0.5);
    double best = 1, min = INFINITY;
    *path = signature->paths;
    for (size_t i = 0; i < signature->paths; i++) {
        const double ns = take_on(e, signature, i, operation, p, (double)size->size_bytes, err);
        if (ns < 0)
            return -1;
        if (!(ns > 0) || !(measured_ns > 0) || fabs(log(measured_ns / ns)) >= min)
            continue;
        best = measured_ns / ns;
        min = fabs(log(best));
        *path = i;
    }
    return best;
}

/* Returns the scales of OPERATION for all SIZES; NULL with ERR. */
static double *scales_of(const struct evaluation *e, const struct mpg_signature *signature, enum mpg_operation operation,
                         int32_t p, const struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    double *scale = calloc(sizes->n, sizeof *scale);
    size_t path;
    if (!scale)
        mpg_error_set(err, "out of memory");
    for (size_t i = 0; scale && i < sizes->n; i++) {
        scale[i] = scale_of(e, signature, operation, p, &sizes->size[i], &path, err);
        if (scale[i] >= 0)
            continue;
        free(scale);
        return NULL;
    }
    return scale;
}

static int scale_meeting(const struct evaluation *e, const struct mpg_perturbation *p, enum mpg_operation operation,
                         struct mpg_measured_collective *m, struct mpg_error *err)
{
    m->target_scale = scales_of(e, p->target, operation, m->processes, &m->target, err);
    if (!m->target_scale)
        return -1;
    if (m->source.n > 0 && !(m->source_scale = scales_of(e, p->source, operation, m->processes, &m->source, err)))
        return -1;
    return 0;
}

static struct evaluation begin(const struct mpg_perturbation *p, const struct mpg_collective_table *table,
                               int64_t eager_limit_bytes, struct mpg_error *err)
{
    return (struct evaluation){.expansion = mpg_expansion_new(1, 0, err),
                               .table = table,
                               .reduces = p->reduces != NULL,
                               .eager_limit_bytes = eager_limit_bytes == INT64_MAX ? INFINITY : (double)eager_limit_bytes};
}

int mpg_perturbation_scale_collectives(struct mpg_perturbation *p, const struct mpg_collective_table *table,
                                       int64_t eager_limit_bytes, struct mpg_error *err)
{
    const struct evaluation e = begin(p, table, eager_limit_bytes, err);
    int status = e.expansion ? 0 : -1;
    for (int k = 0; k < MPG_OPERATIONS; k++)
        for (size_t i = 0; status == 0 && i < p->meetings[k].n; i++)
            status = scale_meeting(&e, p, (enum mpg_operation)k, &p->meetings[k].meeting[i], err);
    mpg_expansion_free(e.expansion);
    return status;
}

/* Returns the factor for COLLECTIVE, the times of OPERATION on ORIGINAL's machine, if messages cost as on TARGET; 1: unknown;
 * < 0 with ERR. */
static double factor_of(const struct evaluation *e, const struct mpg_signature *target, const struct mpg_signature *original,
                        enum mpg_operation operation, const struct mpg_collective_time *collective, struct mpg_error *err)
{
    const struct mpg_network_size size = {
        .size_bytes = collective->size_bytes, .time_ns = collective->time_ns, .launches = collective->launches};
    const double bytes = (double)size.size_bytes;
    const int32_t p = collective->processes;
    size_t path;
    if (p < 2)
        return 1;
    if (scale_of(e, original, operation, p, &size, &path, err) < 0)
        return -1;
    if (path == original->paths)
        return 1;
    const double before_ns = take_on(e, original, path, operation, p, bytes, err);
    const double after_ns = before_ns > 0 ? take_on(e, target, path, operation, p, bytes, err) : -1;
    return after_ns < 0 ? -1 : after_ns / before_ns;
}

int mpg_perturbation_multiply_collectives(const struct mpg_perturbation *p, struct mpg_signature *target,
                                          const struct mpg_signature *original, const struct mpg_collective_table *table,
                                          int64_t eager_limit_bytes, struct mpg_error *err)
{
    const struct evaluation e = begin(p, table, eager_limit_bytes, err);
    int status = e.expansion ? 0 : -1;
    for (int k = 0; k < MPG_OPERATIONS; k++)
        for (size_t i = 0; status == 0 && i < target->collectives; i++) {
            struct mpg_collective_time *x = &target->collective[i];
            if (strcmp(x->operation, mpg_operation_name((enum mpg_operation)k)) != 0)
                continue;
            const double factor = factor_of(&e, target, original, (enum mpg_operation)k, &original->collective[i], err);
            status = factor < 0 ? -1 : mpg_factors_multiply(x, factor, err);
        }
    mpg_expansion_free(e.expansion);
    return status;
}
