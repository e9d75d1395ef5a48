/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes collectives of every form: blocking, nonblocking, persistent, and neighbourhood collectives. */
#include <stdlib.h>
#include <string.h>

#include "export/program/private.h"
#include "graph/algorithms/operation.h"

/* A persistent collective, as described by the initialising call. */
struct kept {
    struct mpg_event event; /* the lists are copies that mpg_message_program.owned frees */
    uint32_t turn;
    int64_t branch;
};

/* Posted messages of a neighbourhood collective: N requests, FIRST, FIRST - 1, ... */
struct posted_group {
    int64_t first, n;
};

/* mpg_program_act() writes the pending computation before any action. This action writes nothing else, since the request is
 * unknown. */
static const struct mpg_program_action flush_action = {.kind = MPG_ACTION_WAIT, .request = INT64_MIN};

void mpg_program_collectives_init(struct mpg_message_program *p)
{
    p->kept.record_bytes = sizeof(struct kept);
    p->groups.record_bytes = sizeof(struct posted_group);
}

void mpg_program_collectives_begin_rank(struct mpg_message_program *p)
{
    for (size_t i = 0; i < p->owned_number; i++)
        free(p->owned[i]);
    free(p->owned);
    p->owned = NULL;
    p->owned_number = 0;
    p->group_requests = GROUP_REQUESTS;
    mpg_open_requests_clear(&p->kept);
    mpg_open_requests_clear(&p->groups);
    mpg_map_clear(&p->turns);
    mpg_map_clear(&p->branches);
}

/* --- collectives that can be written --- */

/* Returns the reason why collective E, of any form, cannot be written; NULL: can be written. */
static const char *why_not(const struct mpg_message_program *p, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const struct mpg_comm *c = e->comm == MPG_NO_COMM ? NULL : mpg_trace_comm(p->trace, e->comm);
    if (!c || c->remote_size > 0)
        return "collectives of inter-communicators are not written";
    for (int32_t i = 0; i < c->size; i++)
        if (c->world_ranks[i] < 0)
            return "collectives with processes of another MPI_COMM_WORLD are not written";
    const bool waits_later = kind == MPG_KIND_ICOLLECTIVE || kind == MPG_KIND_ICONSTRUCTOR || kind == MPG_KIND_COLLECTIVE_INIT;
    if (waits_later && !p->writer->branch)
        return "nonblocking and persistent collectives are not written";
    if (kind == MPG_KIND_CONSTRUCTOR || kind == MPG_KIND_ICONSTRUCTOR || mpg_kind_has_neighbors(kind))
        return NULL;
    const enum mpg_collective operation = mpg_collective_of(mpg_call_blocking(e->call));
    if (operation == MPG_COLLECTIVES)
        return "collectives without a known algorithm are not written";
    return NULL;
}

/* Sets *TURN to the number of earlier calls of E's kind, blocking or not, on E's communicator, which identifies E in the lists of
 * sizes. Reads the lists at the first use. */
static int take_turn(struct mpg_message_program *p, const struct mpg_event *e, uint32_t *turn, struct mpg_error *err)
{
    *turn = 0;
    if (!mpg_program_has_lists(e))
        return 0;
    if (!p->lists.is_read && mpg_program_lists_read(&p->lists, p->trace, err) < 0)
        return -1;
    uint64_t *slot = mpg_map_add(&p->turns, (uint64_t)e->comm, mpg_call_blocking(e->call));
    if (!slot)
        return mpg_error_set(err, "out of memory");
    *turn = (uint32_t)(*slot)++;
    return 0;
}

/* Sets *BLOCKS to the bytes of each member; NULL: all members have equal bytes. Returns NULL, or the reason why E
 * cannot be written. */
static const char *find_blocks(const struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn,
                               const int64_t **blocks)
{
    *blocks = NULL;
    if (!mpg_program_has_lists(e))
        return NULL;
    *blocks = mpg_program_lists_find(&p->lists, e, turn);
    return *blocks ? NULL : "a collective that not all members call is not written";
}

/* Returns whether COMM has all ranks of MPI_COMM_WORLD in the same order. */
static bool is_all(const struct mpg_message_program *p, int32_t comm)
{
    const struct mpg_comm *c = mpg_trace_comm(p->trace, comm);
    int32_t i = 0;
    if (c->remote_size > 0 || c->size != mpg_trace_ranks(p->trace))
        return false;
    while (i < c->size && c->world_ranks[i] == i)
        i++;
    return i == c->size;
}

/* --- collectives of all members --- */

static int write_blocking(struct mpg_message_program *p, const struct mpg_event *e, const int64_t *blocks, struct mpg_error *err)
{
    if (p->writer->collective && is_all(p, e->comm)) {
        if (mpg_program_act(p, &flush_action, err) < 0)
            return -1;
        const int written = p->writer->collective(p->writer->context, e, blocks, err);
        if (written != 0)
            return written < 0 ? -1 : 0;
    }
    return mpg_program_expand(p, e, blocks, -1, err);
}

/* Writes nonblocking collective E as a branch, which runs beside the following actions until an action waits for REQUEST. */
static int write_branch(struct mpg_message_program *p, const struct mpg_event *e, const int64_t *blocks, int64_t branch,
                        int64_t request, struct mpg_error *err)
{
    const struct mpg_program_writer *w = p->writer;
    const struct mpg_program_action posted = {.kind = MPG_ACTION_WAIT, .request = request};
    if (mpg_program_act(p, &flush_action, err) < 0 || w->branch(w->context, true, request, err) < 0 ||
        mpg_program_expand(p, e, blocks, branch, err) < 0 || w->branch(w->context, false, request, err) < 0)
        return -1;
    return mpg_open_requests_add(&p->posted, request, &posted) ? 0 : mpg_error_set(err, "out of memory");
}

/* --- neighbourhood collectives --- */

/* Returns the bytes that member FROM sends in E along edge number NTH (from 0) to member PLACE; -1: no such edge. */
static int64_t bytes_from(const struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn, int32_t from,
                          uint32_t nth, int32_t place)
{
    size_t n = 0;
    const struct program_edge *edges = mpg_program_lists_edges(&p->lists, e, turn, from, &n);
    for (size_t i = 0; edges && i < n; i++)
        if (edges[i].to == place && nth-- == 0)
            return edges[i].bytes;
    return -1;
}

/* Posts a send to, or a receive from, PEER, a rank of C. */
static int post_neighbor(struct mpg_message_program *p, const struct mpg_comm *c, uint32_t tag, bool sends, int32_t peer,
                         int64_t bytes, struct mpg_error *err)
{
    const struct mpg_program_action a = {.kind = sends ? MPG_ACTION_POST_SEND : MPG_ACTION_POST_RECEIVE, .sends = sends,
                                         .peer = c->world_ranks[peer], .tag = tag, .bytes = bytes,
                                         .request = p->group_requests--};
    return mpg_program_act(p, &a, err);
}

/* Posts the receive from source number I of E. SEEN: for each member the number of edges met so far, since a member can be a
 * source several times. */
static int post_receive(struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn, uint32_t tag, uint32_t i,
                        struct mpg_map *seen, struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(p->trace, e->comm);
    const int32_t from = e->sources[i];
    if (from == MPG_PROC_NULL)
        return 0;
    uint64_t *nth = mpg_map_add(seen, (uint64_t)from, 0);
    if (!nth)
        return mpg_error_set(err, "out of memory");
    const int64_t bytes = !mpg_program_has_lists(e)
                              ? e->bytes : bytes_from(p, e, turn, from, (uint32_t)*nth, mpg_program_place(c, p->rank));
    ++*nth;
    if (bytes >= 0)
        return post_neighbor(p, c, tag, false, from, bytes, err);
    mpg_left_out_add(p->left, "receives from neighbours that send nothing: left out", 1);
    return 0;
}

static int post_neighbors(struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn, struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(p->trace, e->comm);
    struct mpg_map seen = {.count = 0};
    uint32_t tag;
    int status = mpg_program_tag(p, e->comm, TAG_OF_NEIGHBORS, &tag, err);
    for (uint32_t i = 0; i < e->source_number && status == 0; i++)
        status = post_receive(p, e, turn, tag, i, &seen, err);
    mpg_map_clear(&seen);
    if (status < 0)
        return -1;
    for (uint32_t i = 0; i < e->destination_number; i++) {
        const int64_t bytes = !e->count_number ? e->bytes : i < e->count_number ? e->counts[i] : 0;
        if (e->destinations[i] != MPG_PROC_NULL && post_neighbor(p, c, tag, true, e->destinations[i], bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int wait_for_group(struct mpg_message_program *p, const struct posted_group *group, struct mpg_error *err)
{
    for (int64_t i = 0; i < group->n; i++) {
        const struct mpg_program_action wait = {.kind = MPG_ACTION_WAIT, .request = group->first - i};
        if (mpg_program_act(p, &wait, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes neighbourhood collective E: a later call that completes REQUEST waits for the messages; REQUEST 0: E waits. */
static int write_neighbors(struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn, int64_t request,
                           struct mpg_error *err)
{
    const int64_t first = p->group_requests;
    if (post_neighbors(p, e, turn, err) < 0)
        return -1;
    const struct posted_group group = {first, first - p->group_requests};
    if (request == 0)
        return wait_for_group(p, &group, err);
    return mpg_open_requests_add(&p->groups, request, &group) ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_program_complete_group(struct mpg_message_program *p, int64_t request, struct mpg_error *err)
{
    const struct posted_group *known = mpg_open_requests_find(&p->groups, request);
    if (!known)
        return 0;
    const struct posted_group group = *known;
    mpg_open_requests_remove(&p->groups, request);
    return wait_for_group(p, &group, err);
}

/* --- any form --- */

/* Returns a number for the next nonblocking or persistent collective of COMM, equal on all members; -1 with ERR. */
static int64_t next_branch(struct mpg_message_program *p, int32_t comm, bool persistent, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&p->branches, (uint64_t)comm, persistent);
    return slot ? 2 * (int64_t)(*slot)++ + persistent : mpg_error_set(err, "out of memory");
}

/* Writes collective E. TURN, BRANCH: results of take_turn() and next_branch(). A later call completes REQUEST; REQUEST 0: E is
 * blocking. */
static int write_any(struct mpg_message_program *p, const struct mpg_event *e, uint32_t turn, int64_t branch, int64_t request,
                     struct mpg_error *err)
{
    const int64_t *blocks;
    if (mpg_kind_has_neighbors(mpg_call_kind(e->call)))
        return write_neighbors(p, e, turn, request, err);
    const char *why = find_blocks(p, e, turn, &blocks);
    if (why)
        return mpg_program_refuse(p, e, why, err);
    if (mpg_collective_of(mpg_call_blocking(e->call)) == MPG_COLLECTIVE_ALLTOALLV)
        mpg_left_out_add(p->left, "calls of Alltoallv and Alltoallw: the data of a rank are spread evenly over the others", 1);
    return request == 0 ? write_blocking(p, e, blocks, err) : write_branch(p, e, blocks, branch, request, err);
}

int mpg_program_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    const char *why = why_not(p, e);
    uint32_t turn;
    if (take_turn(p, e, &turn, err) < 0)
        return -1;
    if (why)
        return mpg_program_refuse(p, e, why, err);
    const int64_t request = e->request_number > 0 ? e->requests[0] : 0;
    const int64_t branch = request ? next_branch(p, e->comm, false, err) : 0;
    return branch < 0 ? -1 : write_any(p, e, turn, branch, request, err);
}

/* Replaces *LIST of N elements of SIZE bytes by a copy, which p->owned frees. */
static int own(struct mpg_message_program *p, const void **list, size_t n, size_t size, struct mpg_error *err)
{
    if (n == 0 || !*list)
        return 0;
    void **grown = realloc(p->owned, (p->owned_number + 1) * sizeof *grown);
    void *copy = grown ? malloc(n * size) : NULL;
    p->owned = grown ? grown : p->owned;
    if (!copy)
        return mpg_error_set(err, "out of memory");
    p->owned[p->owned_number++] = copy;
    *list = memcpy(copy, *list, n * size);
    return 0;
}

int mpg_program_keep_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    struct kept kept = {.event = *e};
    const void *counts = e->counts, *sources = e->sources, *destinations = e->destinations;
    const char *why = why_not(p, e);
    if (take_turn(p, e, &kept.turn, err) < 0)
        return -1;
    if (why)
        return mpg_program_refuse(p, e, why, err);
    if ((kept.branch = next_branch(p, e->comm, true, err)) < 0)
        return -1;
    if (own(p, &counts, e->count_number, sizeof *e->counts, err) < 0 ||
        own(p, &sources, e->source_number, sizeof *e->sources, err) < 0 ||
        own(p, &destinations, e->destination_number, sizeof *e->destinations, err) < 0)
        return -1;
    kept.event.counts = counts;
    kept.event.sources = sources;
    kept.event.destinations = destinations;
    if (e->persistent && !mpg_open_requests_add(&p->kept, e->persistent[0], &kept))
        return mpg_error_set(err, "out of memory");
    return 0;
}

int mpg_program_start_collective(struct mpg_message_program *p, int64_t persistent, int64_t request, struct mpg_error *err)
{
    const struct kept *known = mpg_open_requests_find(&p->kept, persistent);
    if (!known)
        return 0;
    const struct kept kept = *known;
    return write_any(p, &kept.event, kept.turn, kept.branch, request, err);
}
