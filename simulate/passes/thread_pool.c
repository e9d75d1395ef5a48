/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/passes/thread_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/passes/step_ring.h"

/* Number of entries of the ring, and of steps in a full entry. All consumers evaluate steps in the order of the graph, so more
 * entries do not help. Threads synchronise once for each entry, some thousand times for a million messages. */
enum { ENTRIES = 4, ENOUGH = 1024 };

struct worker {
    struct mpg_thread_pool *pool;
    pthread_t thread;
    unsigned first; /* index of the thread's first consumer; the thread also has every THREADS-th consumer after the first */
};

struct mpg_thread_pool {
    const struct mpg_step_consumer *consumers;
    size_t n;
    unsigned threads, started;
    struct worker *worker;
    struct mpg_step_ring *ring;
    bool ends;             /* the ring has all steps */
    pthread_mutex_t mutex; /* protects all fields below */
    size_t failed;         /* index of the first failed consumer; n: none */
    struct mpg_error error; /* error of consumer FAILED */
};

static void note_failed(struct mpg_thread_pool *c, size_t consumer, const struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    if (consumer < c->failed) {
        c->failed = consumer;
        c->error = *err;
    }
    pthread_mutex_unlock(&c->mutex);
}

/* Returns 0, or -1 with the error of the first failed consumer. */
static int check_consumers(struct mpg_thread_pool *c, struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    const int status = c->failed < c->n ? -1 : 0;
    if (status < 0)
        *err = c->error;
    pthread_mutex_unlock(&c->mutex);
    return status;
}

static void *work(void *context)
{
    const struct worker *x = context;
    struct mpg_thread_pool *c = x->pool;
    struct mpg_error err;
    struct mpg_steps steps;
    struct mpg_step_reader reader = {.ring = c->ring};
    while (!reader.left && mpg_step_reader_take(&reader, &steps, &err) > 0)
        for (size_t i = x->first; i < c->n && !reader.left; i += c->threads)
            if (c->consumers[i].take(c->consumers[i].context, &steps, &err) < 0) {
                note_failed(c, i, &err);
                mpg_step_reader_leave(&reader);
            }
    return NULL;
}

struct mpg_thread_pool *mpg_thread_pool_new(const struct mpg_step_consumer *consumers, size_t n, unsigned threads,
                              struct mpg_error *err)
{
    struct mpg_thread_pool *c = calloc(1, sizeof *c);
    struct worker *worker = calloc(threads, sizeof *worker);
    struct mpg_step_ring *ring = c && worker ? mpg_step_ring_new(threads, ENTRIES, ENOUGH, err) : NULL;
    if (!ring) {
        free(c);
        free(worker);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *c = (struct mpg_thread_pool){
        .consumers = consumers, .n = n, .threads = threads, .worker = worker, .ring = ring, .failed = n};
    pthread_mutex_init(&c->mutex, NULL);
    for (; c->started < threads; c->started++) {
        struct worker *x = &worker[c->started];
        *x = (struct worker){.pool = c, .first = c->started};
        int status = pthread_create(&x->thread, NULL, work, x);
        if (status != 0) {
            mpg_error_set(err, "thread %u of %u: %s (--threads takes fewer)", c->started + 1,
                          threads, strerror(status));
            goto fail;
        }
    }
    return c;
fail:
    mpg_thread_pool_free(c);
    return NULL;
}

int mpg_thread_pool_take(struct mpg_thread_pool *c, const struct mpg_steps *steps, struct mpg_error *err)
{
    (void)mpg_step_ring_put(c->ring, steps);
    return check_consumers(c, err);
}

int mpg_thread_pool_finish(struct mpg_thread_pool *c, struct mpg_error *err)
{
    mpg_step_ring_end(c->ring, NULL);
    c->ends = true;
    mpg_step_ring_wait(c->ring);
    return check_consumers(c, err);
}

void mpg_thread_pool_free(struct mpg_thread_pool *c)
{
    if (!c)
        return;
    if (!c->ends)
        mpg_step_ring_end(c->ring, NULL);
    for (unsigned i = 0; i < c->started; i++)
        pthread_join(c->worker[i].thread, NULL);
    pthread_mutex_destroy(&c->mutex);
    mpg_step_ring_free(c->ring);
    free(c->worker);
    free(c);
}
