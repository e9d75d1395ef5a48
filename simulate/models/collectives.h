/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives that signatures have measured as a whole (docs/MODEL.md, section 3). */
#ifndef MPG_MEASURED_COLLECTIVES_H
#define MPG_MEASURED_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/draws/draws.h"

struct mpg_perturbation;

enum mpg_operation {
    MPG_OPERATION_BARRIER,
    MPG_OPERATION_BCAST,
    MPG_OPERATION_ALLREDUCE,
    MPG_OPERATION_ALLTOALL,
    MPG_OPERATIONS /* none of them */
};

/* What an operation took with so many processes, on the target and, if there is one, on the
 * source. */
struct mpg_measured_meeting {
    int processes;
    struct mpg_network_sizes target, source; /* source.n = 0: there is no source */
};

struct mpg_measured_meetings {
    size_t n; /* ascending in processes */
    struct mpg_measured_meeting *meeting;
};

/* Finds those that P's target, and its source if it has one, have both. */
int mpg_perturbation_use_collectives(struct mpg_perturbation *p, struct mpg_error *err);
void mpg_perturbation_clear_collectives(struct mpg_perturbation *p);
/* "barrier", "bcast", ... */
const char *mpg_operation_name(enum mpg_operation operation);
/* Whether a meeting of PROCESSES is taken from there. */
bool mpg_collective_measured(const struct mpg_perturbation *p, enum mpg_operation operation,
                             int32_t processes);
/* Those of P that such a meeting is taken from, and by what FACTOR its rounds are more. */
const struct mpg_measured_meeting *mpg_meeting_of(const struct mpg_perturbation *p,
                                                  enum mpg_operation operation, int32_t processes,
                                                  double *factor);
/* Adds what such a meeting, of ROUNDS rounds with BYTES of one rank, takes longer to each of
 * N lanes; lane w is replica FIRST + w. CALL of RANK, its INDEX-th, is the meeting's
 * address. */
void mpg_perturb_meeting(const struct mpg_perturbation *p, enum mpg_operation operation,
                         int32_t processes, double bytes, int32_t rank, uint64_t call,
                         uint32_t index, uint32_t first, uint32_t n, double *value_ns);

#endif
