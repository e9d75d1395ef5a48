/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows and one-sided transfers. The trace does not tell where in a window a transfer goes: all transfers go to the start. */
#include "replay/enact/player.h"

#include <stdlib.h>

#include "common/reserve.h"

static struct play_window *window(struct player *p, int32_t number)
{
    struct mpg_error unused;
    if (number < 0 ||
        mpg_reserve_at(&p->shared->window, sizeof *p->shared->window, &p->shared->windows, (uint32_t)number + 1, &unused) < 0)
        return NULL;
    if (!p->shared->window[number])
        p->shared->window[number] = calloc(1, sizeof **p->shared->window);
    return p->shared->window[number];
}

/* The members exchange the sizes of the windows, so that no transfer exceeds the target's window. */
static int exchange_sizes(struct player *p, struct play_comm *c, struct play_window *w)
{
    w->members = c->peers;
    w->sizes = calloc((size_t)w->members, sizeof *w->sizes);
    w->addresses = calloc((size_t)w->members, sizeof *w->addresses);
    if (!w->sizes || !w->addresses)
        return play_fail(p, "out of memory");
    MPI_Aint address = 0;
    int64_t own[2] = {w->bytes, 0};
    if (w->dynamic) {
        own[0] = p->rma_bytes > 0 ? p->rma_bytes : 1;
        w->owns = true;
        w->base = calloc(1, (size_t)own[0]);
        if (!w->base)
            return play_fail(p, "out of memory");
        if (play_check(p, PLAY_CALL(p, PMPI_Win_attach(w->win, w->base, (MPI_Aint)own[0]))) < 0)
            return -1;
        PMPI_Get_address(w->base, &address);
        own[1] = (int64_t)address;
    }
    int64_t *all = calloc(2 * (size_t)w->members, sizeof *all);
    if (!all)
        return play_fail(p, "out of memory");
    const int rc = PLAY_CALL(p, PMPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, c->comm));
    for (int32_t i = 0; i < w->members; i++) {
        w->sizes[i] = all[2 * i];
        w->addresses[i] = all[2 * i + 1];
    }
    free(all);
    return play_check(p, rc);
}

static int make(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_comm *c = play_comm(p, e->comm);
    struct play_window *w = window(p, e->object);
    int rc;
    if (!c || !w)
        return c ? play_fail(p, "out of memory") : -1;
    *w = (struct play_window){.bytes = e->bytes};
    if (c->elapse_only) {
        play_elapse(p);
        return 0;
    }
    switch (p->action->plain) {
    case MPG_CALL_Win_allocate:
        rc = PLAY_CALL(p, MPI_Win_allocate((MPI_Aint)e->bytes, 1, MPI_INFO_NULL, c->comm, &w->base, &w->win));
        break;
    case MPG_CALL_Win_allocate_shared:
        rc = PLAY_CALL(p, MPI_Win_allocate_shared((MPI_Aint)e->bytes, 1, MPI_INFO_NULL, c->comm, &w->base, &w->win));
        break;
    case MPG_CALL_Win_create_dynamic:
        w->dynamic = true;
        rc = PLAY_CALL(p, MPI_Win_create_dynamic(MPI_INFO_NULL, c->comm, &w->win));
        break;
    default:
        w->owns = true;
        w->base = calloc(1, (size_t)e->bytes + 1);
        if (!w->base)
            return play_fail(p, "out of memory");
        rc = PLAY_CALL(p, MPI_Win_create(w->base, (MPI_Aint)e->bytes, 1, MPI_INFO_NULL, c->comm, &w->win));
        break;
    }
    if (play_check(p, rc) < 0)
        return -1;
    PMPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
    if (exchange_sizes(p, c, w) < 0)
        return -1;
    w->made = true;
    threads_notify(p);
    return 0;
}

static int make_free(struct player *p, struct play_window *w)
{
    if (w->dynamic && play_check(p, PLAY_CALL(p, PMPI_Win_detach(w->win, w->base))) < 0)
        return -1;
    if (play_check(p, PLAY_CALL(p, MPI_Win_free(&w->win))) < 0)
        return -1;
    if (w->owns)
        free(w->base);
    free(w->sizes);
    free(w->addresses);
    w->made = false;
    return 0;
}

static int post_or_start(struct player *p, struct play_window *w)
{
    const struct mpg_event *e = &p->action->event;
    MPI_Group all, group;
    if (play_count_room(p, &p->counts, e->count_number) < 0)
        return -1;
    for (uint32_t i = 0; i < e->count_number; i++)
        p->counts->counts[0][i] = (int)e->counts[i];
    PMPI_Win_get_group(w->win, &all);
    int rc = PLAY_CALL(p, PMPI_Group_incl(all, (int)e->count_number, p->counts->counts[0], &group));
    if (rc == MPI_SUCCESS) {
        rc = PLAY_CALL(p, p->action->plain == MPG_CALL_Win_post ? MPI_Win_post(group, 0, w->win)
                                                 : MPI_Win_start(group, 0, w->win));
        if (group != MPI_GROUP_EMPTY)
            PMPI_Group_free(&group);
    }
    PMPI_Group_free(&all);
    return play_check(p, rc);
}

/* Makes a call that ends an epoch of W. If MPI_Win_test has ended the epoch already, earlier than in the trace, no call
 * is needed. */
static int end_epoch(struct player *p, struct play_window *w)
{
    int flag = 0;
    if (p->action->plain == MPG_CALL_Win_complete)
        return play_check(p, PLAY_CALL(p, MPI_Win_complete(w->win)));
    const bool tests = p->action->plain == MPG_CALL_Win_test, ends = !tests || p->action->event.found;
    if (w->waited) {
        w->waited = !ends;
        p->outcome.unneeded++;
        return 0;
    }
    if (tests && play_check(p, PLAY_CALL(p, MPI_Win_test(w->win, &flag))) < 0)
        return -1;
    w->waited = flag && !ends;
    if (!ends || flag)
        return 0;
    p->outcome.waited += tests;
    return play_check(p, PLAY_CALL(p, MPI_Win_wait(w->win)));
}

static int with_target(struct player *p, struct play_window *w)
{
    const struct mpg_event *e = &p->action->event;
    const int to = play_peer(e->to);
    switch (p->action->plain) {
    case MPG_CALL_Win_lock:
        return play_check(p, PLAY_CALL(p, MPI_Win_lock(e->root ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, to, 0, w->win)));
    case MPG_CALL_Win_unlock:
        return play_check(p, PLAY_CALL(p, MPI_Win_unlock(to, w->win)));
    case MPG_CALL_Win_flush:
        return play_check(p, PLAY_CALL(p, MPI_Win_flush(to, w->win)));
    default:
        return play_check(p, PLAY_CALL(p, MPI_Win_flush_local(to, w->win)));
    }
}

static int with_all(struct player *p, struct play_window *w)
{
    switch (p->action->plain) {
    case MPG_CALL_Win_lock_all:
        return play_check(p, PLAY_CALL(p, MPI_Win_lock_all(0, w->win)));
    case MPG_CALL_Win_unlock_all:
        return play_check(p, PLAY_CALL(p, MPI_Win_unlock_all(w->win)));
    case MPG_CALL_Win_flush_all:
        return play_check(p, PLAY_CALL(p, MPI_Win_flush_all(w->win)));
    case MPG_CALL_Win_flush_local_all:
        return play_check(p, PLAY_CALL(p, MPI_Win_flush_local_all(w->win)));
    default:
        return play_check(p, PLAY_CALL(p, MPI_Win_sync(w->win)));
    }
}

/* --- transfers --- */

/* Returns an integer type of BYTES, for atomic operations on a single element. */
static MPI_Datatype element(int64_t bytes)
{
    switch (bytes) {
    case 1:
        return MPI_UINT8_T;
    case 2:
        return MPI_UINT16_T;
    case 4:
        return MPI_UINT32_T;
    default:
        return MPI_UINT64_T;
    }
}

static int64_t cut(struct player *p, const struct play_window *w, int32_t to, int64_t bytes)
{
    if (to < 0 || to >= w->members || bytes <= w->sizes[to])
        return bytes;
    p->outcome.cut++;
    return w->sizes[to];
}

static int transfer(struct player *p, struct play_window *w, MPI_Request *request)
{
    const struct mpg_event *e = &p->action->event;
    const int to = play_peer(e->to);
    const int64_t out = cut(p, w, e->to, e->bytes), back = cut(p, w, e->to, e->recvbytes);
    const MPI_Aint at = e->to >= 0 && e->to < w->members ? (MPI_Aint)w->addresses[e->to] : 0;
    const void *from = play_send_buffer(p, out > 16 ? out : 16);
    char *into = play_receive_buffer(p, back > 16 ? back : 16);
    const MPI_Op op = e->bytes > 0 ? MPI_BOR : MPI_NO_OP;
    int n, m;
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (play_count(p, out, &n) < 0 || play_count(p, back, &m) < 0)
        return -1;
    switch (p->action->plain) {
    case MPG_CALL_Put:
        return play_check(p, PLAY_CALL(p, MPI_Put(from, n, MPI_BYTE, to, at, n, MPI_BYTE, w->win)));
    case MPG_CALL_Rput:
        return play_check(p, PLAY_CALL(p, MPI_Rput(from, n, MPI_BYTE, to, at, n, MPI_BYTE, w->win, request)));
    case MPG_CALL_Get:
        return play_check(p, PLAY_CALL(p, MPI_Get(into, m, MPI_BYTE, to, at, m, MPI_BYTE, w->win)));
    case MPG_CALL_Rget:
        return play_check(p, PLAY_CALL(p, MPI_Rget(into, m, MPI_BYTE, to, at, m, MPI_BYTE, w->win, request)));
    case MPG_CALL_Accumulate:
        return play_check(p, PLAY_CALL(p, MPI_Accumulate(from, n, MPI_BYTE, to, at, n, MPI_BYTE, MPI_BOR, w->win)));
    case MPG_CALL_Raccumulate:
        return play_check(p, PLAY_CALL(p, MPI_Raccumulate(from, n, MPI_BYTE, to, at, n, MPI_BYTE, MPI_BOR, w->win, request)));
    case MPG_CALL_Get_accumulate:
        return play_check(p, PLAY_CALL(p, MPI_Get_accumulate(from, n, MPI_BYTE, into, m, MPI_BYTE, to, at, m, MPI_BYTE, op,
                                                w->win)));
    case MPG_CALL_Rget_accumulate:
        return play_check(p, PLAY_CALL(p, MPI_Rget_accumulate(from, n, MPI_BYTE, into, m, MPI_BYTE, to, at, m, MPI_BYTE, op,
                                                 w->win, request)));
    case MPG_CALL_Fetch_and_op:
        return play_check(p, PLAY_CALL(p, MPI_Fetch_and_op(from, into, element(e->recvbytes), to, at, op, w->win)));
    default:
        return play_check(p, PLAY_CALL(p, MPI_Compare_and_swap(from, (const char *)from + 8, into, element(e->recvbytes), to,
                                                  at, w->win)));
    }
}

int play_window(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    const enum mpg_kind kind = p->action->kind;
    if (kind == MPG_KIND_WIN_CONSTRUCTOR)
        return make(p);
    struct play_window *w = window(p, e->object);
    struct play_request *r = NULL;
    if (!w)
        return play_fail(p, "out of memory");
    while (!w->made && threads_wait(p, THREADS_ALL)) {
    }
    if (kind == MPG_KIND_IRMA && !(r = play_new_request(p, e->requests[0], false)))
        return -1;
    if (r)
        r->transfers = true;
    if (!w->made) {
        if (r)
            r->elapse_only = true;
        play_elapse(p);
        return 0;
    }
    switch (kind) {
    case MPG_KIND_WIN_FREE:
        return make_free(p, w);
    case MPG_KIND_WIN_FENCE:
        return play_check(p, PLAY_CALL(p, MPI_Win_fence(p->host->same_mpi ? e->root : 0, w->win)));
    case MPG_KIND_WIN_GROUP:
        return post_or_start(p, w);
    case MPG_KIND_WIN_EPOCH:
        return end_epoch(p, w);
    case MPG_KIND_WIN_TARGET:
        return with_target(p, w);
    case MPG_KIND_WIN_ALL:
        return with_all(p, w);
    default:
        return transfer(p, w, r ? &r->handle : NULL);
    }
}
