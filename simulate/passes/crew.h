/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that evaluate the steps of one graph, each for lanes of its own, while whoever made them
 * goes on reading. */
#ifndef MPG_CREW_H
#define MPG_CREW_H

#include "simulate/passes/pass.h"

struct mpg_crew;

/* N takers by THREADS threads, 1 .. N; each has takers of its own, which no other thread looks at. They
 * outlive the crew. Error: out of memory, no more threads. */
struct mpg_crew *mpg_crew_new(const struct mpg_taker *takers, size_t n, unsigned threads,
                              struct mpg_error *err);
/* Gives STEPS, whose batch is kept as long as it takes, to all. Errors: out of memory, and what a taker said, of any step so
 * far: of the first of those that failed. */
int mpg_crew_take(struct mpg_crew *crew, const struct mpg_steps *steps, struct mpg_error *err);
/* All have taken all steps: the same error, if any. */
int mpg_crew_finish(struct mpg_crew *crew, struct mpg_error *err);
/* Ends the threads, wherever they are; before the graph is closed. NULL is allowed. */
void mpg_crew_free(struct mpg_crew *crew);

#endif
