/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute rates of a machine's cores while several cores compute at once (docs/MODEL.md, Decisions, rho). */
#ifndef MPG_CORE_RATES_H
#define MPG_CORE_RATES_H

#include <stdint.h>

#include "signature/signature.h"

/* Rates of a kernel on one core, in the kernel's unit per second, over all measured cores; all 0: not measured. */
struct mpg_core_rates {
    double mean;     /* mean over cores of each core's mean rate */
    double min, max; /* mean rate of the slowest and of the fastest launch of a core */
};

/* Returns SIG's rates of KERNEL with BUSY cores at once, or with the largest measured number if BUSY is 0 or larger. Between two
 * measured numbers of cores, the time per unit of work is linear in the number of cores, as for cores that share a memory. */
struct mpg_core_rates mpg_core_rates_of(const struct mpg_signature *sig, const char *kernel, int busy);

/* Returns the largest number of cores that were measured at once for KERNEL; 0: not measured. */
int mpg_core_rates_most(const struct mpg_signature *sig, const char *kernel);

/* Cores that compute at once on a node of each machine: the number of ranks on the machine's fullest node; 0: unknown. */
struct mpg_busy_cores {
    int source, target;
};

/* Returns the largest number of equal elements among the N of NODE, 0 if N is 0 or memory is short. */
int mpg_busy_cores_of(const int32_t *node, int32_t n);

#endif
