/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watchdog: ends a run that hangs. Each thread stores its current call in memory shared by the processes of a
 * host. A thread of the first process checks it regularly. If no state has changed for the patience time and no
 * thread computes, the watchdog prints the calls and ends the run. With several hosts each one has its own
 * watchdog, which also allows 1.5 times the longest traced duration of the current calls. */
#include "replay/enact/play.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/text_stream.h"

enum { LOOK_NS = 250000000, LINES = 32 };

/* State of a thread outside a call; value of an absent field. */
enum { COMPUTES = -1, LEFT = -2, NONE = -1 };

struct post {
    alignas(128) _Atomic uint64_t moves; /* changes at each begin and end of a call; alone in its cache line */
    _Atomic int32_t call;
    int32_t rank, thread;
    int32_t comm, to, tag, from, recvtag, requests, root; /* negative: absent; MPG_UNKNOWN: wildcard */
    uint64_t number;
    int64_t bytes, recvbytes, traced_ns;
};

struct guard {
    const struct mpg_stage *stage;
    MPI_Comm here;
    struct post *own, *all; /* ALL: states of all processes of the host, in rank order, and one extra state that is not
                               COMPUTES after a failure. NULL: no shared memory, OWN is private. */
    uint64_t *seen;
    int posts, hosts; /* threads of these processes */
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

static void write_post(FILE *out, const struct guard *g, const struct post *post)
{
    const int32_t call = atomic_load(&post->call);
    fprintf(out, "mpgreplay: rank %d", post->rank);
    if (post->thread > 0)
        fprintf(out, ".%d", post->thread);
    if (call < 0) { /* began to compute after the check */
        fputs(" computes\n", out);
        return;
    }
    fprintf(out, " waits in call %" PRIu64 " (MPI_%s", post->number, g->stage->call_name((enum mpg_call)call));
    write_one(out, "to", post->to);
    write_one(out, "tag", post->tag);
    write_one(out, "bytes", post->bytes);
    write_one(out, "from", post->from);
    write_one(out, post->to >= 0 ? "recvtag" : "tag", post->recvtag);
    write_one(out, post->to >= 0 ? "recvbytes" : "bytes", post->recvbytes);
    write_one(out, "root", post->root);
    if (post->requests > 0)
        fprintf(out, " of %d request%s", post->requests, post->requests > 1 ? "s" : "");
    write_one(out, "comm", post->comm);
    fputs(")\n", out);
}

static void write_posts(FILE *out, const struct guard *g)
{
    fprintf(out, "mpgreplay: no rank%s has gone on for %g s:\n", g->hosts > 1 ? " of this host" : "",
            g->stage->patience_ns / 1e9);
    int lines = 0;
    for (int i = 0; i < g->posts; i++)
        if (atomic_load(&g->all[i].call) != LEFT && lines++ < LINES)
            write_post(out, g, &g->all[i]);
    if (lines > LINES)
        fprintf(out, "mpgreplay: ... and %d others\n", lines - LINES);
}

/* Prints all states in one write, since other hosts may write to the same place, and ends the run. */
static void give_up(const struct guard *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    write_posts(all ? all : stderr, g);
    if (all && mpg_text_end(all, &text))
        fputs(text, stderr);
    fflush(stderr);
    alarm(10); /* if MPI cannot abort from this thread */
    play_abort(1);
    _exit(1);
}

/* --- checks --- */

/* Returns true if a thread has changed its state or computes. *ALLOWED_NS: longest time without change. */
static bool somebody_moves(struct guard *g, double *allowed_ns)
{
    bool moves = false;
    int64_t longest_ns = 0;
    for (int i = 0; i < g->posts; i++) {
        const uint64_t now = atomic_load(&g->all[i].moves);
        moves |= now != g->seen[i] || atomic_load(&g->all[i].call) == COMPUTES;
        g->seen[i] = now;
        if (g->all[i].traced_ns > longest_ns)
            longest_ns = g->all[i].traced_ns;
    }
    *allowed_ns = g->stage->patience_ns + (g->hosts > 1 ? 1.5 * (double)longest_ns : 0);
    return moves;
}

static void *watch(void *argument)
{
    struct guard *g = argument;
    int64_t since_ns = (int64_t)mpg_clock_ns();
    pthread_mutex_lock(&g->lock);
    while (!g->ends) {
        struct timespec until;
        double allowed_ns;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&g->ended, &g->lock, &until);
        const int64_t now_ns = (int64_t)mpg_clock_ns();
        if (somebody_moves(g, &allowed_ns))
            since_ns = now_ns;
        else if (!g->ends && (double)(now_ns - since_ns) > allowed_ns)
            give_up(g);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* --- the run --- */

static int begin_watch(struct play *p, struct guard *g)
{
    g->seen = calloc((size_t)g->posts, sizeof *g->seen);
    if (!g->seen)
        return play_fail(p, "out of memory");
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->ended, NULL);
    if (pthread_create(&g->thread, NULL, watch, g) != 0)
        return play_fail(p, "no thread can be started");
    g->watches = true;
    return 0;
}

static size_t all_bytes(const struct guard *g)
{
    return sizeof *g->all * ((size_t)g->posts + 1);
}

/* Places the states of this process's threads. */
static int find_posts(struct play *p, struct guard *g, int rank)
{
    const int threads = p->stage->needs->threads;
    int before = 0;
    PMPI_Allreduce(&threads, &g->posts, 1, MPI_INT, MPI_SUM, g->here);
    PMPI_Exscan(&threads, &before, 1, MPI_INT, MPI_SUM, g->here);
    g->all = play_shared_memory(g->here, all_bytes(g));
    if (g->all)
        g->own = g->all + (rank > 0 ? before : 0);
    else if (!(g->own = aligned_alloc(alignof(struct post), sizeof *g->own * (size_t)threads)))
        return play_fail(p, "out of memory");
    else if (rank == 0)
        fputs("mpgreplay: the processes of this host share no memory (/proc/PID/fd): nobody sees if they cannot go on\n", stderr);
    for (int i = 0; i < threads; i++)
        g->own[i] = (struct post){.call = COMPUTES, .rank = p->stage->rank, .thread = p->stage->needs->thread[i]};
    if (g->all && rank == 0)
        atomic_store(&g->all[g->posts].call, COMPUTES);
    PMPI_Barrier(g->here); /* an uninitialised state would read as a call */
    return 0;
}

int guard_begin(struct play *p)
{
    struct guard *g = calloc(1, sizeof *g);
    int rank, first;
    if (!g)
        return play_fail(p, "out of memory");
    p->guard = g;
    g->stage = p->stage;
    PMPI_Comm_split_type(p->hidden, MPI_COMM_TYPE_SHARED, p->stage->rank, MPI_INFO_NULL, &g->here);
    PMPI_Comm_rank(g->here, &rank);
    if (find_posts(p, g, rank) < 0)
        return -1;
    first = rank == 0;
    PMPI_Allreduce(&first, &g->hosts, 1, MPI_INT, MPI_SUM, p->hidden);
    return rank == 0 && g->all ? begin_watch(p, g) : 0;
}

/* Only the owning thread writes its state. */
static void move(struct post *own)
{
    const uint64_t moves = atomic_load_explicit(&own->moves, memory_order_relaxed);
    atomic_store_explicit(&own->moves, moves + 1, memory_order_relaxed);
}

static void make_no_call(struct play *p, int32_t state)
{
    struct post *own = &p->guard->own[p->thread];
    atomic_store_explicit(&own->call, state, memory_order_relaxed);
    move(own);
}

void guard_computes(struct play *p)
{
    make_no_call(p, COMPUTES);
}

void guard_leaves(struct play *p)
{
    make_no_call(p, LEFT);
}

static bool has_root(enum mpg_call call)
{
    return call == MPG_CALL_Bcast || call == MPG_CALL_Reduce || call == MPG_CALL_Gather ||
           call == MPG_CALL_Gatherv || call == MPG_CALL_Scatter || call == MPG_CALL_Scatterv;
}

static void say_send(struct post *own, const struct mpg_event *e)
{
    own->to = e->to;
    own->tag = e->tag;
    own->bytes = e->bytes;
}

static void say_receive(const struct play *p, struct post *own, const struct mpg_event *e, int32_t tag, int64_t bytes)
{
    const uint32_t any = play_any(p, e);
    own->from = any & MPG_ANY_SOURCE ? MPG_UNKNOWN : e->from;
    own->recvtag = any & MPG_ANY_TAG ? MPG_UNKNOWN : tag;
    own->recvbytes = bytes;
}

void guard_calls(struct play *p)
{
    struct post *own = &p->guard->own[p->thread];
    const struct mpg_event *e = &p->act->event;
    const struct mpg_comm *told =
        e->comm >= 0 && (size_t)e->comm < p->all->comms && p->all->comm[e->comm] ? p->all->comm[e->comm]->told : NULL;
    own->to = own->tag = own->from = own->recvtag = NONE;
    own->bytes = own->recvbytes = NONE;
    switch (p->act->kind) {
    case MPG_KIND_SENDRECV:
        say_send(own, e);
        say_receive(p, own, e, e->recvtag, e->recvbytes);
        break;
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        say_send(own, e);
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
        say_receive(p, own, e, e->tag, e->bytes);
        break;
    default:
        break;
    }
    own->root = p->act->kind == MPG_KIND_COLLECTIVE && has_root(p->act->blocking) ? e->root : NONE;
    own->requests = p->act->kind == MPG_KIND_COMPLETE ? (int32_t)e->request_number : 0;
    own->comm = told && p->act->kind != MPG_KIND_COMPLETE && p->act->kind != MPG_KIND_FINALIZE ? told->label : NONE;
    own->number = p->act->number;
    own->traced_ns = e->leave_ns - e->enter_ns;
    move(own);
    atomic_store_explicit(&own->call, (int32_t)e->call, memory_order_relaxed);
}

void guard_fails(struct play *p)
{
    enum { ENDED_S = 10 };
    struct guard *g = p->guard;
    int32_t none = COMPUTES;
    if (g && g->all && !atomic_compare_exchange_strong(&g->all[g->posts].call, &none, LEFT))
        sleep(ENDED_S);
}

void guard_end(struct play *p)
{
    struct guard *g = p->guard;
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
    p->guard = NULL;
}
