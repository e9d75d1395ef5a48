/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes communicators with the traced members. The trace has no colours, keys and groups: the members determine them. */
#include "replay/enact/player.h"

#include <stdlib.h>

#include "common/reserve.h"

enum { LEADERS_TAG = 7 };

/* The members of a communicator as ranks of MPI_COMM_WORLD: this rank's group, and of an intercommunicator the remote
 * group. */
struct sides {
    const int32_t *own, *other;
    int32_t size, remote_size;
    int32_t rank; /* this rank's place in OWN; -1: not a member */
};

static int32_t place_of(const int32_t *ranks, int32_t n, int32_t rank)
{
    for (int32_t i = 0; i < n; i++)
        if (ranks[i] == rank)
            return i;
    return -1;
}

static struct sides sides_of(const struct player *p, const struct mpg_comm *traced)
{
    struct sides s = {traced->world_ranks, traced->world_ranks + traced->size, traced->size, traced->remote_size, 0};
    s.rank = place_of(s.own, s.size, p->host->rank);
    if (s.rank < 0 && s.remote_size > 0) {
        s = (struct sides){s.other, s.own, s.remote_size, s.size, 0};
        s.rank = place_of(s.own, s.size, p->host->rank);
    }
    return s;
}

static bool has_foreign(const struct mpg_comm *traced)
{
    return place_of(traced->world_ranks, traced->size + traced->remote_size, MPG_FOREIGN) >= 0;
}

static bool is_world(const struct player *p, const struct mpg_comm *traced)
{
    if (traced->remote_size || traced->size != p->host->ranks)
        return false;
    for (int32_t i = 0; i < traced->size; i++)
        if (traced->world_ranks[i] != i)
            return false;
    return true;
}

/* --- table --- */

static struct play_comm *take_place(struct player *p, int32_t number)
{
    struct mpg_error unused;
    if (number < 0 ||
        mpg_reserve_at(&p->shared->comm, sizeof *p->shared->comm, &p->shared->comms, (uint32_t)number + 1, &unused) < 0)
        return NULL;
    if (!p->shared->comm[number])
        p->shared->comm[number] = calloc(1, sizeof **p->shared->comm);
    struct play_comm *c = p->shared->comm[number];
    if (!c || c->traced)
        return c;
    c->traced = p->host->comm(p->host->context, number);
    c->comm = c->silent = MPI_COMM_NULL;
    const struct sides s = sides_of(p, c->traced);
    c->rank = s.rank;
    c->remote = s.remote_size > 0;
    c->peers = c->remote ? s.remote_size : s.size;
    c->elapse_only = has_foreign(c->traced);
    c->has_neighbors = p->host->neighbors(p->host->context, number, &c->neighbors);
    return c;
}

static int32_t number_of(const struct player *p, const struct play_comm *c)
{
    for (size_t i = 0; i < p->shared->comms; i++)
        if (p->shared->comm[i] == c)
            return (int32_t)i;
    return -1;
}

/* Checks that the new communicator C has the traced rank and size. */
static int check_made(struct player *p, struct play_comm *c)
{
    int rank = -1, size = 0, remote = 0;
    PMPI_Comm_rank(c->comm, &rank);
    PMPI_Comm_test_inter(c->comm, &remote);
    if (remote)
        PMPI_Comm_remote_size(c->comm, &size);
    else
        PMPI_Comm_size(c->comm, &size);
    if (rank != c->rank || size != c->peers || (remote != 0) != c->remote)
        return play_fail(p, "communicator %d differs from the trace: rank %d of %d instead of %d of %d",
                         c->traced->label, rank, size, c->rank, c->peers);
    return 0;
}

/* Lets calls use communicator NUMBER, which has been made, after the members have exchanged the sizes for collectives. */
static int make_available(struct player *p, int32_t number, struct play_comm *c)
{
    if (check_made(p, c) < 0 || play_exchange_contributions(p, number, c) < 0)
        return -1;
    c->made = true;
    c->making = false;
    threads_notify(p);
    return 0;
}

struct play_comm *play_comm(struct player *p, int32_t number)
{
    struct play_comm *c = take_place(p, number);
    if (!c) {
        play_fail(p, number < 0 ? "no communicator" : "out of memory");
        return NULL;
    }
    while (!c->made && !c->elapse_only && threads_wait(p, c->making ? THREADS_UNCONDITIONAL : THREADS_ALL)) {
    }
    if (c->made || c->elapse_only)
        return c;
    c->making = true;
    if (is_world(p, c->traced))
        c->comm = MPI_COMM_WORLD;
    else if (c->traced->size == 1 && !c->traced->remote_size && c->rank == 0)
        c->comm = MPI_COMM_SELF;
    else {
        play_fail(p, "no replayed call created communicator %d", c->traced->label);
        return NULL;
    }
    return make_available(p, number, c) < 0 ? NULL : c;
}

int play_set_up_world(struct player *p)
{
    static const struct mpg_comm unused = {.size = 0};
    static struct play_comm world;
    const struct mpg_comm *traced;
    for (int32_t i = 0; (traced = p->host->comm(p->host->context, i)) != NULL; i++)
        if (is_world(p, traced) && traced->parent == MPG_NO_COMM && traced->instance == 0)
            return play_comm(p, i) ? 0 : -1;
    world = (struct play_comm){.traced = &unused, .comm = MPI_COMM_WORLD, .silent = MPI_COMM_NULL, .peers = p->host->ranks};
    return play_exchange_contributions(p, INT32_MAX, &world); /* the trace lacks MPI_COMM_WORLD, so this rank makes no
                                                                 calls there, but must take part in the exchange */
}

/* --- constructors --- */

/* Sets *GROUP to this rank's group of communicator MADE, as a subgroup of OLD; empty if MADE is NULL. */
static int group_of(struct player *p, const struct play_comm *old, const struct play_comm *made,
                    MPI_Group *group)
{
    MPI_Group all;
    if (!made) {
        *group = MPI_GROUP_EMPTY;
        return 0;
    }
    const struct sides from = sides_of(p, old->traced), to = sides_of(p, made->traced);
    int *ranks = malloc((size_t)to.size * sizeof *ranks);
    if (!ranks)
        return play_fail(p, "out of memory");
    for (int32_t i = 0; i < to.size; i++)
        ranks[i] = place_of(from.own, from.size, to.own[i]);
    PMPI_Comm_group(old->comm, &all);
    const int rc = PLAY_CALL(p, PMPI_Group_incl(all, to.size, ranks, group));
    PMPI_Group_free(&all);
    free(ranks);
    return play_check(p, rc);
}

static int by_group(struct player *p, const struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    MPI_Group group;
    if (group_of(p, old, made, &group) < 0)
        return -1;
    const int rc = PLAY_CALL(p, p->action->plain == MPG_CALL_Comm_create ? MPI_Comm_create(old->comm, group, into)
                                                          : MPI_Comm_create_group(old->comm, group, 0, into));
    if (group != MPI_GROUP_EMPTY)
        PMPI_Group_free(&group);
    return play_check(p, rc);
}

static int split(struct player *p, const struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    int colour = MPI_UNDEFINED, key = 0;
    if (made) {
        const struct mpg_comm *traced = made->traced;
        colour = traced->world_ranks[0];
        for (int32_t i = 1; i < traced->size + traced->remote_size; i++)
            if (traced->world_ranks[i] < colour)
                colour = traced->world_ranks[i];
        key = made->rank;
    }
    return play_check(p, PLAY_CALL(p, MPI_Comm_split(old->comm, colour, key, into)));
}

/* Makes MADE from OLD by MPI_Comm_split_type if this gives the traced members on this machine, else by colours. */
static int split_type(struct player *p, const struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    MPI_Comm tried = MPI_COMM_NULL;
    int alike = 1, size = 0, rank = 0;
    const int type = made ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, key = made ? made->rank : 0;
    int rc = PLAY_CALL(p, PMPI_Comm_split_type(old->comm, type, key, MPI_INFO_NULL, &tried));
    if (play_check(p, rc) < 0)
        return -1;
    if (made) {
        PMPI_Comm_size(tried, &size);
        PMPI_Comm_rank(tried, &rank);
        alike = size == made->traced->size && rank == made->rank;
        (void)PLAY_CALL(p, PMPI_Comm_free(&tried));
    }
    rc = PLAY_CALL(p, PMPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_MIN, old->comm));
    if (play_check(p, rc) < 0)
        return -1;
    if (!alike)
        return split(p, old, made, into);
    return play_check(p, PLAY_CALL(p, MPI_Comm_split_type(old->comm, type, key, MPI_INFO_NULL, into)));
}

static int connect(struct player *p, MPI_Comm local, struct play_comm *made, MPI_Comm *into)
{
    const struct sides s = sides_of(p, made->traced);
    return play_check(p, PLAY_CALL(p, MPI_Intercomm_create(local, 0, p->hidden, s.other[0], LEADERS_TAG, into)));
}

static int merge(struct player *p, const struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    const struct sides s = sides_of(p, old->traced);
    const bool high = place_of(s.own, s.size, made->traced->world_ranks[0]) < 0;
    return play_check(p, PLAY_CALL(p, MPI_Intercomm_merge(old->comm, high, into)));
}

/* Makes a communicator by MPI_Comm_create_from_group or MPI_Intercomm_create_from_groups, which have no parent
 * communicator: the replay makes calls on a duplicate of MPI_COMM_WORLD instead. */
static int from_group(struct player *p, struct play_comm *made, MPI_Comm *into)
{
    const struct sides s = sides_of(p, made->traced);
    MPI_Group all, group;
    MPI_Comm own;
    PMPI_Comm_group(p->hidden, &all);
    PMPI_Group_incl(all, s.size, s.own, &group);
    int rc = PLAY_CALL(p, p->action->plain == MPG_CALL_Comm_create_from_group
                 ? MPI_Comm_create_group(p->hidden, group, LEADERS_TAG, into)
                 : PMPI_Comm_create_group(p->hidden, group, LEADERS_TAG, &own));
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    if (play_check(p, rc) < 0 || p->action->plain == MPG_CALL_Comm_create_from_group)
        return play_check(p, rc);
    rc = connect(p, own, made, into);
    (void)PLAY_CALL(p, PMPI_Comm_free(&own));
    return rc;
}

static int make(struct player *p, struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    bool is_grid;
    switch (p->action->plain) {
    case MPG_CALL_Comm_dup:
        return play_check(p, PLAY_CALL(p, MPI_Comm_dup(old->comm, into)));
    case MPG_CALL_Comm_dup_with_info:
        return play_check(p, PLAY_CALL(p, MPI_Comm_dup_with_info(old->comm, MPI_INFO_NULL, into)));
    case MPG_CALL_Comm_create:
    case MPG_CALL_Comm_create_group:
        return by_group(p, old, made, into);
    case MPG_CALL_Comm_split_type:
        return split_type(p, old, made, into);
    case MPG_CALL_Intercomm_create:
    case MPG_CALL_Comm_accept: /* a port is not needed, since the trace tells the members of both sides */
    case MPG_CALL_Comm_connect:
        return connect(p, old->comm, made, into);
    case MPG_CALL_Intercomm_merge:
        return merge(p, old, made, into);
    case MPG_CALL_Cart_create:
    case MPG_CALL_Graph_create:
    case MPG_CALL_Dist_graph_create:
    case MPG_CALL_Dist_graph_create_adjacent:
        return play_topology(p, old, made, into);
    case MPG_CALL_Cart_sub:
        if (play_cart_sub(p, old, made, &is_grid, into) < 0)
            return -1;
        return is_grid ? 0 : split(p, old, made, into);
    default: /* MPI_Comm_split */
        return split(p, old, made, into);
    }
}

/* Returns whether only the members of the new communicator make CALL. */
static bool lacks_members(enum mpg_call call)
{
    return mpg_call_is_by_group(call) || call == MPG_CALL_Comm_dup || call == MPG_CALL_Comm_dup_with_info;
}

/* Starts a nonblocking duplicate of OLD. If OLD is not replayed, neither is MADE. */
static int start_duplicate(struct player *p, struct play_comm *old, struct play_comm *made)
{
    struct play_request *r = play_new_request(p, p->action->event.requests[0], false);
    if (!r)
        return -1;
    r->elapse_only = old->elapse_only;
    if (old->elapse_only) {
        made->elapse_only = true;
        threads_notify(p);
        play_elapse(p);
        return 0;
    }
    r->comm = made;
#if MPI_VERSION >= 4
    if (p->action->plain == MPG_CALL_Comm_idup_with_info)
        return play_check(p, PLAY_CALL(p, MPI_Comm_idup_with_info(old->comm, MPI_INFO_NULL, &made->comm, &r->handle)));
#endif
    return play_check(p, PLAY_CALL(p, MPI_Comm_idup(old->comm, &made->comm, &r->handle)));
}

int play_comm_completed(struct player *p, struct play_comm *c)
{
    return make_available(p, number_of(p, c), c);
}

int play_constructor(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    const bool no_old = e->comm == MPG_NO_COMM;
    struct play_comm *old = no_old ? NULL : play_comm(p, e->comm);
    struct play_comm *made = e->newcomm == MPG_NO_COMM ? NULL : take_place(p, e->newcomm);
    MPI_Comm unused = MPI_COMM_NULL;
    if ((!old && !no_old) || (!made && e->newcomm != MPG_NO_COMM))
        return old ? play_fail(p, "out of memory") : -1;
    if ((old && old->elapse_only) || (made && made->elapse_only) || (!made && lacks_members(p->action->plain))) {
        if (made)
            made->elapse_only = true;
        threads_notify(p);
        play_elapse(p);
        return 0;
    }
    if (p->action->kind == MPG_KIND_ICONSTRUCTOR)
        return start_duplicate(p, old, made);
    MPI_Comm *into = made ? &made->comm : &unused;
    if ((old ? make(p, old, made, into) : from_group(p, made, into)) < 0)
        return -1;
    if (!made)
        return 0;
    return make_available(p, e->newcomm, made);
}

int play_comm_free(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_comm *c = e->comm == MPG_NO_COMM ? NULL : play_comm(p, e->comm);
    if (!c && e->comm != MPG_NO_COMM)
        return -1;
    if (!c || c->elapse_only || c->comm == MPI_COMM_WORLD || c->comm == MPI_COMM_SELF) {
        play_elapse(p);
        return 0;
    }
    c->made = false;
    if (c->silent != MPI_COMM_NULL)
        (void)PLAY_CALL(p, PMPI_Comm_free(&c->silent));
    return play_check(p, PLAY_CALL(p, p->action->plain == MPG_CALL_Comm_disconnect ? MPI_Comm_disconnect(&c->comm)
                                                                    : MPI_Comm_free(&c->comm)));
}
