/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of a rank. Each thread makes its calls at the traced times, and waits for another thread in three cases only:
 * (1) A call uses a request, communicator, window or message that another thread created or used last. The call waits until
 *     the thread has finished all calls that ended before this call in the trace.
 * (2) Collectives on a communicator keep the traced order.
 * (3) A call that frees an object waits for all calls that ended before this call in the trace.
 * A call waits only for calls that ended earlier in the trace, so waits cannot form a cycle. */
#include "replay/enact/player.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/reserve.h"

struct member {
    struct player play;
    struct mpg_error err;
    pthread_t thread;
    bool runs;
    int64_t leave_ns; /* when the thread's current action ended in the trace */
    uint64_t number;  /* call number of the thread's current action */
};

struct play_threads {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n;
    struct member *member; /* the rank's threads; member 0 does not use PLAY, but the caller's struct player */
    int64_t begin_ns;
    int begun;      /* number of threads, besides the first, that have begun their first action */
    uint64_t *turn; /* by communicator: number of collectives made by the rank */
    uint32_t turns;
    bool failed;
};

/* --- lock --- */

void play_lock(struct player *p)
{
    if (p->shared->threads)
        pthread_mutex_lock(&p->shared->threads->lock);
}

void play_unlock(struct player *p)
{
    if (p->shared->threads)
        pthread_mutex_unlock(&p->shared->threads->lock);
}

void threads_notify(struct player *p)
{
    if (p->shared->threads)
        pthread_cond_broadcast(&p->shared->threads->changed);
}

static void wait_for_change(struct play_threads *c)
{
    pthread_cond_wait(&c->changed, &c->lock);
}

/* --- waiting for other threads --- */

void threads_publish_action(struct player *p)
{
    struct play_threads *c = p->shared->threads;
    if (!c)
        return;
    play_lock(p);
    c->member[p->thread].leave_ns = p->action->event.leave_ns;
    c->member[p->thread].number = p->action->number;
    threads_notify(p);
    play_unlock(p);
}

/* Returns whether thread M has finished all actions that ended in the trace before P's action began. */
static bool has_passed(const struct member *m, const struct player *p)
{
    const int64_t enter_ns = p->action->event.enter_ns;
    return m->leave_ns > enter_ns || (m->leave_ns == enter_ns && m->number > p->action->number);
}

bool threads_wait(struct player *p, int thread)
{
    struct play_threads *c = p->shared->threads;
    if (!c)
        return false;
    bool passed = thread != THREADS_UNCONDITIONAL;
    for (int i = 0; i < c->n; i++)
        if (i != p->thread && (thread == THREADS_ALL || thread == i))
            passed &= has_passed(&c->member[i], p);
    if (passed)
        return false;
    wait_for_change(c);
    return true;
}

static bool frees(enum mpg_kind kind)
{
    return kind == MPG_KIND_COMM_FREE || kind == MPG_KIND_WIN_FREE || kind == MPG_KIND_WIN_FENCE ||
           kind == MPG_KIND_REQUEST_FREE;
}

/* Returns the address of the number of collectives made on COMM; NULL: out of memory. */
static uint64_t *turn_of(struct play_threads *c, int32_t comm)
{
    struct mpg_error unused;
    return mpg_reserve_at(&c->turn, sizeof *c->turn, &c->turns, (uint32_t)comm + 1, &unused) < 0 ? NULL : &c->turn[comm];
}

int threads_before_call(struct player *p)
{
    struct play_threads *c = p->shared->threads;
    const struct mpg_action *action = p->action;
    if (!c)
        return 0;
    if (action->thread_start >= 0) { /* in this order, a tracer of the replay numbers the threads as in the trace */
        while (c->begun < action->thread_start)
            wait_for_change(c);
        c->begun++;
        threads_notify(p);
    }
    while (frees(action->kind) && threads_wait(p, THREADS_ALL)) {
    }
    if (action->turn < 0)
        return 0;
    if (!turn_of(c, action->event.comm))
        return play_fail(p, "out of memory");
    while (*turn_of(c, action->event.comm) < (uint64_t)action->turn)
        wait_for_change(c);
    return 0;
}

void threads_after_call(struct player *p)
{
    struct play_threads *c = p->shared->threads;
    if (!c || p->action->turn < 0)
        return;
    ++*turn_of(c, p->action->event.comm);
    threads_notify(p);
}

/* --- life of a thread --- */

void threads_fail(struct player *p)
{
    struct play_threads *c = p->shared->threads;
    if (!c)
        return;
    play_lock(p);
    const bool second = c->failed;
    c->failed = true;
    play_unlock(p);
    while (second) /* the thread that failed first ends the run */
        pause();
}

static void *run_thread(void *argument)
{
    struct member *m = argument;
    struct player *p = &m->play;
    int64_t begin_ns = p->shared->threads->begin_ns;
    if (play_thread(p, &begin_ns) < 0) {
        threads_fail(p);
        watchdog_fail(p);
        p->host->failed(p->host->context, p->err);
        return NULL;
    }
    play_lock(p);
    m->leave_ns = INT64_MAX;
    threads_notify(p);
    play_unlock(p);
    watchdog_leave(p);
    return NULL;
}

int threads_new(struct player *p)
{
    const int n = p->host->needs->threads;
    if (n < 2)
        return 0;
    struct play_threads *c = calloc(1, sizeof *c);
    struct member *member = calloc((size_t)n, sizeof *member);
    if (!c || !member) {
        free(c);
        free(member);
        return play_fail(p, "out of memory");
    }
    c->n = n;
    c->member = member;
    for (int i = 0; i < n; i++)
        member[i].leave_ns = INT64_MIN;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    p->shared->threads = c;
    return 0;
}

int threads_start(struct player *p, int64_t begin_ns)
{
    struct play_threads *c = p->shared->threads;
    if (!c)
        return 0;
    c->begin_ns = begin_ns;
    for (int i = 1; i < c->n; i++) {
        struct member *m = &c->member[i];
        m->play = *p;
        m->play.thread = i;
        m->play.err = &m->err;
        m->play.action = NULL;
        m->play.outcome = (struct mpg_outcome){0};
        m->play.list = (struct play_list){0};
        m->play.counts = NULL;
        m->runs = pthread_create(&m->thread, NULL, run_thread, m) == 0;
        if (!m->runs)
            return play_fail(p, "thread %d cannot be started", i);
    }
    return 0;
}

void threads_join(struct player *p)
{
    struct play_threads *c = p->shared->threads;
    for (int i = 1; c && i < c->n; i++) {
        pthread_join(c->member[i].thread, NULL);
        const struct mpg_outcome *o = &c->member[i].play.outcome;
        p->outcome.calls += o->calls;
        p->outcome.elapsed += o->elapsed;
        p->outcome.exchanged += o->exchanged;
        p->outcome.unneeded += o->unneeded;
        p->outcome.waited += o->waited;
        p->outcome.dropped += o->dropped;
        p->outcome.cut += o->cut;
    }
}
