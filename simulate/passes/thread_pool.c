/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of steps pass through a ring buffer: the reader fills an entry while the threads still evaluate the previous
 * entries. */
#include "simulate/passes/thread_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Number of entries of the ring, and number of steps that fill an entry. Threads synchronise once for each entry, some
 * thousand times for a million messages. */
enum { HANDED_ON = 4, ENOUGH = 1024 };

struct worker {
    struct mpg_thread_pool *pool;
    pthread_t thread;
    unsigned first; /* index of the thread's first consumer; the thread also has every THREADS-th consumer after it */
};

struct mpg_thread_pool {
    const struct mpg_step_consumer *consumers;
    size_t n;
    unsigned threads, started;
    struct worker *worker;
    struct mpg_steps steps[HANDED_ON]; /* the ring; the next free entry collects steps */
    pthread_mutex_t mutex; /* protects all fields below */
    pthread_cond_t changed;
    uint64_t filled;            /* number of entries filled so far */
    uint64_t done[HANDED_ON];   /* for each entry: number of threads that have finished with it */
    bool ends;
    size_t failed;              /* index of the first consumer that failed; n: none */
    struct mpg_error error;     /* error of that consumer */
};

/* Waits until entry number COUNT, from 0, is filled. Returns false if the steps end before. */
static bool wait_filled(struct mpg_thread_pool *c, uint64_t count)
{
    pthread_mutex_lock(&c->mutex);
    while (c->filled <= count && !c->ends)
        pthread_cond_wait(&c->changed, &c->mutex);
    const bool is_there = c->filled > count && !c->ends;
    pthread_mutex_unlock(&c->mutex);
    return is_there;
}

static void note_done(struct mpg_thread_pool *c, uint64_t count)
{
    pthread_mutex_lock(&c->mutex);
    const bool is_last = ++c->done[count % HANDED_ON] == c->threads;
    if (is_last)
        mpg_batch_give_back(c->steps[count % HANDED_ON].batch);
    if (is_last)
        pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

static void note_failed(struct mpg_thread_pool *c, size_t consumer, const struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    if (consumer < c->failed) {
        c->failed = consumer;
        c->error = *err;
    }
    pthread_mutex_unlock(&c->mutex);
}

static void *work(void *context)
{
    const struct worker *x = context;
    struct mpg_thread_pool *c = x->pool;
    struct mpg_error err;
    bool failed = false; /* after a failure the thread ignores steps */
    for (uint64_t count = 0; wait_filled(c, count); count++) {
        const struct mpg_steps *steps = &c->steps[count % HANDED_ON];
        for (size_t i = x->first; i < c->n && !failed; i += c->threads)
            if (c->consumers[i].take(c->consumers[i].context, steps, &err) < 0) {
                note_failed(c, i, &err);
                failed = true;
            }
        note_done(c, count);
    }
    return NULL;
}

struct mpg_thread_pool *mpg_thread_pool_new(const struct mpg_step_consumer *consumers, size_t n, unsigned threads,
                              struct mpg_error *err)
{
    struct mpg_thread_pool *c = calloc(1, sizeof *c);
    struct worker *worker = calloc(threads, sizeof *worker);
    if (!c || !worker) {
        free(c);
        free(worker);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *c = (struct mpg_thread_pool){
        .consumers = consumers, .n = n, .threads = threads, .worker = worker, .failed = n};
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (int i = 0; i < HANDED_ON; i++)
        c->done[i] = threads;
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

/* Returns the entry that collects steps, which no thread reads. */
static struct mpg_steps *gathered(struct mpg_thread_pool *c)
{
    return &c->steps[c->filled % HANDED_ON];
}

/* Waits until all threads have finished with entry I. Returns 0, or -1 if a consumer has failed. */
static int wait_done(struct mpg_thread_pool *c, unsigned i, struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    while (c->done[i] < c->threads)
        pthread_cond_wait(&c->changed, &c->mutex);
    const int status = c->failed < c->n ? -1 : 0;
    if (status < 0)
        *err = c->error;
    pthread_mutex_unlock(&c->mutex);
    return status;
}

/* Hands the collected steps to the threads, and empties the next entry. */
static int hand_on(struct mpg_thread_pool *c, struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    c->done[c->filled % HANDED_ON] = 0;
    c->filled++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    if (wait_done(c, c->filled % HANDED_ON, err) < 0)
        return -1;
    *gathered(c) = (struct mpg_steps){.n = 0};
    return 0;
}

int mpg_thread_pool_take(struct mpg_thread_pool *c, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct mpg_steps *g = gathered(c);
    if (g->n > 0 && (g->batch != steps->batch || g->step + g->n != steps->step)) {
        if (hand_on(c, err) < 0)
            return -1;
        g = gathered(c);
    }
    const struct mpg_steps before = *g;
    *g = *steps;
    if (before.n > 0) {
        g->step = before.step;
        g->n += before.n;
    } else
        mpg_batch_keep(steps->batch, 1);
    return g->n >= ENOUGH || steps->reports_unused ? hand_on(c, err) : 0;
}

int mpg_thread_pool_finish(struct mpg_thread_pool *c, struct mpg_error *err)
{
    if (gathered(c)->n > 0 && hand_on(c, err) < 0)
        return -1;
    for (unsigned i = 0; i < HANDED_ON; i++)
        if (wait_done(c, i, err) < 0)
            return -1;
    return 0;
}

void mpg_thread_pool_free(struct mpg_thread_pool *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->mutex);
    c->ends = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    for (unsigned i = 0; i < c->started; i++)
        pthread_join(c->worker[i].thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
    free(c->worker);
    free(c);
}
