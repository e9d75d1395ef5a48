/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicas shared by threads, each of which reads the trace by itself. */
#ifndef MPG_EVENTS_WORKERS_H
#define MPG_EVENTS_WORKERS_H

#include "common/error.h"
#include "trace/reader.h"

struct workers_task {
    /* What replica I came to, by TRACE, which is the thread's; NULL with ERR. In several threads at a time. */
    void *(*run)(void *context, struct mpg_trace *trace, uint32_t i, struct mpg_error *err);
    /* Takes and frees it: those of all replicas in their order, one at a time. */
    void (*take)(void *context, void *came_to, uint32_t i);
    void *context;
};

/* Runs replicas 0 .. N - 1 by THREADS >= 1 threads, of which one has TRACE and others open it once more: fewer where
 * it cannot be read again (a pipe), or a thread cannot be had. Errors: the first failed replica's; those before it
 * have been taken. */
int workers_run(const struct workers_task *task, uint32_t n, struct mpg_trace *trace, unsigned threads,
                struct mpg_error *err);

#endif
