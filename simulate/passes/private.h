/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes over one graph, and the findings of passes. Private to simulate/passes/. */
#ifndef MPG_PASSES_PRIVATE_H
#define MPG_PASSES_PRIVATE_H

#include "graph/parts/parts.h"
#include "simulate/passes/pass.h"

/* Makes a pass over one graph; THREADS <= N further threads share the consumers; 0: this thread has all consumers. */
int mpg_pass_once(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
                  unsigned threads, struct mpg_passed *passed, struct mpg_error *err);
/* Returns whether each thread can have a graph with these options: steps refer to nothing in another thread's trace, and the
 * pass does not write to options. */
bool mpg_pass_can_be_read_in_threads(const struct mpg_graph_options *options);
/* Opens the trace of PASS_CONFIG again; NULL if this fails, or if callsites then have other numbers. */
struct mpg_trace *mpg_pass_reopen(const struct mpg_pass_config *pass_config);
/* Adds FROM, the findings about further ranks, to TO. */
void mpg_passed_add(struct mpg_passed *to, const struct mpg_passed *from);

#endif
