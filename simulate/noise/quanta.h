/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise as the time that quanta of equal length lose, for signatures that have no detours: drawn
 * for each quantum from what FTQ found, as correlated with those before as FTQ found (docs/MODEL.md,
 * 3, and docs/NOISE.md, Quanta). Immutable once made. */
#ifndef MPG_QUANTA_H
#define MPG_QUANTA_H

#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"

struct mpg_quanta;

/* From CORE's FTQ quanta, which outlive it. Errors: they leave no time for work. */
struct mpg_quanta *mpg_quanta_new(const struct mpg_noise_core *core, struct mpg_error *err);
double mpg_quanta_length_ns(const struct mpg_quanta *quanta);
/* How many quanta before one are correlated with it; 0: they are independent. */
size_t mpg_quanta_memory(const struct mpg_quanta *quanta);
/* What quantum NUMBER of RANK loses in REPLICA, 0 .. its length. */
double mpg_quanta_lost(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                       uint64_t number, uint32_t replica);
/* How long WORK_NS begun at T_NS >= 0 takes: in a quantum work is done evenly. */
double mpg_quanta_time_for(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                           uint32_t replica, double t_ns, double work_ns);
/* Work done in INTERVAL_NS from T_NS on. */
double mpg_quanta_work_in(const struct mpg_quanta *quanta, uint64_t seed, int32_t rank,
                          uint32_t replica, double t_ns, double interval_ns);
void mpg_quanta_free(struct mpg_quanta *quanta); /* NULL is allowed */

#endif
