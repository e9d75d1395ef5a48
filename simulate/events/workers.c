/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

struct work {
    const struct workers_task *task;
    uint32_t n;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    uint32_t begun, taken; /* replicas; once one has failed no other is begun */
    uint32_t failed;       /* the first that has; n: none */
    struct mpg_error error;
};

struct worker {
    struct work *work;
    struct mpg_trace *trace;
    pthread_t thread;
};

/* The next replica, *I; false: there is none, or none that matters. */
static bool begin(struct work *x, uint32_t *i)
{
    pthread_mutex_lock(&x->mutex);
    *i = x->begun;
    const bool is_there = *i < x->n && x->failed == x->n;
    x->begun += is_there;
    pthread_mutex_unlock(&x->mutex);
    return is_there;
}

/* Replica I, which CAME_TO that (NULL: it has failed with ERR), is taken in its turn. */
static void end(struct work *x, uint32_t i, void *came_to, const struct mpg_error *err)
{
    pthread_mutex_lock(&x->mutex);
    while (x->taken < i)
        pthread_cond_wait(&x->changed, &x->mutex);
    if (came_to)
        x->task->take(x->task->context, came_to, i);
    else if (x->failed == x->n) {
        x->failed = i;
        x->error = *err;
    }
    x->taken++;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->mutex);
}

static void *work(void *worker)
{
    const struct worker *w = worker;
    struct work *x = w->work;
    uint32_t i;
    while (begin(x, &i)) {
        struct mpg_error err;
        void *came_to = x->task->run(x->task->context, w->trace, i, &err);
        end(x, i, came_to, &err);
    }
    return NULL;
}

static bool can_be_read_again(const struct mpg_trace *trace)
{
    struct stat info;
    return stat(mpg_trace_path(trace), &info) == 0 && (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode));
}

/* As many more threads as can be had, up to N: how many there are. */
static unsigned start(struct worker *worker, unsigned n, struct work *x, const char *path)
{
    struct mpg_error unused;
    unsigned i = 0;
    for (; i < n; i++) {
        worker[i] = (struct worker){.work = x, .trace = mpg_trace_open(path, &unused)};
        if (!worker[i].trace || pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0) {
            mpg_trace_close(worker[i].trace);
            break;
        }
    }
    return i;
}

int workers_run(const struct workers_task *task, uint32_t n, struct mpg_trace *trace, unsigned threads,
                struct mpg_error *err)
{
    struct work x = {.task = task, .n = n, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                     .failed = n};
    struct worker own = {.work = &x, .trace = trace};
    const unsigned most = threads < n ? threads : n;
    const unsigned more = most > 1 && can_be_read_again(trace) ? most - 1 : 0;
    struct worker *worker = more > 0 ? calloc(more, sizeof *worker) : NULL;
    const unsigned started = worker ? start(worker, more, &x, mpg_trace_path(trace)) : 0;
    work(&own);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(worker[i].thread, NULL);
        mpg_trace_close(worker[i].trace);
    }
    free(worker);
    if (x.failed < n)
        *err = x.error;
    return x.failed < n ? -1 : 0;
}
