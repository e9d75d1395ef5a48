/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes collectives: blocking, nonblocking, persistent. Reductions use MPI_BOR on bytes. */
#include "replay/enact/player.h"

#include <stdlib.h>
#include <string.h>

#if defined OPEN_MPI && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

enum form { BLOCKING, POSTED, PERSISTENT };

/* A collective call to be made. */
struct collective {
    enum mpg_call call; /* the blocking form of the call */
    enum form form;
    struct play_comm *c;
    const struct mpg_event *e;
    const int64_t *contributions; /* sizes that the peers pass; NULL: not needed by the call */
    int root;
    MPI_Request *request;
    struct play_counts **counts; /* storage of the call's lists: with the request, or for blocking calls with the thread */
};

/* ENACT() makes the blocking, nonblocking or persistent form of a call; returns MPI's error code. INIT(): the persistent
 * form; an error code if this MPI has none. */
#if MPI_VERSION >= 4
#define INIT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, k->request)
#define HAS_INIT 1
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, k->request)
#define HAS_INIT 1
#else
#define INIT(name, ...) MPI_ERR_UNSUPPORTED_OPERATION
#define HAS_INIT 0
#endif
#define ENACT(name, iname, ...)                                          \
    (k->form == BLOCKING ? MPI_##name(__VA_ARGS__)                       \
     : k->form == POSTED ? MPI_##iname(__VA_ARGS__, k->request)          \
                         : INIT(name, __VA_ARGS__))

static enum form form_of(enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_INEIGHBOR:
        return POSTED;
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return PERSISTENT;
    default:
        return BLOCKING;
    }
}

/* --- counts --- */

/* Sets the counts and displacements of N members for SIDE (0: send, 1: receive): BYTES each, without gaps. *SUM: total
 * bytes. BYTES may be NULL if N is 0. */
static int set_counts(struct player *p, const struct collective *k, int side, const int64_t *bytes, size_t n,
                      int64_t *sum)
{
    if (play_count_room(p, k->counts, n) < 0)
        return -1;
    struct play_counts *x = *k->counts;
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (play_count(p, bytes[i], &x->counts[side][i]) < 0 || play_count(p, *sum, &x->displacements[side][i]) < 0)
            return -1;
        x->far[side][i] = (MPI_Aint)*sum;
        *sum += bytes[i];
    }
    return 0;
}

static bool is_root(const struct collective *k)
{
    return k->c->remote ? k->root == MPI_ROOT : k->root == k->c->rank;
}

/* --- the calls --- */

static int simple(struct player *p, const struct collective *k)
{
    const int64_t bytes = k->e->bytes;
    const MPI_Comm comm = k->c->comm;
    int n;
    const void *from = play_send_buffer(p, bytes);
    void *into = play_receive_buffer(p, bytes);
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (k->call == MPG_CALL_Barrier)
        return play_check(p, PLAY_CALL(p, k->form == BLOCKING ? MPI_Barrier(comm)
                             : k->form == POSTED ? MPI_Ibarrier(comm, k->request)
                                                 : INIT(Barrier, comm)));
    if (k->call == MPG_CALL_Bcast) {
        MPI_Datatype type;
        if (play_type(p, bytes, &n, &type) < 0)
            return -1;
        const int rc = PLAY_CALL(p, ENACT(Bcast, Ibcast, into, n, type, k->root, comm));
        play_type_end(&type);
        return play_check(p, rc);
    }
    if (play_count(p, bytes, &n) < 0)
        return -1;
    switch (k->call) {
    case MPG_CALL_Reduce:
        return play_check(p, PLAY_CALL(p, ENACT(Reduce, Ireduce, from, into, n, MPI_BYTE, MPI_BOR, k->root, comm)));
    case MPG_CALL_Allreduce:
        return play_check(p, PLAY_CALL(p, ENACT(Allreduce, Iallreduce, from, into, n, MPI_BYTE, MPI_BOR, comm)));
    case MPG_CALL_Scan:
        return play_check(p, PLAY_CALL(p, ENACT(Scan, Iscan, from, into, n, MPI_BYTE, MPI_BOR, comm)));
    default:
        return play_check(p, PLAY_CALL(p, ENACT(Exscan, Iexscan, from, into, n, MPI_BYTE, MPI_BOR, comm)));
    }
}

/* Makes a collective in which all members have blocks of equal size. */
static int blocks(struct player *p, const struct collective *k)
{
    const int64_t peers = k->c->peers;
    int64_t other = k->e->bytes;
    int n, m;
    if (k->contributions) /* an intercommunicator: the blocks of the remote group may have another size */
        for (int64_t i = 0; i < peers; i++)
            if (k->contributions[i] > 0)
                other = k->contributions[i];
    if (k->contributions && k->c->remote && k->call == MPG_CALL_Gather && k->root != MPI_ROOT)
        other = k->e->bytes;
    if (play_count(p, k->e->bytes, &n) < 0 || play_count(p, other, &m) < 0)
        return -1;
    const bool to_each = k->call == MPG_CALL_Scatter || k->call == MPG_CALL_Alltoall;
    const void *from = play_send_buffer(p, to_each ? k->e->bytes * peers : k->e->bytes);
    void *into = play_receive_buffer(p, k->call == MPG_CALL_Scatter ? other : other * peers);
    const MPI_Comm comm = k->c->comm;
    if (!from || !into)
        return play_fail(p, "out of memory");
    switch (k->call) {
    case MPG_CALL_Gather:
        return play_check(p, PLAY_CALL(p, ENACT(Gather, Igather, from, n, MPI_BYTE, into, m, MPI_BYTE, k->root, comm)));
    case MPG_CALL_Scatter:
        return play_check(p, PLAY_CALL(p, ENACT(Scatter, Iscatter, from, n, MPI_BYTE, into, m, MPI_BYTE, k->root, comm)));
    case MPG_CALL_Allgather:
        return play_check(p, PLAY_CALL(p, ENACT(Allgather, Iallgather, from, n, MPI_BYTE, into, m, MPI_BYTE, comm)));
    default:
        return play_check(p, PLAY_CALL(p, ENACT(Alltoall, Ialltoall, from, n, MPI_BYTE, into, m, MPI_BYTE, comm)));
    }
}

/* Makes MPI_Gatherv or MPI_Allgatherv. */
static int gatherv(struct player *p, const struct collective *k)
{
    int64_t sum = 0;
    int n;
    if (play_count(p, k->e->bytes, &n) < 0 ||
        set_counts(p, k, 1, k->contributions, (size_t)k->c->peers, &sum) < 0)
        return -1;
    const void *from = play_send_buffer(p, k->e->bytes);
    void *into = play_receive_buffer(p, sum);
    const struct play_counts *x = *k->counts;
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (k->call == MPG_CALL_Allgatherv)
        return play_check(p, PLAY_CALL(p, ENACT(Allgatherv, Iallgatherv, from, n, MPI_BYTE, into, x->counts[1],
                                                x->displacements[1], MPI_BYTE, k->c->comm)));
    return play_check(p, PLAY_CALL(p, ENACT(Gatherv, Igatherv, from, n, MPI_BYTE, into, x->counts[1], x->displacements[1],
                                            MPI_BYTE, k->root, k->c->comm)));
}

static int scatterv(struct player *p, const struct collective *k)
{
    int64_t sum = 0, own = k->e->bytes;
    int n;
    if (is_root(k) && k->e->count_number != (uint32_t)k->c->peers)
        return play_fail(p, "%u sizes for %d members", k->e->count_number, k->c->peers);
    if (is_root(k)) {
        if (set_counts(p, k, 0, k->e->counts, k->e->count_number, &sum) < 0)
            return -1;
        own = k->c->remote ? 0 : k->e->counts[k->c->rank];
    } else if (play_count_room(p, k->counts, (size_t)k->c->peers) < 0)
        return -1;
    const void *from = play_send_buffer(p, sum);
    void *into = play_receive_buffer(p, own);
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (play_count(p, own, &n) < 0)
        return -1;
    const struct play_counts *x = *k->counts;
    return play_check(p, PLAY_CALL(p, ENACT(Scatterv, Iscatterv, from, x->counts[0], x->displacements[0], MPI_BYTE, into, n,
                               MPI_BYTE, k->root, k->c->comm)));
}

static int alltoallv(struct player *p, const struct collective *k)
{
    int64_t sent, received;
    if (k->e->count_number != (uint32_t)k->c->peers)
        return play_fail(p, "%u sizes for %d members", k->e->count_number, k->c->peers);
    if (set_counts(p, k, 0, k->e->counts, k->e->count_number, &sent) < 0 ||
        set_counts(p, k, 1, k->contributions, (size_t)k->c->peers, &received) < 0)
        return -1;
    const void *from = play_send_buffer(p, sent);
    void *into = play_receive_buffer(p, received);
    const struct play_counts *x = *k->counts;
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (k->call == MPG_CALL_Alltoallv)
        return play_check(p, PLAY_CALL(p, ENACT(Alltoallv, Ialltoallv, from, x->counts[0], x->displacements[0], MPI_BYTE, into,
                                   x->counts[1], x->displacements[1], MPI_BYTE, k->c->comm)));
    return play_check(p, PLAY_CALL(p, ENACT(Alltoallw, Ialltoallw, from, x->counts[0], x->displacements[0], x->types, into,
                               x->counts[1], x->displacements[1], x->types, k->c->comm)));
}

/* Makes MPI_Reduce_scatter or MPI_Reduce_scatter_block. The trace has only the total size, which is divided evenly. */
static int reduce_scatter(struct player *p, const struct collective *k)
{
    const int64_t bytes = k->e->bytes;
    const int size = k->c->traced->remote_size && k->c->rank >= 0
                         ? k->c->traced->size + k->c->traced->remote_size - k->c->peers
                         : k->c->peers;
    const void *from = play_send_buffer(p, bytes);
    void *into = play_receive_buffer(p, bytes);
    int each;
    if (!from || !into || play_count_room(p, k->counts, (size_t)size) < 0)
        return play_fail(p, "out of memory");
    if (play_count(p, bytes / size, &each) < 0)
        return -1;
    if (k->call == MPG_CALL_Reduce_scatter_block)
        return play_check(p, PLAY_CALL(p, ENACT(Reduce_scatter_block, Ireduce_scatter_block, from, into, each, MPI_BYTE,
                                   MPI_BOR, k->c->comm)));
    struct play_counts *x = *k->counts;
    for (int i = 0; i < size; i++)
        x->counts[1][i] = each + (i < bytes % size);
    return play_check(p, PLAY_CALL(p, ENACT(Reduce_scatter, Ireduce_scatter, from, into, x->counts[1], MPI_BYTE, MPI_BOR,
                               k->c->comm)));
}

static int neighbors(struct player *p, const struct collective *k)
{
    const struct mpg_neighbors *near = &k->c->neighbors;
    const bool edges = k->call == MPG_CALL_Neighbor_alltoallv || k->call == MPG_CALL_Neighbor_alltoallw;
    const MPI_Comm comm = k->c->comm;
    int64_t sent = 0, received = 0;
    int n = 0, m;
    if (edges && k->e->count_number != near->destination_number)
        return play_fail(p, "%u sizes for %u neighbours", k->e->count_number, near->destination_number);
    const uint32_t max = near->source_number > near->destination_number ? near->source_number
                                                                         : near->destination_number;
    if (play_count_room(p, k->counts, max) < 0 ||  /* room for both sides at once: making room again would discard the counts of
                                                      the first side */
        set_counts(p, k, 1, k->contributions, near->source_number, &received) < 0 ||
        (edges && set_counts(p, k, 0, k->e->counts, k->e->count_number, &sent) < 0) ||
        play_count(p, k->e->bytes, &n) < 0)
        return -1;
    const struct play_counts *x = *k->counts;
    m = n; /* a rank without a source passes the size of its sends, since MPI wants some size */
    for (uint32_t i = 0; i < near->source_number; i++)
        if (near->sources[i] != MPG_PROC_NULL)
            m = x->counts[1][i];
    if (!edges)
        sent = k->e->bytes * (near->destination_number + 1);
    const void *from = play_send_buffer(p, sent);
    void *into = play_receive_buffer(p, received > (int64_t)m * near->source_number
                                            ? received
                                            : (int64_t)m * near->source_number);
    if (!from || !into)
        return play_fail(p, "out of memory");
    switch (k->call) {
    case MPG_CALL_Neighbor_allgather:
        return play_check(p, PLAY_CALL(p, ENACT(Neighbor_allgather, Ineighbor_allgather, from, n, MPI_BYTE, into, m, MPI_BYTE,
                                   comm)));
    case MPG_CALL_Neighbor_allgatherv:
        return play_check(p, PLAY_CALL(p, ENACT(Neighbor_allgatherv, Ineighbor_allgatherv, from, n, MPI_BYTE, into,
                                   x->counts[1], x->displacements[1], MPI_BYTE, comm)));
    case MPG_CALL_Neighbor_alltoall:
        return play_check(p, PLAY_CALL(p, ENACT(Neighbor_alltoall, Ineighbor_alltoall, from, n, MPI_BYTE, into, m, MPI_BYTE,
                                   comm)));
    case MPG_CALL_Neighbor_alltoallv:
        return play_check(p, PLAY_CALL(p, ENACT(Neighbor_alltoallv, Ineighbor_alltoallv, from, x->counts[0], x->displacements[0],
                                   MPI_BYTE, into, x->counts[1], x->displacements[1], MPI_BYTE, comm)));
    default:
        return play_check(p, PLAY_CALL(p, ENACT(Neighbor_alltoallw, Ineighbor_alltoallw, from, x->counts[0], x->far[0],
                                                x->types, into, x->counts[1], x->far[1], x->types, comm)));
    }
}

static int enact(struct player *p, const struct collective *k)
{
    switch (k->call) {
    case MPG_CALL_Gather:
    case MPG_CALL_Scatter:
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        return blocks(p, k);
    case MPG_CALL_Gatherv:
    case MPG_CALL_Allgatherv:
        return gatherv(p, k);
    case MPG_CALL_Scatterv:
        return scatterv(p, k);
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        return alltoallv(p, k);
    case MPG_CALL_Reduce_scatter:
    case MPG_CALL_Reduce_scatter_block:
        return reduce_scatter(p, k);
    case MPG_CALL_Neighbor_allgather:
    case MPG_CALL_Neighbor_allgatherv:
    case MPG_CALL_Neighbor_alltoall:
    case MPG_CALL_Neighbor_alltoallv:
    case MPG_CALL_Neighbor_alltoallw:
        return neighbors(p, k);
    default:
        return simple(p, k);
    }
}

static int describe(struct player *p, const struct mpg_action *action, struct collective *k)
{
    *k = (struct collective){.e = &action->event, .c = play_comm(p, action->event.comm)};
    if (!k->c)
        return -1;
    k->call = action->blocking;
    k->form = form_of(action->kind);
    k->root = play_peer(action->event.root);
    return 0;
}

/* Stores with OWN the data for later starts: the call's arguments, and the peers' sizes. */
static int keep(struct player *p, struct play_persistent *own, const struct collective *k)
{
    const struct mpg_event *e = &p->action->event;
    own->action = *p->action;
    own->contributions = k->contributions;
    if (e->count_number == 0)
        return 0;
    int64_t *counts = malloc(e->count_number * sizeof *counts);
    if (!counts)
        return play_fail(p, "out of memory");
    memcpy(counts, e->counts, e->count_number * sizeof *counts);
    own->action.event.counts = own->given = counts;
    return 0;
}

int play_collective(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct collective k;
    if (describe(p, p->action, &k) < 0)
        return -1;
    struct play_request *r = NULL;
    struct play_persistent *own = NULL;
    if (k.form == POSTED && !(r = play_new_request(p, e->requests[0], false)))
        return -1;
    if (k.form == PERSISTENT && !(own = play_new_persistent(p, e->persistent[0])))
        return -1;
    if (k.c->elapse_only) {
        if (r)
            r->elapse_only = true;
        if (own)
            own->elapse_only = true;
        play_elapse(p);
        return 0;
    }
    const enum mpg_contribution_kind contributions = mpg_contribution_kind_of(k.call, k.c->remote);
    if (contributions != MPG_CONTRIBUTION_KINDS && !(k.contributions = play_next_contributions(p, k.c, contributions)))
        return -1;
    if (own && keep(p, own, &k) < 0)
        return -1;
    if (own && !HAS_INIT)
        return 0; /* this MPI has no persistent collectives: each start makes the nonblocking call */
    k.request = r ? &r->handle : own ? &own->handle : NULL;
    k.counts = r ? &r->counts : own ? &own->counts : &p->counts;
    return enact(p, &k);
}

int play_collective_start(struct player *p, struct play_persistent *own, struct play_request *request)
{
    struct collective k;
    if (describe(p, &own->action, &k) < 0)
        return -1;
    k.form = POSTED;
    k.contributions = own->contributions;
    k.request = &request->handle;
    k.counts = &request->counts;
    return enact(p, &k);
}
