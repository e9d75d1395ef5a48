/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that signatures have measured (docs/MODEL.md, section 3): as wholes, or what the messages of their
 * algorithms are scaled by. */
#ifndef MPG_MEASURED_COLLECTIVES_H
#define MPG_MEASURED_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/draws/draws.h"

struct mpg_perturbation;

/* Those that are taken as wholes come first. */
enum mpg_operation {
    MPG_OPERATION_BARRIER,
    MPG_OPERATION_ALLREDUCE,
    MPG_OPERATION_ALLGATHER,
    MPG_OPERATION_ALLTOALL,
    MPG_OPERATIONS_WHOLE, /* in the others a member needs only some of the others: */
    MPG_OPERATION_BCAST = MPG_OPERATIONS_WHOLE,
    MPG_OPERATION_REDUCE,
    MPG_OPERATION_GATHER,
    MPG_OPERATION_SCATTER,
    MPG_OPERATION_SCAN,
    MPG_OPERATIONS /* none of them */
};

/* An operation with so many processes, on the target and, if there is one, on the source. */
struct mpg_measured_collective {
    int processes;
    struct mpg_network_sizes target, source; /* source.n = 0: there is no source */
    double *target_scale, *source_scale; /* of each of these sizes the measured median over what the messages of the
                                            algorithm take; NULL: not known */
};

struct mpg_measured_collectives {
    size_t n; /* ascending in processes */
    struct mpg_measured_collective *meeting;
};

/* Finds those that P's target, and its source if it has one, have both. */
int mpg_perturbation_use_collectives(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_collectives(struct mpg_perturbation *p);
/* "barrier", "bcast", ... */
const char *mpg_operation_name(enum mpg_operation operation);
/* The sizes that MEETING has on target and source: FROM the least TO the greatest. */
void mpg_measured_collective_sizes(const struct mpg_measured_collective *meeting, int64_t *from, int64_t *to);
/* Whether P takes OPERATION of PROCESSES, each of which gives BYTES, as it was measured as a whole: with as many processes,
 * between the least and the greatest size. */
bool mpg_collective_measured(const struct mpg_perturbation *p, enum mpg_operation operation,
                             int32_t processes, double bytes);
/* The times of such a one. */
const struct mpg_measured_collective *mpg_measured_collective_of(const struct mpg_perturbation *p,
                                                  enum mpg_operation operation, int32_t processes);
/* What all costs of the messages of such a collective are multiplied by on the target, or on the source: as at the nearest
 * number of processes and size that were measured; 1 where none was. */
double mpg_collective_scale(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes,
                            double bytes, bool of_source);
/* Adds what such a meeting, with BYTES of one rank, takes longer to each of N lanes; lane w is replica FIRST + w. CALL of
 * RANK, its INDEX-th, is the meeting's address. */
void mpg_perturb_collective(const struct mpg_perturbation *p, enum mpg_operation operation,
                         int32_t processes, double bytes, int32_t rank, uint64_t call,
                         uint32_t index, uint32_t first, uint32_t n, double *value_ns);
/* The same of what it takes in whole on the target, in predict mode. */
void mpg_time_collective(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes, double bytes,
                      int32_t rank, uint64_t call, uint32_t index, uint32_t first, uint32_t n, double *value_ns);

#endif
