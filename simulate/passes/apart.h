/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass by threads each of which reads the trace, and makes the graph, for itself: where lanes are evaluated that costs
 * less than to hand steps on from one processor's cache to another's. */
#ifndef MPG_APART_H
#define MPG_APART_H

#include "simulate/passes/pass.h"

/* As mpg_pass(), with as many of THREADS threads as there is a trace to read, and room, for: 1; 0, and nothing has been
 * done, where these are fewer than two. PASSED and errors of the graph are those of the first thread. */
int mpg_pass_apart(const struct mpg_course *course, const struct mpg_taker *takers, size_t n, unsigned threads,
                   struct mpg_passed *passed, struct mpg_error *err);

#endif
