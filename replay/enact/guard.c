/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who watches that somebody goes on. Each thread of each process says in memory that the processes of its host share which
 * call it is in; a thread of the first of them looks there now and then. When nothing has changed for long, and
 * nobody computes, it says what all of them wait for, and ends the run. Of several hosts each watches its own,
 * and allows a call that took long in the trace as long again and a half. */
#include "replay/enact/play.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOOK_NS = 250000000, LINES = 32 };

/* What a thread says: in a call, in none, or at its end. */
enum { COMPUTES = -1, LEFT = -2 };

struct post {
    alignas(128) _Atomic uint64_t moves; /* changes whenever a call begins or ends; no other's is in its cache line */
    _Atomic int32_t call;
    int32_t rank, thread, comm, to, from, tag, requests, root;
    uint64_t number;
    int64_t bytes, traced_ns;
};

struct guard {
    const struct mpg_stage *stage;
    MPI_Comm here;
    struct post *own, *all; /* all: of the processes here, one after the other; NULL: OWN is of this process alone */
    uint64_t *seen;
    int posts, hosts; /* threads of these processes */
    bool watches;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool ends;
};

/* --- what a process says --- */

static void add(char *text, size_t size, const char *format, long long n)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, format, n);
}

static void describe(const struct guard *g, const struct post *post, char *text, size_t size)
{
    const int32_t call = atomic_load(&post->call);
    char who[32];
    snprintf(who, sizeof who, post->thread > 0 ? "rank %d.%d" : "rank %d", post->rank, post->thread);
    if (call < 0) { /* since it was looked at */
        snprintf(text, size, "%s computes", who);
        return;
    }
    snprintf(text, size, "%s waits in call %llu (MPI_%s", who, (unsigned long long)post->number,
             g->stage->call_name((enum mpg_call)call));
    if (post->to >= 0)
        add(text, size, " to=%lld", post->to);
    if (post->from >= 0)
        add(text, size, " from=%lld", post->from);
    else if (post->from == MPG_UNKNOWN)
        add(text, size, " from any%.0lld", 0);
    if (post->to >= 0 || post->from >= 0 || post->from == MPG_UNKNOWN) {
        add(text, size, " tag=%lld", post->tag);
        add(text, size, " bytes=%lld", post->bytes);
    }
    if (post->root >= 0)
        add(text, size, " root=%lld", post->root);
    if (post->requests > 0)
        add(text, size, " of %lld request", post->requests);
    if (post->requests > 1)
        add(text, size, "s%.0lld", 0);
    if (post->comm >= 0)
        add(text, size, " comm=%lld", post->comm);
    add(text, size, ")%.0lld", 0);
}

/* Says what all wait in, and ends them all. */
static void give_up(const struct guard *g)
{
    char text[256];
    fprintf(stderr, "mpgreplay: no rank%s has gone on for %.0f s:\n", g->hosts > 1 ? " of this host" : "",
            g->stage->patience_ns / 1e9);
    int lines = 0;
    for (int i = 0; i < g->posts; i++) {
        if (atomic_load(&g->all[i].call) == LEFT || lines++ >= LINES)
            continue;
        describe(g, &g->all[i], text, sizeof text);
        fprintf(stderr, "mpgreplay: %s\n", text);
    }
    if (lines > LINES)
        fprintf(stderr, "mpgreplay: ... and %d others\n", lines - LINES);
    fflush(stderr);
    alarm(10); /* where MPI cannot end from a second thread */
    PMPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* --- looking --- */

/* Whether somebody has gone on, or computes; *ALLOWED_NS for those that wait. */
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

/* Where each thread of each process here says what it does. */
static int find_posts(struct play *p, struct guard *g, int rank)
{
    const int threads = p->stage->needs->threads;
    int before = 0;
    PMPI_Allreduce(&threads, &g->posts, 1, MPI_INT, MPI_SUM, g->here);
    PMPI_Exscan(&threads, &before, 1, MPI_INT, MPI_SUM, g->here);
    g->all = play_shared_memory(g->here, sizeof *g->all * (size_t)g->posts);
    if (g->all)
        g->own = g->all + (rank > 0 ? before : 0);
    else if (!(g->own = aligned_alloc(alignof(struct post), sizeof *g->own * (size_t)threads)))
        return play_fail(p, "out of memory");
    else if (rank == 0)
        fputs("mpgreplay: the processes of this host share no memory (/proc/PID/fd): nobody sees if they cannot go on\n", stderr);
    for (int i = 0; i < threads; i++)
        g->own[i] = (struct post){.call = COMPUTES, .rank = p->stage->rank, .thread = p->stage->needs->thread[i]};
    PMPI_Barrier(g->here); /* what is not said yet would be a call */
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

/* One thread alone changes it. */
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

void guard_calls(struct play *p)
{
    struct post *own = &p->guard->own[p->thread];
    const struct mpg_event *e = &p->act->event;
    const struct mpg_comm *told =
        e->comm >= 0 && (size_t)e->comm < p->all->comms && p->all->comm[e->comm] ? p->all->comm[e->comm]->told : NULL;
    bool sends = false, receives = false;
    switch (p->act->kind) {
    case MPG_KIND_SENDRECV:
        sends = receives = true;
        break;
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
    case MPG_KIND_RMA:
        sends = true;
        break;
    case MPG_KIND_RECV:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        receives = true;
        break;
    default:
        break;
    }
    own->to = sends ? e->to : -1;
    own->from = !receives ? -1 : (e->any & MPG_ANY_SOURCE) && !p->stage->deterministic ? MPG_UNKNOWN : e->from;
    own->tag = e->tag;
    own->bytes = e->bytes;
    own->root = p->act->kind == MPG_KIND_COLLECTIVE && has_root(p->act->blocking) ? e->root : -1;
    own->requests = p->act->kind == MPG_KIND_COMPLETE ? (int32_t)e->request_number : 0;
    own->comm = told && p->act->kind != MPG_KIND_COMPLETE && p->act->kind != MPG_KIND_FINALIZE ? told->label : -1;
    own->number = p->act->number;
    own->traced_ns = e->leave_ns - e->enter_ns;
    move(own);
    atomic_store_explicit(&own->call, (int32_t)e->call, memory_order_relaxed);
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
        munmap(g->all, sizeof *g->all * (size_t)g->posts);
    else
        free(g->own);
    free(g->seen);
    free(g);
    p->guard = NULL;
}
