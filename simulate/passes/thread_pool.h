/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thread pool for one pass: the caller's thread reads the steps of the graph, and the threads of the pool pass the steps to the
 * consumers. */
#ifndef MPG_THREAD_POOL_H
#define MPG_THREAD_POOL_H

#include "simulate/passes/pass.h"

struct mpg_thread_pool;

/* Starts THREADS threads, 1 .. N, for N consumers; each consumer belongs to a single thread. The consumers outlive the pool.
 * Errors: out of memory; the system refuses a thread. */
struct mpg_thread_pool *mpg_thread_pool_new(const struct mpg_step_consumer *consumers, size_t n, unsigned threads,
                              struct mpg_error *err);
/* Gives STEPS to all consumers, and keeps the batch until the last has returned. Errors: out of memory; the error of the first
 * consumer failed at any earlier step. */
int mpg_thread_pool_take(struct mpg_thread_pool *pool, const struct mpg_steps *steps, struct mpg_error *err);
/* Waits until all consumers have taken all steps. Error: as mpg_thread_pool_take(). */
int mpg_thread_pool_finish(struct mpg_thread_pool *pool, struct mpg_error *err);
/* Ends the threads at any time before the graph is closed. NULL is allowed. */
void mpg_thread_pool_free(struct mpg_thread_pool *pool);

#endif
