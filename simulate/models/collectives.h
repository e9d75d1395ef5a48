/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives measured in a signature (docs/MODEL.md, section 3). The measurement either replaces the collective's algorithm as a
 * whole, or gives the factor that scales the messages of the algorithm. */
#ifndef MPG_MEASURED_COLLECTIVES_H
#define MPG_MEASURED_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/draws/draws.h"

struct mpg_perturbation;

/* Operations that the benchmarks measure. The measured time of an operation in the first group can replace all messages of the
 * algorithm. */
enum mpg_operation {
    MPG_OPERATION_BARRIER,
    MPG_OPERATION_ALLREDUCE,
    MPG_OPERATION_ALLGATHER,
    MPG_OPERATION_ALLTOALL,
    MPG_OPERATION_REDUCE_SCATTER,
    /* In the operations below a member waits for only a part of the members, or members differ in their sizes. These collectives
     * are always simulated as the messages of an algorithm, scaled to the measured time. */
    MPG_OPERATIONS_WHOLE,
    MPG_OPERATION_BCAST = MPG_OPERATIONS_WHOLE,
    MPG_OPERATION_REDUCE,
    MPG_OPERATION_GATHER,
    MPG_OPERATION_SCATTER,
    MPG_OPERATION_SCAN,
    MPG_OPERATION_ALLTOALLV, /* measured with equal blocks; where it was not measured, ALLTOALL's factor replaces its own */
    MPG_OPERATIONS /* the number of operations; as a value: no operation */
};

/* Measurements of one operation with one number of processes. */
struct mpg_measured_collective {
    int processes;
    struct mpg_network_sizes target, source; /* source.n = 0: no source signature */
    double *target_scale, *source_scale; /* for each measured size: measured median / time of the algorithm's messages;
                                            NULL: unknown */
};

struct mpg_measured_collectives {
    size_t n; /* sorted by processes, ascending */
    struct mpg_measured_collective *meeting;
};

/* Fills P's measured collectives: each operation and number of processes that P's target has measured and, in perturb mode with a
 * source, the source, too. Error: out of memory; then call mpg_perturbation_clear_collectives(). */
int mpg_perturbation_use_collectives(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_collectives(struct mpg_perturbation *p);
/* Returns "barrier", "bcast" and so on; "" for MPG_OPERATIONS. */
const char *mpg_operation_name(enum mpg_operation operation);
/* Sets FROM and TO to the smallest and largest size, bytes, that both machines have measured. */
void mpg_measured_collective_sizes(const struct mpg_measured_collective *meeting, int64_t *from, int64_t *to);
/* Returns true if the measurement replaces the algorithm of OPERATION with PROCESSES members that contribute BYTES each: the
 * same number of processes was measured, and BYTES is between the smallest and the largest measured size. */
bool mpg_collective_measured(const struct mpg_perturbation *p, enum mpg_operation operation,
                             int32_t processes, double bytes);
/* Returns the measurement of OPERATION with PROCESSES or, if not measured, with the next smaller number of processes, else with
 * the smallest; NULL: OPERATION was not measured. */
const struct mpg_measured_collective *mpg_measured_collective_of(const struct mpg_perturbation *p,
                                                  enum mpg_operation operation, int32_t processes);
/* Returns the factor for all costs of the messages of OPERATION's algorithm, on the target or, if OF_SOURCE, on the source: the
 * factor of mpg_measured_collective_of(), linear between measured sizes; 1 if OPERATION was not measured or options replace
 * measured message times. */
double mpg_collective_scale(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes,
                            double bytes, bool of_source);
/* Adds the extra time, ns, of a collective that was measured as a whole to VALUE_NS of the N replicas from FIRST on: the target's
 * time less the source's or, without a source, less the target's minimum. Each rank contributes BYTES. RANK, CALL and INDEX (the
 * collective's number among the collectives that the call starts) are the address of the draw. */
void mpg_perturb_collective(const struct mpg_perturbation *p, enum mpg_operation operation,
                         int32_t processes, double bytes, int32_t rank, uint64_t call,
                         uint32_t index, uint32_t first, uint32_t n, double *value_ns);
/* As mpg_perturb_collective() in predict mode: adds the whole time on the target, ns. */
void mpg_time_collective(const struct mpg_perturbation *p, enum mpg_operation operation, int32_t processes, double bytes,
                      int32_t rank, uint64_t call, uint32_t index, uint32_t first, uint32_t n, double *value_ns);

#endif
