/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Performs the actions in order: waits for the time of the computation, then makes the call. */
#include "replay/enact/player.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/mpg_region.h"

int play_fail(struct player *p, const char *format, ...)
{
    char text[MPG_ERROR_SIZE / 2];
    va_list arguments;
    if (p->err->text[0])
        return -1;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char thread[16] = "";
    if (p->thread > 0)
        snprintf(thread, sizeof thread, ".%d", p->host->needs->thread[p->thread]);
    if (p->action)
        return mpg_error_set(p->err, "rank %d%s, call %llu (MPI_%s): %s", p->host->rank, thread,
                             (unsigned long long)p->action->number, p->host->call_name(p->action->event.call), text);
    return mpg_error_set(p->err, "rank %d: %s", p->host->rank, text);
}

/* Returns whether a call of KIND may receive a longer message than in the trace. MPI then returns MPI_ERR_TRUNCATE, but
 * has received the message. */
static bool may_cut(enum mpg_kind kind)
{
    return kind == MPG_KIND_COMPLETE || kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV ||
           kind == MPG_KIND_MRECV;
}

int play_check(struct player *p, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = MPI_SUCCESS, length = 0;
    if (rc == MPI_SUCCESS)
        return 0;
    if (p->err->text[0])
        return -1;
    PMPI_Error_class(rc, &class);
    if (class == MPI_ERR_TRUNCATE && p->action && may_cut(p->action->kind))
        return 0;
    PMPI_Error_string(rc, text, &length);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return play_fail(p, "%s", text);
}

void play_elapse(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    p->outcome.elapsed++;
    p->outcome.calls--;
    watchdog_compute(p);
    play_unlock(p);
    p->host->elapse(p->host->context, p->thread, (int64_t)mpg_clock_ns(), e->leave_ns - e->enter_ns, 0);
    play_note_return(p); /* counts as the end of MPI time even if the call used MPI before */
    play_lock(p);
    watchdog_call(p);
}

static bool is_mark(const struct mpg_action *action)
{
    return action->kind == MPG_KIND_REGION_BEGIN || action->kind == MPG_KIND_REGION_END;
}

static void mark(struct player *p)
{
    const char *name = p->host->string(p->host->context, p->action->event.string);
    if (p->action->kind == MPG_KIND_REGION_BEGIN)
        mpg_region_begin(name);
    else
        mpg_region_end(name);
}

/* The action's call is dropped by a hypothesis. The requests of the call count as complete from the beginning. */
static int drop(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    p->outcome.dropped++;
    p->outcome.calls--;
    for (uint32_t i = 0; p->action->kind != MPG_KIND_COMPLETE && i < e->request_number; i++) {
        struct play_request *r = play_new_request(p, e->requests[i], false);
        if (!r)
            return -1;
        r->dropped = r->done = true;
    }
    return 0;
}

int play_perform_call(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    if (p->action->drops)
        return drop(p);
    switch (p->action->kind) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
        return play_p2p(p);
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
        return play_probe(p);
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_START:
    case MPG_KIND_PREADY:
    case MPG_KIND_PARRIVED:
    case MPG_KIND_CANCEL:
    case MPG_KIND_REQUEST_FREE:
        return play_persistent(p);
    case MPG_KIND_COMPLETE:
        return play_complete(p);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
        return play_collective(p);
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_DYNAMIC:
        return play_constructor(p);
    case MPG_KIND_COMM_FREE:
        return play_comm_free(p);
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return play_window(p);
    case MPG_KIND_PCONTROL:
        return play_check(p, MPI_Pcontrol(e->to));
    default: { /* requests of files and generalized requests; other calls that are not replayed */
        for (uint32_t i = 0; e->requests && !e->persistent && i < e->request_number; i++) {
            struct play_request *r = play_new_request(p, e->requests[i], false);
            if (!r)
                return -1;
            r->elapse_only = true;
        }
        play_elapse(p);
        return 0;
    }
    }
}

/* --- begin and end --- */

void play_abort(int status)
{
    enum { FORWARDED_US = 200000 };
    usleep(FORWARDED_US); /* MPICH's launcher discards standard error not forwarded before an abort */
    PMPI_Abort(MPI_COMM_WORLD, status);
}

static int begin(const struct mpg_needs *needs, int *rank, int *size, int64_t *left_ns, bool *enough,
                 struct mpg_error *err)
{
    const int required = needs->threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    int provided = required, rc = needs->init_thread || needs->threads > 1
                                      ? MPI_Init_thread(NULL, NULL, required, &provided)
                                      : MPI_Init(NULL, NULL);
    if (rc == MPI_SUCCESS && needs->threads < 2)
        PMPI_Query_thread(&provided);
    *enough = provided == MPI_THREAD_MULTIPLE;
    *left_ns = (int64_t)mpg_clock_ns();
    if (rc != MPI_SUCCESS)
        return mpg_error_set(err, "MPI cannot be started");
    PMPI_Comm_rank(MPI_COMM_WORLD, rank);
    PMPI_Comm_size(MPI_COMM_WORLD, size);
    return 0;
}

static int first_failed(bool failed)
{
    int rank, size, first;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const int own = failed ? rank : size;
    PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

static int32_t tag_limit(int32_t max)
{
    int *limit = NULL, found = 0, all = max;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return found && all > *limit ? *limit : -1;
}

static void broadcast(int from, int32_t *list, int n)
{
    PMPI_Bcast(list, n, MPI_INT32_T, from, MPI_COMM_WORLD);
}

/* Finds the needs of all ranks together; creates buffers, watchdog and threads. */
static int prepare(struct player *p)
{
    const struct mpg_needs *n = p->host->needs;
    int64_t all[3] = {n->message_bytes, n->rma_bytes, n->wildcards};
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (play_check(p, PMPI_Comm_dup(MPI_COMM_WORLD, &p->hidden)) < 0 ||
        play_check(p, PMPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_INT64_T, MPI_MAX, p->hidden)) < 0)
        return -1;
    p->message_bytes = all[0];
    p->rma_bytes = all[1];
    p->wildcards = all[2] != 0;
    const int64_t receive = p->wildcards && n->receive_bytes < all[0] ? all[0] : n->receive_bytes;
    if (!play_send_buffer(p, n->send_bytes + 16) || !play_receive_buffer(p, receive + 16))
        return play_fail(p, "out of memory: the largest messages have %lld and %lld bytes",
                         (long long)n->send_bytes, (long long)receive);
    if (play_attach_buffer(p) < 0 || watchdog_begin(p) < 0 || play_set_up_world(p) < 0)
        return -1;
    return threads_new(p) < 0 ? -1 : deviations_new(p);
}

/* Receives and counts all messages left on COMM. Returns the number. */
static uint64_t take_rest(struct player *p, MPI_Comm comm)
{
    enum { TRIES = 4 };
    uint64_t n = 0;
    for (int i = 0; i < TRIES; i++) {
        int found = 0;
        MPI_Message message;
        MPI_Status status;
        if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, &status) != MPI_SUCCESS || !found)
            continue;
        const int64_t bytes = play_status_bytes(&status);
        void *into = play_receive_buffer(p, bytes);
        if (!into || bytes > INT32_MAX)
            return n + 1;
        PMPI_Mrecv(into, (int)bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        n++;
        i = -1;
    }
    return n;
}

static void count_rest(struct player *p)
{
    PMPI_Barrier(p->hidden);
    for (size_t i = 0; i < p->shared->comms; i++)
        if (p->shared->comm[i] && p->shared->comm[i]->made && !p->shared->comm[i]->elapse_only)
            p->outcome.unreceived += take_rest(p, p->shared->comm[i]->comm);
}

/* Adds up the counts of all ranks. An attribute callback, called by MPI_Finalize while MPI is still usable: the replay's
 * own communication comes within the traced MPI_Finalize (MPI-3.1, section 8.7.1). */
static int add_up(MPI_Comm comm, int key, void *value, void *extra)
{
    struct player *p = value;
    struct mpg_outcome *o = &p->outcome;
    count_rest(p);
    uint64_t own[] = {o->calls, o->elapsed, o->exchanged, o->unneeded, o->waited, o->dropped, o->cut, o->late_ns,
                      o->unreceived};
    uint64_t all[sizeof own / sizeof *own];
    int64_t times[2] = {o->run_ns, o->traced_ns}, max[2];
    (void)comm, (void)key, (void)extra;
    PMPI_Reduce(own, all, sizeof own / sizeof *own, MPI_UINT64_T, MPI_SUM, 0, p->hidden);
    PMPI_Reduce(times, max, 2, MPI_INT64_T, MPI_MAX, 0, p->hidden);
    if (p->host->rank == 0)
        *o = (struct mpg_outcome){.run_ns = max[0], .traced_ns = max[1], .calls = all[0], .elapsed = all[1],
                                  .exchanged = all[2], .unneeded = all[3], .waited = all[4],
                                  .dropped = all[5], .cut = all[6], .late_ns = all[7],
                                  .unreceived = all[8]};
    watchdog_end(p);
    PMPI_Comm_free(&p->hidden);
    return MPI_SUCCESS;
}

static int finish(struct player *p, int64_t begin_ns)
{
    int key;
    p->outcome.run_ns = (int64_t)mpg_clock_ns() - begin_ns;
    p->host->own_outcome(p->host->context, &p->outcome);
    if (play_check(p, PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, add_up, &key, NULL)) < 0 ||
        play_check(p, PMPI_Comm_set_attr(MPI_COMM_SELF, key, p)) < 0)
        return -1;
    return play_check(p, MPI_Finalize());
}

/* Performs P's action: a call, a region mark, or a run of polls. */
static int play_action(struct player *p)
{
    if (p->shared->deferred && play_complete_deferred(p, false) < 0)
        return -1;
    if (is_mark(p->action)) {
        if (threads_before_call(p) < 0)
            return -1;
        mark(p);
        return 0;
    }
    if (p->action->repetition_number > 0)
        return play_polls(p);
    p->outcome.calls++;
    watchdog_call(p);
    if (threads_before_call(p) < 0 || play_perform_call(p) < 0)
        return -1;
    threads_after_call(p);
    return 0;
}

/* Returns whether the next action follows so soon that reading a clock before would take longer. */
static bool is_followed(const struct mpg_action *action)
{
    enum { AT_ONCE_NS = 50 };
    return action->after_ns != MPG_NOT_READ && action->after_ns <= AT_ONCE_NS;
}

/* Performs the action after the wait that ended at READY_NS. *FROM_NS: begin of the time until the next action. *LATE_NS:
 * time from READY_NS to the call; 0 with several threads, since another thread may have caused the delay. */
static int replay_action(struct player *p, int64_t ready_ns, int64_t *from_ns, int64_t *late_ns)
{
    const bool calls = !is_mark(p->action) && p->action->repetition_number == 0;
    const bool at_once = is_followed(p->action);
    p->called_ns = p->returned_ns = 0;
    p->timed = calls && !p->shared->threads && !(at_once && ready_ns == MPG_JUST_NOW);
    play_lock(p);
    const int status = play_action(p);
    play_unlock(p);
    const bool timed = p->timed && p->returned_ns > 0;
    *late_ns = timed && ready_ns != MPG_JUST_NOW && p->called_ns > ready_ns ? p->called_ns - ready_ns : 0;
    *from_ns = at_once ? MPG_JUST_NOW : timed ? p->returned_ns : (int64_t)mpg_clock_ns();
    if (!at_once) /* tells the watchdog that the call has ended, even if only a region mark follows */
        watchdog_compute(p);
    return status;
}

int play_thread(struct player *p, int64_t *begin_ns)
{
    int64_t from_ns = *begin_ns, late_ns = 0;
    for (bool first = true;; first = false) {
        p->action = p->host->next(p->host->context, p->thread, p->err);
        if (!p->action)
            return -1;
        threads_publish_action(p);
        const int64_t before_ns = p->action->before_ns;
        if (first && p->thread == 0) {
            const int64_t now_ns = (int64_t)mpg_clock_ns();
            if (from_ns + before_ns < now_ns) /* if preparation took longer than the program's first interval, the run starts
                                                 later */
                from_ns = *begin_ns = now_ns - before_ns;
            if (threads_start(p, *begin_ns) < 0)
                return -1;
        }
        const int64_t ready_ns = p->host->elapse(p->host->context, p->thread, from_ns, before_ns, late_ns);
        if (p->action->kind == MPG_KIND_FINALIZE)
            return 0;
        if (replay_action(p, ready_ns, &from_ns, &late_ns) < 0)
            return -1;
    }
}

/* Performs all actions of the rank; BEGIN_NS: end of MPI_Init. */
static int play_actions(struct player *p, int64_t begin_ns)
{
    if (play_thread(p, &begin_ns) < 0 || play_complete_deferred(p, true) < 0) {
        threads_fail(p);
        watchdog_fail(p);
        return -1;
    }
    p->outcome.calls++;
    watchdog_call(p);
    threads_join(p);
    return finish(p, begin_ns);
}

static int perform(const struct mpg_replay_host *host, int64_t left_ns, struct mpg_outcome *outcome,
                   struct mpg_error *err)
{
    static struct play_shared shared;
    static struct player play; /* static, because the attribute callback uses PLAY within MPI_Finalize */
    struct player *p = &play;
    err->text[0] = '\0';
    shared = (struct play_shared){.request_pool = {.size = sizeof(struct play_request)},
                            .persistent_pool = {.size = sizeof(struct play_persistent)}};
    *p = (struct player){.host = host, .shared = &shared, .err = err, .hidden = MPI_COMM_NULL};
    if (prepare(p) < 0)
        return -1;
    PMPI_Barrier(p->hidden);
    if (play_actions(p, left_ns) < 0)
        return -1;
    *outcome = p->outcome;
    return 0;
}

static void end(void)
{
    MPI_Finalize();
}

const struct mpg_enactor mpg_enactor = {.begin = begin,
                                        .first_failed = first_failed,
                                        .tag_limit = tag_limit,
                                        .broadcast = broadcast,
                                        .perform = perform,
                                        .end = end,
                                        .abort = play_abort};
