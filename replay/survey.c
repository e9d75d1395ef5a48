/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass over a rank's events before the replay: finds buffer sizes, and the sizes that members of collectives must
 * exchange. */
#include "replay/survey.h"

#include <stdlib.h>
#include <string.h>

#include "replay/feed.h"
#include "replay/tags.h"

enum { NEEDS_SILENT = 1, MAY_NEED_SILENT = 2 }; /* bits of mpg_needs.silent during the pass */

struct survey {
    struct mpg_trace *trace;
    struct mpg_changes *changes;
    struct mpg_needs *needs;
    int64_t begin_ns, end_ns;
    uint32_t init_thread;  /* number of the thread that called MPI_Init */
    int64_t buffered_init; /* size of the largest persistent buffered send; -1: none */
    bool began, ended;
    bool cancels_starts;   /* the program cancels a start of a persistent request */
};

static void raise_to(int64_t *max, int64_t n)
{
    if (n > *max)
        *max = n;
}

/* --- communicators --- */

/* Makes room in the lists of N for communicator COMM. */
static int comm_room(struct mpg_needs *n, int32_t comm, struct mpg_error *err)
{
    if ((size_t)comm < n->comms)
        return 0;
    const size_t comms = 2 * (size_t)comm + 4;
    void *contributions = realloc(n->contributions, comms * sizeof *n->contributions);
    if (contributions)
        n->contributions = contributions;
    uint8_t *silent = realloc(n->silent, comms * sizeof *silent);
    if (silent)
        n->silent = silent;
    uint8_t *named = realloc(n->named, comms * sizeof *named);
    if (named)
        n->named = named;
    if (!contributions || !silent || !named)
        return mpg_error_set(err, "out of memory");
    memset(n->contributions + n->comms, 0, (comms - n->comms) * sizeof *n->contributions);
    memset(silent + n->comms, 0, (comms - n->comms) * sizeof *silent);
    memset(named + n->comms, 0, (comms - n->comms) * sizeof *named);
    n->comms = comms;
    return 0;
}

static int append_contribution(struct survey *s, const struct mpg_event *e, enum mpg_contribution_kind kind,
                     const int64_t *bytes, size_t width, struct mpg_error *err)
{
    if (comm_room(s->needs, e->comm, err) < 0)
        return -1;
    struct mpg_contributions *own = &s->needs->contributions[e->comm][kind];
    if ((own->calls + 1) * width > own->capacity) {
        const size_t capacity = 2 * own->capacity + width + 16;
        int64_t *grown = realloc(own->bytes, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        own->bytes = grown;
        own->capacity = capacity;
    }
    if (own->calls > 0 && own->width != width)
        return mpg_error_set(err, "MPI_%s has %zu sizes, and %zu before on the same communicator",
                             mpg_call_name(e->call), width, own->width);
    own->width = width;
    if (width > 0)
        memcpy(own->bytes + own->calls * width, bytes, width * sizeof *bytes);
    own->calls++;
    return 0;
}

static int add_contribution(struct survey *s, const struct mpg_event *e, enum mpg_call call, bool remote,
                 struct mpg_error *err)
{
    const enum mpg_contribution_kind kind = mpg_contribution_kind_of(call, remote);
    switch (kind) {
    case MPG_CONTRIBUTION_SINGLE:
    case MPG_CONTRIBUTION_NEIGHBORS:
        return append_contribution(s, e, kind, &e->bytes, 1, err);
    case MPG_CONTRIBUTION_PER_PEER:
    case MPG_CONTRIBUTION_PER_EDGE:
        return append_contribution(s, e, kind, e->counts, e->count_number, err);
    default:
        return 0;
    }
}

/* --- sizes --- */

static int64_t times(int64_t bytes, int64_t n)
{
    int64_t product;
    return __builtin_mul_overflow(bytes, n, &product) ? INT64_MAX : product;
}

static int survey_collective(struct survey *s, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_call call = mpg_call_blocking(e->call);
    const struct mpg_comm *comm = mpg_trace_comm(s->trace, e->comm);
    const int64_t peers = comm->remote_size ? comm->remote_size : comm->size;
    int64_t send = e->bytes, receive = e->bytes;
    for (uint32_t i = 0; i < e->count_number; i++)
        send += e->counts[i];
    if (call == MPG_CALL_Scatter || call == MPG_CALL_Alltoall)
        send = times(send, peers);
    if (call == MPG_CALL_Gather || call == MPG_CALL_Allgather || call == MPG_CALL_Alltoall)
        receive = times(receive, peers);
    raise_to(&s->needs->send_bytes, send);
    raise_to(&s->needs->receive_bytes, receive);
    return add_contribution(s, e, call, comm->remote_size > 0, err);
}

static void survey_buffered(struct mpg_needs *n, int64_t bytes, int64_t times)
{
    for (; times > 0 && n->buffered_bytes < INT64_MAX / 2; times--) {
        n->buffered_bytes += bytes;
        n->buffered++;
    }
}

static void survey_send(struct survey *s, const struct mpg_event *e)
{
    struct mpg_needs *n = s->needs;
    const enum mpg_call call = mpg_call_plain(e->call);
    if (e->to == MPG_PROC_NULL)
        return;
    raise_to(&n->send_bytes, e->bytes);
    raise_to(&n->message_bytes, e->bytes);
    if (call == MPG_CALL_Bsend || call == MPG_CALL_Ibsend)
        survey_buffered(n, e->bytes, 1);
    if (call == MPG_CALL_Bsend_init)
        raise_to(&s->buffered_init, e->bytes);
}

/* Notes that COMM needs a duplicate without messages (mpg_needs.silent). IF_STARTS: only if the rank cancels a start of a
 * persistent request. */
static int need_silent(struct survey *s, int32_t comm, bool if_starts, struct mpg_error *err)
{
    if (comm < 0)
        return 0;
    if (comm_room(s->needs, comm, err) < 0)
        return -1;
    s->needs->silent[comm] |= if_starts ? MAY_NEED_SILENT : NEEDS_SILENT;
    return 0;
}

static void settle_silent(struct survey *s)
{
    for (size_t i = 0; i < s->needs->comms; i++)
        s->needs->silent[i] = (s->needs->silent[i] & NEEDS_SILENT) || (s->needs->silent[i] && s->cancels_starts);
}

/* Notes a receive or probe with a wildcard that got a message. */
static int note_wildcard(struct survey *s, const struct mpg_event *e, struct mpg_error *err)
{
    if (!e->any)
        return 0;
    s->needs->wildcards = true;
    if (e->comm < 0 || e->from == MPG_PROC_NULL)
        return 0;
    if (comm_room(s->needs, e->comm, err) < 0)
        return -1;
    s->needs->named[e->comm] |= (MPG_ANY_SOURCE | MPG_ANY_TAG) & ~e->any;
    return 0;
}

static int survey_receive(struct survey *s, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const enum mpg_call call = mpg_call_plain(e->call);
    const bool takes = e->cancelled_number == 0 && (e->found || (call != MPG_CALL_Iprobe && call != MPG_CALL_Improbe));
    if (e->from != MPG_PROC_NULL)
        raise_to(&s->needs->receive_bytes, e->bytes);
    if (takes && note_wildcard(s, e, err) < 0)
        return -1;
    if ((kind == MPG_KIND_IRECV && e->cancelled_number > 0) || (kind == MPG_KIND_MPROBE && !e->found))
        return need_silent(s, e->comm, false, err);
    return kind == MPG_KIND_RECV_INIT ? need_silent(s, e->comm, true, err) : 0;
}

static int survey_event(struct survey *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_needs *n = s->needs;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_INIT:
        s->began = true;
        s->begin_ns = e->leave_ns;
        n->init_thread = e->call == MPG_CALL_Init_thread;
        s->init_thread = e->thread;
        return 0;
    case MPG_KIND_FINALIZE:
        s->ended = !e->killed;
        s->end_ns = e->enter_ns;
        return 0;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        raise_to(&n->receive_bytes, e->recvbytes);
        survey_send(s, e);
        return note_wildcard(s, e, err);
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_PSEND_INIT:
        survey_send(s, e);
        return 0;
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        return survey_receive(s, e, err);
    case MPG_KIND_START:
        if (s->buffered_init >= 0)
            survey_buffered(n, s->buffered_init, e->request_number);
        s->cancels_starts |= e->cancelled_number > 0;
        return 0;
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        raise_to(&n->send_bytes, e->bytes);
        raise_to(&n->receive_bytes, e->recvbytes);
        raise_to(&n->rma_bytes, e->bytes);
        raise_to(&n->rma_bytes, e->recvbytes);
        return 0;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
        return survey_collective(s, e, err);
    default:
        return 0;
    }
}

/* --- a rank --- */

static int check_rank(const struct mpg_trace *t, int32_t rank, struct mpg_error *err)
{
    return mpg_trace_runs(t, rank) ? mpg_error_set(err, "rank %d is still running", rank) : 0;
}

/* Lists the rank's threads in NEEDS, the thread of MPI_Init first. */
static int list_threads(struct survey *s, int32_t rank, struct mpg_error *err)
{
    struct mpg_needs *n = s->needs;
    const uint32_t threads = mpg_trace_threads(s->trace, rank);
    n->thread = calloc(threads, sizeof *n->thread);
    if (!n->thread)
        return mpg_error_set(err, "out of memory");
    n->thread[n->threads++] = (int32_t)s->init_thread;
    for (uint32_t i = 0; i < threads && (uint32_t)n->threads < threads; i++)
        if (mpg_trace_thread(s->trace, rank, i) != s->init_thread)
            n->thread[n->threads++] = (int32_t)mpg_trace_thread(s->trace, rank, i);
    return 0;
}

/* Fills ERR with the reason why RANK's calls do not end with MPI_Finalize. Returns -1. */
static int explain_end(const struct survey *s, int32_t rank, struct mpg_error *err)
{
    const char *cut = mpg_trace_cut(s->trace);
    enum mpg_call call = MPG_CALL_COUNT;
    int64_t enter_ns;
    if (mpg_trace_events(s->trace, rank) == 0)
        return mpg_error_set(err, "rank %d has no events: %s", rank, cut ? cut : "its file is missing");
    if (!s->began)
        return mpg_error_set(err, "rank %d has no MPI_Init", rank);
    if (mpg_trace_died(s->trace, rank, 0, &call, &enter_ns) && call != MPG_CALL_COUNT)
        return mpg_error_set(err, "rank %d ended inside MPI_%s: a replay would hang", rank,
                             mpg_call_name(call));
    return mpg_error_set(err, "rank %d has no MPI_Finalize: a replay would hang%s%s%s", rank,
                         cut ? " (" : "", cut ? cut : "", cut ? ")" : "");
}

/* Adds the requirements of E, the rank's call NUMBER, as changed by hypotheses, to the survey. */
static int survey_changed(struct survey *s, const struct mpg_event *e, uint64_t number, struct mpg_error *err)
{
    struct mpg_changed to;
    if (e->failed)
        return 0;
    const int32_t tag = mpg_tags_max(e);
    if (tag > s->needs->max_tag)
        s->needs->max_tag = tag;
    if (!s->changes || !mpg_event_is_call(e) || !mpg_changes_find(s->changes, number, e, &to))
        return survey_event(s, e, err);
    for (uint32_t i = 0; to.started && i < e->request_number; i++) {
        raise_to(&s->needs->send_bytes, to.started[i]);
        raise_to(&s->needs->receive_bytes, to.started[i]);
        raise_to(&s->needs->message_bytes, to.started[i]);
        if (s->buffered_init >= 0)
            raise_to(&s->buffered_init, to.started[i]);
    }
    return to.drops ? 0 : survey_event(s, &to.event, err);
}

int mpg_survey(struct mpg_trace *trace, int32_t rank, struct mpg_changes *changes, struct mpg_needs *needs,
               int64_t *traced_ns,
               struct mpg_error *err)
{
    struct survey s = {.trace = trace, .changes = changes, .needs = needs, .buffered_init = -1};
    const struct mpg_event *e;
    uint64_t number = 0;
    *needs = (struct mpg_needs){0};
    if (mpg_trace_events(trace, rank) == 0)
        return explain_end(&s, rank, err);
    if (check_rank(trace, rank, err) < 0)
        return -1;
    struct mpg_cursor *c = mpg_cursor_open(trace, rank, err);
    int more = -1;
    while (c && !s.ended && (more = mpg_cursor_read(c, &e, err)) > 0) {
        if (survey_changed(&s, e, number, err) < 0)
            more = -1, s.ended = true;
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(c);
    if (more < 0)
        return -1;
    if (!s.began || !s.ended)
        return explain_end(&s, rank, err);
    settle_silent(&s);
    if (list_threads(&s, rank, err) < 0)
        return -1;
    *traced_ns = s.end_ns - s.begin_ns;
    return 0;
}

void mpg_needs_clear(struct mpg_needs *n)
{
    for (size_t i = 0; i < n->comms; i++)
        for (int k = 0; k < MPG_CONTRIBUTION_KINDS; k++)
            free(n->contributions[i][k].bytes);
    free(n->contributions);
    free(n->silent);
    free(n->named);
    free(n->thread);
    *n = (struct mpg_needs){0};
}
