/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass shared by threads that have different ranks: each thread reads the files of its ranks, and makes and evaluates their
 * part of the graph (graph/parts/parts.h). */
#ifndef MPG_BY_RANKS_H
#define MPG_BY_RANKS_H

#include "simulate/passes/pass.h"

/* Returns why the pass cannot be shared by ranks, in words that end a sentence; NULL: it can, as far as is known. */
const char *mpg_pass_indivisible(const struct mpg_pass_config *pass_config, const struct mpg_passed *passed);
/* Returns the number of threads, at most THREADS, among which the ranks of the trace are best divided; 1: too few events. */
unsigned mpg_pass_parts(const struct mpg_pass_config *pass_config, unsigned threads);

/* Called before the pass: part I, of CONTEXT's, has the ranks FIRST to END - 1. */
typedef void mpg_part_has_ranks(void *context, unsigned i, int32_t first, int32_t end);

/* Gives the steps of each of PARTS >= 2 parts of the ranks to N consumers: part I has consumers I N to I N + N - 1. VALUE_BYTES:
 * size of the exchanged values of a part's consumers. PASSED: the findings of earlier passes, replaced by those of all ranks.
 * Returns 1; 0, if the parts gave up, because of *REASON, which stays valid; PASSED is then unchanged. */
int mpg_pass_by_ranks(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                      unsigned parts, size_t value_bytes, mpg_part_has_ranks *has_ranks, void *context,
                      struct mpg_passed *passed, const char **reason);

#endif
