/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends a run that hangs. Each thread publishes the current call in memory shared by the processes of a host, which a
 * thread of the host's first process checks regularly. If no thread computes and nothing has changed for the time of
 * --patience, the watchdog prints the calls and ends the run. With several hosts, each host has a watchdog, which also
 * allows 1.5 times the longest traced duration of the current calls, since another host may still compute. */
#include "replay/enact/player.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/text_stream.h"

enum { CHECK_NS = 250000000, LINES = 32 };

/* COMPUTES, LEFT: values of CALL outside of calls; NONE: value of an argument that the call lacks. */
enum { COMPUTES = -1, LEFT = -2, NONE = -1 };

struct activity {
    alignas(128) _Atomic uint64_t changes; /* number of begins and ends of calls; alone in a cache line */
    _Atomic int32_t call;
    int32_t rank, thread;
    int32_t comm, to, tag, from, recvtag, requests, root; /* arguments of the call; negative: the call has none; MPG_UNKNOWN: a
                                                             wildcard */
    uint64_t number;
    int64_t bytes, recvbytes, traced_ns;
};

struct watchdog {
    const struct mpg_replay_host *host;
    MPI_Comm here;
    struct activity *own, *all; /* ALL: states of the threads of all processes of the host, in rank order, and an entry
                                   whose CALL is no longer COMPUTES after a failure. NULL: no shared memory. OWN: states
                                   of the threads of this process. */
    uint64_t *seen;        /* for each thread: CHANGES at the last check */
    int activities, hosts; /* number of threads of the host's processes; number of hosts */
    bool watches;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool ends;
};

/* --- report --- */

static void write_one(FILE *out, const char *name, int64_t value)
{
    if (value == MPG_UNKNOWN)
        fprintf(out, " %s=any", name);
    else if (value >= 0)
        fprintf(out, " %s=%" PRId64, name, value);
}

static void write_activity(FILE *out, const struct watchdog *g, const struct activity *activity)
{
    const int32_t call = atomic_load(&activity->call);
    fprintf(out, "mpgreplay: rank %d", activity->rank);
    if (activity->thread > 0)
        fprintf(out, ".%d", activity->thread);
    if (call < 0) { /* the thread has left the call since the check */
        fputs(" computes\n", out);
        return;
    }
    fprintf(out, " waits in call %" PRIu64 " (MPI_%s", activity->number, g->host->call_name((enum mpg_call)call));
    write_one(out, "to", activity->to);
    write_one(out, "tag", activity->tag);
    write_one(out, "bytes", activity->bytes);
    write_one(out, "from", activity->from);
    write_one(out, activity->to >= 0 ? "recvtag" : "tag", activity->recvtag);
    write_one(out, activity->to >= 0 ? "recvbytes" : "bytes", activity->recvbytes);
    write_one(out, "root", activity->root);
    if (activity->requests > 0)
        fprintf(out, " of %d request%s", activity->requests, activity->requests > 1 ? "s" : "");
    write_one(out, "comm", activity->comm);
    fputs(")\n", out);
}

static void write_activities(FILE *out, const struct watchdog *g)
{
    fprintf(out, "mpgreplay: no rank%s has progressed for %g s:\n", g->hosts > 1 ? " of this host" : "",
            g->host->timeout_ns / 1e9);
    int lines = 0;
    for (int i = 0; i < g->activities; i++)
        if (atomic_load(&g->all[i].call) != LEFT && lines++ < LINES)
            write_activity(out, g, &g->all[i]);
    if (lines > LINES)
        fprintf(out, "mpgreplay: ... and %d others\n", lines - LINES);
}

/* Prints the states of all threads at once, since other hosts may print to the same place, and ends the run. */
static void give_up(const struct watchdog *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    write_activities(all ? all : stderr, g);
    if (all && mpg_text_end(all, &text))
        fputs(text, stderr);
    fflush(stderr);
    alarm(10); /* a signal ends the process if MPI cannot abort from this thread */
    play_abort(1);
    _exit(1);
}

/* --- checks --- */

/* Returns whether a thread computes or has changed state since the last check. *ALLOWED_NS: maximum time without change. */
static bool any_progress(struct watchdog *g, double *allowed_ns)
{
    bool changes = false;
    int64_t longest_ns = 0;
    for (int i = 0; i < g->activities; i++) {
        const uint64_t now = atomic_load(&g->all[i].changes);
        changes |= now != g->seen[i] || atomic_load(&g->all[i].call) == COMPUTES;
        g->seen[i] = now;
        if (g->all[i].traced_ns > longest_ns)
            longest_ns = g->all[i].traced_ns;
    }
    *allowed_ns = g->host->timeout_ns + (g->hosts > 1 ? 1.5 * (double)longest_ns : 0);
    return changes;
}

static void *watch(void *argument)
{
    struct watchdog *g = argument;
    int64_t since_ns = (int64_t)mpg_clock_ns();
    pthread_mutex_lock(&g->lock);
    while (!g->ends) {
        struct timespec until;
        double allowed_ns;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += CHECK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&g->ended, &g->lock, &until);
        const int64_t now_ns = (int64_t)mpg_clock_ns();
        if (any_progress(g, &allowed_ns))
            since_ns = now_ns;
        else if (!g->ends && (double)(now_ns - since_ns) > allowed_ns)
            give_up(g);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* --- the run --- */

static int begin_watch(struct player *p, struct watchdog *g)
{
    g->seen = calloc((size_t)g->activities, sizeof *g->seen);
    if (!g->seen)
        return play_fail(p, "out of memory");
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->ended, NULL);
    if (pthread_create(&g->thread, NULL, watch, g) != 0)
        return play_fail(p, "no thread can be started");
    g->watches = true;
    return 0;
}

static size_t all_bytes(const struct watchdog *g)
{
    return sizeof *g->all * ((size_t)g->activities + 1);
}

/* Sets g->own to the states of this process's threads, within the shared memory if there is some. */
static int place_activities(struct player *p, struct watchdog *g, int rank)
{
    const int threads = p->host->needs->threads;
    int before = 0;
    PMPI_Allreduce(&threads, &g->activities, 1, MPI_INT, MPI_SUM, g->here);
    PMPI_Exscan(&threads, &before, 1, MPI_INT, MPI_SUM, g->here);
    g->all = play_shared_memory(g->here, all_bytes(g));
    if (g->all)
        g->own = g->all + (rank > 0 ? before : 0);
    else if (!(g->own = aligned_alloc(alignof(struct activity), sizeof *g->own * (size_t)threads)))
        return play_fail(p, "out of memory");
    else if (rank == 0)
        fputs("mpgreplay: the processes of this host cannot share memory (/proc/PID/fd): a hang will not be detected\n", stderr);
    for (int i = 0; i < threads; i++)
        g->own[i] = (struct activity){.call = COMPUTES, .rank = p->host->rank, .thread = p->host->needs->thread[i]};
    if (g->all && rank == 0)
        atomic_store(&g->all[g->activities].call, COMPUTES);
    PMPI_Barrier(g->here); /* no process reads the states before all are initialised: zeros would look like a call */
    return 0;
}

int watchdog_begin(struct player *p)
{
    struct watchdog *g = calloc(1, sizeof *g);
    int rank, first;
    if (!g)
        return play_fail(p, "out of memory");
    p->watchdog = g;
    g->host = p->host;
    PMPI_Comm_split_type(p->hidden, MPI_COMM_TYPE_SHARED, p->host->rank, MPI_INFO_NULL, &g->here);
    PMPI_Comm_rank(g->here, &rank);
    if (place_activities(p, g, rank) < 0)
        return -1;
    first = rank == 0;
    PMPI_Allreduce(&first, &g->hosts, 1, MPI_INT, MPI_SUM, p->hidden);
    return rank == 0 && g->all ? begin_watch(p, g) : 0;
}

/* Counts a change of a thread's state. Only the thread itself writes the state: no atomic addition is needed. */
static void note_change(struct activity *own)
{
    const uint64_t changes = atomic_load_explicit(&own->changes, memory_order_relaxed);
    atomic_store_explicit(&own->changes, changes + 1, memory_order_relaxed);
}

static void set_state(struct player *p, int32_t state)
{
    struct activity *own = &p->watchdog->own[p->thread];
    atomic_store_explicit(&own->call, state, memory_order_relaxed);
    note_change(own);
}

void watchdog_compute(struct player *p)
{
    set_state(p, COMPUTES);
}

void watchdog_leave(struct player *p)
{
    set_state(p, LEFT);
}

static bool has_root(enum mpg_call call)
{
    return call == MPG_CALL_Bcast || call == MPG_CALL_Reduce || call == MPG_CALL_Gather ||
           call == MPG_CALL_Gatherv || call == MPG_CALL_Scatter || call == MPG_CALL_Scatterv;
}

static void set_send(struct activity *own, const struct mpg_event *e)
{
    own->to = e->to;
    own->tag = e->tag;
    own->bytes = e->bytes;
}

static void set_receive(const struct player *p, struct activity *own, const struct mpg_event *e, int32_t tag, int64_t bytes)
{
    const uint32_t any = play_wildcards(p, e);
    own->from = any & MPG_ANY_SOURCE ? MPG_UNKNOWN : e->from;
    own->recvtag = any & MPG_ANY_TAG ? MPG_UNKNOWN : tag;
    own->recvbytes = bytes;
}

void watchdog_call(struct player *p)
{
    struct activity *own = &p->watchdog->own[p->thread];
    const struct mpg_event *e = &p->action->event;
    const struct mpg_comm *traced =
        e->comm >= 0 && (size_t)e->comm < p->shared->comms && p->shared->comm[e->comm] ? p->shared->comm[e->comm]->traced : NULL;
    own->to = own->tag = own->from = own->recvtag = NONE;
    own->bytes = own->recvbytes = NONE;
    switch (p->action->kind) {
    case MPG_KIND_SENDRECV:
        set_send(own, e);
        set_receive(p, own, e, e->recvtag, e->recvbytes);
        break;
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        set_send(own, e);
        break;
    case MPG_KIND_RMA:
        own->to = e->to;
        own->bytes = e->bytes;
        own->recvbytes = e->recvbytes > 0 ? e->recvbytes : NONE;
        break;
    case MPG_KIND_WIN_TARGET:
        own->to = e->to;
        break;
    case MPG_KIND_RECV:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        set_receive(p, own, e, e->tag, e->bytes);
        break;
    default:
        break;
    }
    own->root = p->action->kind == MPG_KIND_COLLECTIVE && has_root(p->action->blocking) ? e->root : NONE;
    own->requests = p->action->kind == MPG_KIND_COMPLETE ? (int32_t)e->request_number : 0;
    own->comm = traced && p->action->kind != MPG_KIND_COMPLETE && p->action->kind != MPG_KIND_FINALIZE ? traced->label : NONE;
    own->number = p->action->number;
    own->traced_ns = e->leave_ns - e->enter_ns;
    note_change(own);
    atomic_store_explicit(&own->call, (int32_t)e->call, memory_order_relaxed);
}

void watchdog_fail(struct player *p)
{
    enum { ENDED_S = 10 };
    struct watchdog *g = p->watchdog;
    int32_t none = COMPUTES;
    if (g && g->all && !atomic_compare_exchange_strong(&g->all[g->activities].call, &none, LEFT))
        sleep(ENDED_S);
}

void watchdog_end(struct player *p)
{
    struct watchdog *g = p->watchdog;
    if (g->watches) {
        pthread_mutex_lock(&g->lock);
        g->ends = true;
        pthread_cond_signal(&g->ended);
        pthread_mutex_unlock(&g->lock);
        pthread_join(g->thread, NULL);
    }
    PMPI_Comm_free(&g->here);
    if (g->all)
        munmap(g->all, all_bytes(g));
    else
        free(g->own);
    free(g->seen);
    free(g);
    p->watchdog = NULL;
}
