/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete requests. If a call completes another request than in the trace, the two requests exchange
 * identifiers (docs/MODEL.md, section 6). A test that succeeded in the trace and would fail here becomes a wait, now or
 * later (docs/REENACTMENT.md). A test that failed in the trace is made, unless the requests are complete here already. */
#include "replay/enact/player.h"

#include <stdlib.h>

static int list_room(struct player *p, uint32_t n)
{
    struct play_list *l = &p->list;
    l->n = 0;
    if ((int)n <= l->capacity)
        return 0;
    l->capacity = 2 * (int)n + FEW_LISTED;
    l->request = realloc(l->request, (size_t)l->capacity * sizeof *l->request);
    l->handle = realloc(l->handle, (size_t)l->capacity * sizeof *l->handle);
    l->index = realloc(l->index, (size_t)l->capacity * sizeof *l->index);
    l->status = realloc(l->status, (size_t)l->capacity * sizeof *l->status);
    return l->request && l->handle && l->index && l->status ? 0 : play_fail(p, "out of memory");
}

static void append(struct play_list *l, struct play_request *r)
{
    l->request[l->n] = r;
    l->handle[l->n++] = r->handle;
}

int play_note_done(struct player *p, struct play_request *r, const MPI_Status *status)
{
    r->done = true;
    if (deviations_complete(p, r, status) < 0)
        return -1;
    if (r->comm)
        return play_comm_completed(p, r->comm);
    return 0;
}

/* Notes the N requests of the list that MPI has completed, by the indices and statuses in p->list, and removes the
 * requests from the list. */
static int note_some(struct player *p, int n)
{
    struct play_list *l = &p->list;
    for (int i = 0; i < n; i++)
        if (play_note_done(p, l->request[l->index[i]], &l->status[i]) < 0)
            return -1;
    int kept = 0;
    for (int i = 0; i < l->n; i++)
        if (!l->request[i]->done) {
            l->request[kept] = l->request[i];
            l->handle[kept++] = l->handle[i];
        }
    l->n = kept;
    return 0;
}

static int note_all(struct player *p)
{
    struct play_list *l = &p->list;
    for (int i = 0; i < l->n; i++)
        l->index[i] = i;
    return note_some(p, l->n);
}

/* Returns how many requests of the list MPI could complete now. */
static int count_ready(struct player *p)
{
    struct play_list *l = &p->list;
    int ready = 0;
    for (int i = 0; i < l->n; i++) {
        int flag = 0;
        play_get_status(l->request[i], l->handle[i], &flag, MPI_STATUS_IGNORE);
        ready += flag != 0;
    }
    return ready;
}

/* --- truncated messages --- */

/* Checks RC, the error code of a call that returns a status for each request. MPI_ERR_IN_STATUS means a truncated message
 * here, since other errors appear when a request is created. The message was truncated in the trace, too: this is
 * no error, but sets *CUT. */
static int check_each(struct player *p, int rc, bool *cut)
{
    int class = MPI_SUCCESS;
    if (rc != MPI_SUCCESS)
        PMPI_Error_class(rc, &class);
    *cut = class == MPI_ERR_IN_STATUS && !p->err->text[0];
    return *cut ? 0 : play_check(p, rc);
}

/* After a truncated message: notes the complete requests of the list. WAITS: waits for the rest. MPICH reports complete
 * requests as pending: a wait completes them in any case. Open MPI keeps the handles of failed requests. */
static int note_complete(struct player *p, bool waits)
{
    struct play_list *l = &p->list;
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        int flag = 1;
        MPI_Status status = l->status[i];
        status.MPI_ERROR = MPI_SUCCESS;
        const bool has_handle = l->handle[i] != MPI_REQUEST_NULL;
        if (has_handle)
            play_get_status(l->request[i], l->handle[i], &flag, &status);
        if (has_handle && (flag ? status.MPI_ERROR == MPI_SUCCESS : waits)) {
            if (play_check(p, PLAY_CALL(p, MPI_Wait(&l->handle[i], &status))) < 0)
                return -1;
            flag = 1;
        }
        if (flag) {
            l->status[n] = status;
            l->index[n++] = i;
        }
    }
    return note_some(p, n);
}

/* --- calls on the list --- */

static int wait_for_one(struct player *p)
{
    struct play_request *r = p->list.request[0];
    const int rc = PLAY_CALL(p, MPI_Wait(&r->handle, p->list.status));
    return play_check(p, rc) < 0 ? -1 : note_all(p);
}

static int wait_for_all(struct player *p)
{
    bool cut;
    const int rc = PLAY_CALL(p, MPI_Waitall(p->list.n, p->list.handle, p->list.status));
    if (check_each(p, rc, &cut) < 0)
        return -1;
    return cut ? note_complete(p, true) : note_all(p);
}

/* In wait_for_any() and wait_for_some(), MPI_UNDEFINED means that all requests are complete: MPICH returns MPI_UNDEFINED
 * if all requests are starts to MPI_PROC_NULL. */
static int wait_for_any(struct player *p)
{
    const int rc = PLAY_CALL(p, MPI_Waitany(p->list.n, p->list.handle, p->list.index, p->list.status));
    if (play_check(p, rc) < 0)
        return -1;
    return p->list.index[0] == MPI_UNDEFINED ? note_all(p) : note_some(p, 1);
}

static int wait_for_some(struct player *p)
{
    int n = 0;
    bool cut;
    const int rc = PLAY_CALL(p, MPI_Waitsome(p->list.n, p->list.handle, &n, p->list.index, p->list.status));
    if (check_each(p, rc, &cut) < 0)
        return -1;
    return n == MPI_UNDEFINED ? note_all(p) : note_some(p, n);
}

static int test(struct player *p, enum mpg_call call)
{
    struct play_list *l = &p->list;
    int flag = 0, n = 0, rc;
    bool cut;
    switch (call) {
    case MPG_CALL_Test:
        rc = PLAY_CALL(p, MPI_Test(&l->request[0]->handle, &flag, l->status));
        break;
    case MPG_CALL_Testall:
        rc = PLAY_CALL(p, MPI_Testall(l->n, l->handle, &flag, l->status));
        break;
    case MPG_CALL_Testany:
        rc = PLAY_CALL(p, MPI_Testany(l->n, l->handle, l->index, &flag, l->status));
        n = flag && l->index[0] != MPI_UNDEFINED;
        break;
    default:
        rc = PLAY_CALL(p, MPI_Testsome(l->n, l->handle, &n, l->index, l->status));
        n = n == MPI_UNDEFINED ? 0 : n;
        break;
    }
    if (check_each(p, rc, &cut) < 0)
        return -1;
    if (cut && call == MPG_CALL_Testall)
        return note_complete(p, false);
    if (call == MPG_CALL_Test || call == MPG_CALL_Testall)
        return flag ? note_all(p) : 0;
    return note_some(p, n);
}

/* Returns whether R may be completed later than in the trace. Excluded are requests that create a communicator; one-sided
 * transfers, since the window may be freed afterwards; persistent requests whose next start needs the handle. */
static bool may_be_deferred(const struct play_request *r)
{
    const struct play_persistent *own = r->persistent;
    return !r->comm && !r->transfers &&
           (!own || own->action.kind == MPG_KIND_SEND_INIT || own->action.kind == MPG_KIND_RECV_INIT);
}

static bool is_test(enum mpg_call call)
{
    return call == MPG_CALL_Test || call == MPG_CALL_Testall || call == MPG_CALL_Testany ||
           call == MPG_CALL_Testsome;
}

/* Waits for requests of the list by CALL; if CALL is a test, by the corresponding wait. */
static int wait_by(struct player *p, enum mpg_call call)
{
    switch (call) {
    case MPG_CALL_Wait:
    case MPG_CALL_Test:
        return wait_for_one(p);
    case MPG_CALL_Waitall:
    case MPG_CALL_Testall:
        return wait_for_all(p);
    case MPG_CALL_Waitany:
    case MPG_CALL_Testany:
        return wait_for_any(p);
    default:
        return wait_for_some(p);
    }
}

/* A test succeeded in the trace, but fewer than WANTED requests of the list are complete here. Returns 0: wait for the
 * requests. Returns DEFERRED: complete the requests later, since wildcard receives have taken other messages than in the
 * trace: the messages that they took in the trace must be received first. -1: error. */
enum { DEFERRED = 1 };

static int wait_or_defer(struct player *p, int wanted)
{
    for (int i = 0; i < p->list.n; i++)
        if (!may_be_deferred(p->list.request[i]))
            return 0;
    while (deviations_possible(p) && count_ready(p) < wanted) {
        const int lacks = deviations_unresolved(p);
        if (lacks != 0)
            return lacks < 0 ? -1 : DEFERRED;
    }
    return 0;
}

/* Completes at least WANTED requests of the list by the action's call, waiting if necessary. Returns 0, DEFERRED (see
 * wait_or_defer()) or -1. */
static int complete_list(struct player *p, int wanted)
{
    enum mpg_call call = p->action->plain;
    const int before = p->list.n;
    bool succeeds = is_test(call) && count_ready(p) >= wanted;
    if (is_test(call) && !succeeds) {
        p->outcome.waited++;
        play_note_call(p);
        const int status = wait_or_defer(p, wanted);
        if (status != 0)
            return status < 0 || test(p, call) < 0 ? -1 : DEFERRED;
        succeeds = count_ready(p) >= wanted;
    }
    if (succeeds && test(p, call) < 0)
        return -1;
    while (before - p->list.n < wanted)
        if (wait_by(p, call) < 0)
            return -1;
    return 0;
}

/* --- deferred completions --- */

/* Requests completed by a test in the trace, and still to be completed here. */
struct play_deferred {
    struct play_deferred *next;
    struct mpg_action action; /* the test; of the event, only call and number of requests are set */
    int n;
    struct play_request *request[];
};

/* Adds the incomplete requests among the N with identifiers ID to the deferred requests; forgets the complete requests. */
static int defer(struct player *p, const int64_t *id, uint32_t n)
{
    struct play_deferred *batch = malloc(sizeof *batch + n * sizeof *batch->request), **last = &p->shared->deferred;
    if (!batch)
        return play_fail(p, "out of memory");
    *batch = (struct play_deferred){.action = {.event.call = p->action->event.call,
                                         .kind = MPG_KIND_COMPLETE,
                                         .plain = p->action->plain,
                                         .number = p->action->number}};
    for (uint32_t i = 0; i < n; i++) {
        struct play_request *r = play_find_request(p, id[i]);
        if (r && !r->done && !r->elapse_only) {
            r->started = NULL; /* when the persistent request is started again, this start goes on */
            r->deferred = true;
            batch->request[batch->n++] = r;
        } else if (r)
            play_free_request(p, r);
    }
    batch->action.event.request_number = (uint32_t)batch->n;
    while (*last)
        last = &(*last)->next;
    *last = batch;
    return 0;
}

/* Forgets R, a deferred request that is complete now. Frees the handle if the program has freed the persistent request
 * meanwhile. */
static int finish_deferred(struct player *p, struct play_request *r)
{
    struct play_persistent *own = r->persistent;
    play_free_request(p, r);
    if (!own || !own->freed)
        return 0;
    const int rc = PLAY_CALL(p, MPI_Request_free(&own->handle));
    play_free_lists(own);
    return play_check(p, rc);
}

/* Waits for the incomplete requests of BATCH. Returns DEFERRED if a wait could still deadlock, unless IN_ANY_CASE. */
static int complete_deferred(struct player *p, struct play_deferred *batch, bool in_any_case)
{
    if (list_room(p, (uint32_t)batch->n) < 0)
        return -1;
    for (int i = 0; i < batch->n; i++)
        if (!batch->request[i]->done)
            append(&p->list, batch->request[i]);
    const int status = p->list.n == 0 || in_any_case ? 0 : wait_or_defer(p, p->list.n);
    if (status != 0)
        return status;
    while (p->list.n > 0)
        if (wait_by(p, batch->action.plain) < 0)
            return -1;
    for (int i = 0; i < batch->n; i++)
        if (finish_deferred(p, batch->request[i]) < 0)
            return -1;
    return 0;
}

int play_complete_deferred(struct player *p, bool in_any_case)
{
    const struct mpg_action *action = p->action;
    int status = in_any_case || !p->shared->deferred ? 0 : deviations_unresolved(p);
    while (status == 0 && p->shared->deferred) {
        struct play_deferred *first = p->shared->deferred;
        p->action = &first->action;
        watchdog_call(p);
        status = complete_deferred(p, first, in_any_case);
        if (status == 0) {
            p->shared->deferred = first->next;
            free(first);
        }
    }
    if (status >= 0)
        p->action = action;
    return status < 0 ? -1 : 0;
}

/* --- replay of a traced call --- */

/* Counts the call as dropped, since hypotheses drop all requests of the call. */
static void note_dropped(struct player *p)
{
    p->outcome.dropped++;
    p->outcome.calls--;
}

/* Makes a call that completed all listed requests in the trace. */
static int complete_all(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    bool elapse_only = false;
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = play_find_request(p, e->requests[i]);
        elapse_only |= !r || r->elapse_only;
        dropped += r && r->dropped;
        if (r && !r->elapse_only && !r->done)
            append(&p->list, r);
    }
    if (p->list.n > 0) {
        const int status = complete_list(p, p->list.n);
        if (status != 0)
            return status < 0 ? -1 : defer(p, e->requests, e->request_number);
    } else if (elapse_only)
        play_elapse(p);
    else if (dropped == e->request_number)
        note_dropped(p);
    else
        p->outcome.unneeded++;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = play_find_request(p, e->requests[i]);
        if (r)
            play_free_request(p, r);
    }
    return 0;
}

/* Returns whether R is a receive and may exchange identifiers with another receive. */
static bool is_candidate(const struct play_request *r)
{
    return r->receives && !r->cancels && !r->elapse_only && !r->dropped;
}

static bool is_picked(const struct mpg_event *e, int64_t id)
{
    for (uint32_t i = 0; i < e->done_number; i++)
        if (e->done[i] == id)
            return true;
    return false;
}

/* Exchanges the identifiers of requests A and B, by swapping handle, state and persistent request. */
static void exchange(struct player *p, struct play_request *a, struct play_request *b)
{
    const struct play_request was = *a;
    a->handle = b->handle;
    a->done = b->done;
    a->persistent = b->persistent;
    b->handle = was.handle;
    b->done = was.done;
    b->persistent = was.persistent;
    if (a->persistent)
        a->persistent->active = a;
    if (b->persistent)
        b->persistent->active = b;
    deviations_exchange(a, b);
    p->outcome.exchanged++;
}

/* Requests completed by the call in the trace, but not here, exchange identifiers, in list order, with requests of the
 * call completed here, but not in the trace. */
static void exchange_all(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    uint32_t next = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *own = play_find_request(p, e->requests[i]);
        if (!own || own->done || !is_candidate(own) || !is_picked(e, own->id))
            continue;
        for (struct play_request *r; next < e->request_number; next++) {
            r = play_find_request(p, e->requests[next]);
            if (r && r->done && is_candidate(r) && !is_picked(e, r->id)) {
                exchange(p, own, r);
                break;
            }
        }
    }
}

/* Makes a call that completed some of the listed requests in the trace. */
static int complete_some(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    int wanted = 0, others = 0, status = 0, more = 0;
    bool elapse_only = false;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = play_find_request(p, e->requests[i]);
        const bool picked = is_picked(e, e->requests[i]);
        elapse_only |= picked && (!r || r->elapse_only);
        if (!r || r->elapse_only)
            continue;
        if (is_candidate(r)) {
            wanted += picked && !(p->host->deterministic && r->done);
            wanted -= r->done && !p->host->deterministic;
            if (!r->done && (picked || !p->host->deterministic))
                append(&p->list, r);
        } else if (picked && !r->done)
            others++;
    }
    if (wanted < 0)
        wanted = 0;
    if (wanted == 0)
        p->list.n = 0;
    const bool needed = wanted + others > 0;
    if (others > 0) { /* only receives can exchange identifiers: a second call completes all other requests */
        struct play_list *l = &p->list;
        if (wanted > 0 && (status = complete_list(p, wanted)) < 0)
            return -1;
        l->n = 0;
        for (uint32_t i = 0; i < e->request_number; i++) {
            struct play_request *r = play_find_request(p, e->requests[i]);
            if (r && !r->elapse_only && !r->done && !is_candidate(r) && is_picked(e, r->id))
                append(l, r);
        }
        wanted = l->n;
    }
    if (wanted > 0 && (more = complete_list(p, wanted)) < 0)
        return -1;
    exchange_all(p);
    if (!needed && elapse_only)
        play_elapse(p);
    p->outcome.unneeded += !needed && !elapse_only;
    if (status == DEFERRED || more == DEFERRED)
        return defer(p, e->done, e->done_number);
    for (uint32_t i = 0; i < e->done_number; i++) {
        struct play_request *r = play_find_request(p, e->done[i]);
        if (r)
            play_free_request(p, r);
    }
    return 0;
}

/* Makes a test that completed no request in the trace. A request that completes here is noted as done for a later call. */
static int complete_none(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    const enum mpg_call call = p->action->plain;
    const bool chooses = call == MPG_CALL_Testany || call == MPG_CALL_Testsome;
    bool elapse_only = false, receives = false;
    uint32_t done = 0, dropped = 0;
    struct play_request *only = call == MPG_CALL_Test ? play_find_request(p, e->requests[0]) : NULL;
    if (only && !only->elapse_only && !only->done) { /* short cut for MPI_Test, which most polling loops use */
        int flag = 0;
        MPI_Status status;
        const int rc = PLAY_CALL(p, MPI_Test(&only->handle, &flag, &status));
        return play_check(p, rc) < 0 ? -1 : flag ? play_note_done(p, only, &status) : 0;
    }
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct play_request *r = play_find_request(p, e->requests[i]);
        elapse_only |= !r || r->elapse_only;
        receives |= r && is_candidate(r);
        dropped += r && r->dropped;
        done += r && r->done && !r->dropped;
    }
    if (dropped == e->request_number) {
        note_dropped(p);
        return 0;
    }
    if (done > 0 && (chooses || done + dropped == e->request_number)) {
        p->outcome.unneeded++;
        return 0;
    }
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = play_find_request(p, e->requests[i]);
        if (r && !r->elapse_only && !r->done && (!chooses || !receives || is_candidate(r)))
            append(&p->list, r);
    }
    if (p->list.n > 0)
        return test(p, call);
    if (elapse_only)
        play_elapse(p);
    return 0;
}

/* Makes a call without active requests. */
static int complete_nothing(struct player *p)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag, n;
    switch (p->action->plain) {
    case MPG_CALL_Wait:
        return play_check(p, PLAY_CALL(p, MPI_Wait(&none, MPI_STATUS_IGNORE)));
    case MPG_CALL_Waitall:
        return play_check(p, PLAY_CALL(p, MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE)));
    case MPG_CALL_Waitany:
        return play_check(p, PLAY_CALL(p, MPI_Waitany(1, &none, &n, MPI_STATUS_IGNORE)));
    case MPG_CALL_Waitsome:
        return play_check(p, PLAY_CALL(p, MPI_Waitsome(1, &none, &n, &flag, MPI_STATUSES_IGNORE)));
    case MPG_CALL_Test:
        return play_check(p, PLAY_CALL(p, MPI_Test(&none, &flag, MPI_STATUS_IGNORE)));
    case MPG_CALL_Testall:
        return play_check(p, PLAY_CALL(p, MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE)));
    case MPG_CALL_Testany:
        return play_check(p, PLAY_CALL(p, MPI_Testany(1, &none, &n, &flag, MPI_STATUS_IGNORE)));
    default:
        return play_check(p, PLAY_CALL(p, MPI_Testsome(1, &none, &n, &flag, MPI_STATUSES_IGNORE)));
    }
}

int play_complete(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    if (list_room(p, e->request_number) < 0)
        return -1;
    if (e->request_number == 0)
        return complete_nothing(p);
    if (e->done_all)
        return complete_all(p);
    if (e->done_number == 0 && !is_test(p->action->plain))
        return complete_nothing(p); /* MPICH completes nothing if all requests are starts to MPI_PROC_NULL */
    return e->done_number > 0 ? complete_some(p) : complete_none(p);
}
