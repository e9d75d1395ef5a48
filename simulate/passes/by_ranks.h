/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass divided by ranks among threads of one or several processes. Each thread reads the files of some ranks, and makes and
 * evaluates the part of the graph of these ranks (graph/parts/parts.h). */
#ifndef MPG_BY_RANKS_H
#define MPG_BY_RANKS_H

#include "simulate/passes/pass.h"

/* Returns why the pass cannot be divided by ranks, as the end of a sentence; NULL: no obstacle is known. */
const char *mpg_pass_indivisible(const struct mpg_pass_config *pass_config, const struct mpg_passed *passed);
/* Returns the number of threads, at most THREADS, of each of PROCESSES processes, sharing the ranks of TRACE; 0: too few events
 * for PROCESSES processes. */
unsigned mpg_pass_parts(const struct mpg_trace *trace, unsigned processes, unsigned threads);

/* Called before the pass: part I, of CONTEXT's, has the ranks FIRST to END - 1. */
typedef void mpg_part_has_ranks(void *context, unsigned i, int32_t first, int32_t end);

/* Gives the steps of each of PARTS parts of the ranks, of each process (pass_config->together; there are at least two parts in
 * all), to N consumers: part I has consumers I N to I N + N - 1. VALUE_BYTES: size of the exchanged values of a part's consumers.
 * PASSED: the findings of earlier passes, replaced by the findings about the ranks of all processes. Returns 1; 0 if the parts
 * gave up, because of *REASON (static); -1 with ERR: out of memory. Unless 1, PASSED is unchanged. Collective. */
int mpg_pass_by_ranks(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                      unsigned parts, size_t value_bytes, mpg_part_has_ranks *has_ranks, void *context,
                      struct mpg_passed *passed, const char **reason, struct mpg_error *err);

#endif
