/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of steps go round: who reads fills the next one as soon as all threads have done with it. */
#include "simulate/passes/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/passes/batch.h"

enum { BATCHES = 4 };

struct worker {
    struct mpg_crew *crew;
    pthread_t thread;
    unsigned first; /* taker; the others are one crew's size apart */
};

struct mpg_crew {
    const struct mpg_taker *takers;
    size_t n;
    unsigned threads, started;
    struct worker *worker;
    struct mpg_batch batch[BATCHES]; /* the I-th is in I modulo BATCHES */
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    uint64_t filled;            /* batches that can be taken */
    uint64_t done[BATCHES];     /* threads that have done with it */
    bool ends;
    size_t failed;              /* the first taker that has; n: none */
    struct mpg_error error;     /* its */
};

/* Waits for the COUNT-th batch; false: there will be none. */
static bool wait_filled(struct mpg_crew *c, uint64_t count)
{
    pthread_mutex_lock(&c->mutex);
    while (c->filled <= count && !c->ends)
        pthread_cond_wait(&c->changed, &c->mutex);
    const bool is_there = c->filled > count && !c->ends;
    pthread_mutex_unlock(&c->mutex);
    return is_there;
}

static void say_done(struct mpg_crew *c, uint64_t count)
{
    pthread_mutex_lock(&c->mutex);
    if (++c->done[count % BATCHES] == c->threads)
        pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

static void say_failed(struct mpg_crew *c, size_t taker, const struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    if (taker < c->failed) {
        c->failed = taker;
        c->error = *err;
    }
    pthread_mutex_unlock(&c->mutex);
}

static void *work(void *context)
{
    const struct worker *x = context;
    struct mpg_crew *c = x->crew;
    struct mpg_error err;
    bool failed = false; /* then it lets batches pass */
    for (uint64_t count = 0; wait_filled(c, count); count++) {
        const struct mpg_batch *b = &c->batch[count % BATCHES];
        const struct mpg_steps steps = {b->steps, b->n, b->slots, b->tells_unused, b->unused, b->unused_number};
        for (size_t i = x->first; i < c->n && !failed; i += c->threads)
            if (c->takers[i].take(c->takers[i].context, &steps, &err) < 0) {
                say_failed(c, i, &err);
                failed = true;
            }
        say_done(c, count);
    }
    return NULL;
}

struct mpg_crew *mpg_crew_new(const struct mpg_taker *takers, size_t n, unsigned threads,
                              struct mpg_error *err)
{
    struct mpg_crew *c = calloc(1, sizeof *c);
    struct worker *worker = calloc(threads, sizeof *worker);
    if (!c || !worker) {
        free(c);
        free(worker);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *c = (struct mpg_crew){
        .takers = takers, .n = n, .threads = threads, .worker = worker, .failed = n};
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (int i = 0; i < BATCHES; i++) {
        c->done[i] = threads;
        if (mpg_batch_init(&c->batch[i], err) < 0)
            goto fail;
    }
    for (; c->started < threads; c->started++) {
        struct worker *x = &worker[c->started];
        *x = (struct worker){.crew = c, .first = c->started};
        int status = pthread_create(&x->thread, NULL, work, x);
        if (status != 0) {
            mpg_error_set(err, "thread %u of %u: %s (--threads takes fewer)", c->started + 1,
                          threads, strerror(status));
            goto fail;
        }
    }
    return c;
fail:
    mpg_crew_free(c);
    return NULL;
}

/* The batch that is being filled, which nobody takes any more. */
static struct mpg_batch *filling(struct mpg_crew *c)
{
    return &c->batch[c->filled % BATCHES];
}

/* Waits until batch I is nobody's; -1 if a taker has failed. */
static int wait_done(struct mpg_crew *c, unsigned i, struct mpg_error *err)
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

/* Hands on what is filled; the next one is empty then. */
static int hand_on(struct mpg_crew *c, struct mpg_error *err)
{
    pthread_mutex_lock(&c->mutex);
    c->done[c->filled % BATCHES] = 0;
    c->filled++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    if (wait_done(c, c->filled % BATCHES, err) < 0)
        return -1;
    mpg_batch_empty(filling(c));
    return 0;
}

static int take_step(struct mpg_crew *c, const struct mpg_step *step, uint32_t slots,
                     struct mpg_error *err)
{
    if (!mpg_batch_has_room(filling(c), step) && hand_on(c, err) < 0)
        return -1;
    if (mpg_batch_add(filling(c), step, slots, err) < 0)
        return -1;
    /* What that one points to is gone with the next steps. */
    return step->kind == MPG_STEP_EXPAND ? mpg_crew_finish(c, err) : 0;
}

int mpg_crew_take(struct mpg_crew *c, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (take_step(c, &steps->step[i], steps->slots, err) < 0)
            return -1;
    if (!steps->tells_unused || filling(c)->n == 0)
        return 0;
    return mpg_batch_tell_unused(filling(c), steps, err) < 0 ? -1 : hand_on(c, err);
}

int mpg_crew_finish(struct mpg_crew *c, struct mpg_error *err)
{
    if (filling(c)->n > 0 && hand_on(c, err) < 0)
        return -1;
    for (unsigned i = 0; i < BATCHES; i++)
        if (wait_done(c, i, err) < 0)
            return -1;
    return 0;
}

void mpg_crew_free(struct mpg_crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->mutex);
    c->ends = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    for (unsigned i = 0; i < c->started; i++)
        pthread_join(c->worker[i].thread, NULL);
    for (int i = 0; i < BATCHES; i++)
        mpg_batch_clear(&c->batch[i]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->mutex);
    free(c->worker);
    free(c);
}
