/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise as the time lost in quanta of equal length, for signatures without detours. The loss of each quantum is drawn from the
 * FTQ samples, with the samples' autocorrelation (docs/MODEL.md, section 3, and docs/NOISE.md, Other models of noise). Immutable
 * once made. */
#ifndef MPG_QUANTA_H
#define MPG_QUANTA_H

#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_quanta;

/* Returns noise drawn from CORE's FTQ quanta, which must outlive the result. NULL with ERR: the quanta leave no time for work;
 * out of memory. */
struct mpg_quanta *mpg_quanta_new(const struct mpg_noise_core *core, struct mpg_error *err);
double mpg_quanta_length_ns(const struct mpg_quanta *quanta);
/* Returns the number of earlier quanta correlated with a quantum; 0: quanta are independent. */
size_t mpg_quanta_memory(const struct mpg_quanta *quanta);
/* Returns the time lost in quantum NUMBER of RANK in REPLICA, ns, 0 to the quantum's length. */
double mpg_quanta_lost(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                       uint64_t number, uint32_t replica);
/* Returns the time, ns, that WORK_NS of work from T_NS >= 0 on takes. Work proceeds evenly within a quantum. */
double mpg_quanta_time_for(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                           uint32_t replica, double t_ns, double work_ns);
/* Returns the work done, ns, in INTERVAL_NS from T_NS on. */
double mpg_quanta_work_in(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                          uint32_t replica, double t_ns, double interval_ns);
void mpg_quanta_free(struct mpg_quanta *quanta); /* NULL is allowed */

#endif
