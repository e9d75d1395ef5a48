/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of a rank. Each thread makes its own calls at its own times. It waits for other threads in three cases
 * only. (1) It uses a request, communicator, window or message that another thread created or used last: it waits
 * until that thread has finished all calls that ended before this call in the trace. (2) Collectives on one
 * communicator keep the traced order. (3) A call that frees an object waits for all calls that ended before it in
 * the trace. Every wait is for a call that ended earlier in the trace, so waits cannot form a cycle. */
#include "replay/enact/play.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/reserve.h"

struct member {
    struct play play;
    struct mpg_error err;
    pthread_t thread;
    bool runs;
    int64_t leave_ns; /* traced end of the current action */
    uint64_t number;
};

struct play_crew {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int n;
    struct member *member; /* member 0 uses the caller's struct play */
    int64_t begin_ns;
    int begun;      /* threads other than the first that have started their first action */
    uint64_t *turn; /* number of collectives made, by communicator */
    uint32_t turns;
    bool failed;
};

/* --- lock --- */

void play_close(struct play *p)
{
    if (p->all->crew)
        pthread_mutex_lock(&p->all->crew->lock);
}

void play_open(struct play *p)
{
    if (p->all->crew)
        pthread_mutex_unlock(&p->all->crew->lock);
}

void crew_tell(struct play *p)
{
    if (p->all->crew)
        pthread_cond_broadcast(&p->all->crew->moved);
}

static void pause_here(struct play_crew *c)
{
    pthread_cond_wait(&c->moved, &c->lock);
}

/* --- waiting for other threads --- */

void crew_act(struct play *p)
{
    struct play_crew *c = p->all->crew;
    if (!c)
        return;
    play_close(p);
    c->member[p->thread].leave_ns = p->act->event.leave_ns;
    c->member[p->thread].number = p->act->number;
    crew_tell(p);
    play_open(p);
}

/* Returns true if M has finished all actions that ended in the trace before P's action began. */
static bool has_passed(const struct member *m, const struct play *p)
{
    const int64_t enter_ns = p->act->event.enter_ns;
    return m->leave_ns > enter_ns || (m->leave_ns == enter_ns && m->number > p->act->number);
}

bool crew_wait(struct play *p, int thread)
{
    struct play_crew *c = p->all->crew;
    if (!c)
        return false;
    bool passed = thread != CREW_WHATEVER;
    for (int i = 0; i < c->n; i++)
        if (i != p->thread && (thread == CREW_ANY || thread == i))
            passed &= has_passed(&c->member[i], p);
    if (passed)
        return false;
    pause_here(c);
    return true;
}

static bool frees(enum mpg_kind kind)
{
    return kind == MPG_KIND_COMM_FREE || kind == MPG_KIND_WIN_FREE || kind == MPG_KIND_WIN_FENCE ||
           kind == MPG_KIND_REQUEST_FREE;
}

/* The counter of COMM; NULL: out of memory. */
static uint64_t *turn_of(struct play_crew *c, int32_t comm)
{
    struct mpg_error unused;
    return mpg_reserve_at(&c->turn, sizeof *c->turn, &c->turns, (uint32_t)comm + 1, &unused) < 0 ? NULL : &c->turn[comm];
}

int crew_before(struct play *p)
{
    struct play_crew *c = p->all->crew;
    const struct mpg_act *act = p->act;
    if (!c)
        return 0;
    if (act->first >= 0) { /* a tracer of the replay then numbers the threads as in the trace */
        while (c->begun < act->first)
            pause_here(c);
        c->begun++;
        crew_tell(p);
    }
    while (frees(act->kind) && crew_wait(p, CREW_ANY)) {
    }
    if (act->turn < 0)
        return 0;
    if (!turn_of(c, act->event.comm))
        return play_fail(p, "out of memory");
    while (*turn_of(c, act->event.comm) < (uint64_t)act->turn)
        pause_here(c);
    return 0;
}

void crew_after(struct play *p)
{
    struct play_crew *c = p->all->crew;
    if (!c || p->act->turn < 0)
        return;
    ++*turn_of(c, p->act->event.comm);
    crew_tell(p);
}

/* --- life of a thread --- */

void crew_fail(struct play *p)
{
    struct play_crew *c = p->all->crew;
    if (!c)
        return;
    play_close(p);
    const bool second = c->failed;
    c->failed = true;
    play_open(p);
    while (second) /* the thread that failed first ends the run */
        pause();
}

static void *live(void *argument)
{
    struct member *m = argument;
    struct play *p = &m->play;
    int64_t begin_ns = p->all->crew->begin_ns;
    if (play_thread(p, &begin_ns) < 0) {
        crew_fail(p);
        guard_fails(p);
        p->stage->failed(p->stage->host, p->err);
        return NULL;
    }
    play_close(p);
    m->leave_ns = INT64_MAX;
    crew_tell(p);
    play_open(p);
    guard_leaves(p);
    return NULL;
}

int crew_new(struct play *p)
{
    const int n = p->stage->needs->threads;
    if (n < 2)
        return 0;
    struct play_crew *c = calloc(1, sizeof *c);
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
    pthread_cond_init(&c->moved, NULL);
    p->all->crew = c;
    return 0;
}

int crew_begin(struct play *p, int64_t begin_ns)
{
    struct play_crew *c = p->all->crew;
    if (!c)
        return 0;
    c->begin_ns = begin_ns;
    for (int i = 1; i < c->n; i++) {
        struct member *m = &c->member[i];
        m->play = *p;
        m->play.thread = i;
        m->play.err = &m->err;
        m->play.act = NULL;
        m->play.outcome = (struct mpg_outcome){0};
        m->play.list = (struct play_list){0};
        m->play.counts = NULL;
        m->runs = pthread_create(&m->thread, NULL, live, m) == 0;
        if (!m->runs)
            return play_fail(p, "thread %d cannot be started", i);
    }
    return 0;
}

void crew_end(struct play *p)
{
    struct play_crew *c = p->all->crew;
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
