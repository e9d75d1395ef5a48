/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes and matched receives. */
#include "replay/enact/player.h"

#include <stdlib.h>

/* A message found by a matched probe and not yet received. */
struct play_matched {
    MPI_Message message;
    int64_t bytes, traced_bytes; /* size of the message here, and in the trace */
    bool other;                  /* another message than in the trace */
};

static int keep(struct player *p, int64_t id, MPI_Message message, const MPI_Status *status)
{
    struct play_matched *m = malloc(sizeof *m);
    uint64_t *place = m ? mpg_map_add(&p->shared->messages, (uint64_t)id, 0) : NULL;
    if (!place) {
        free(m);
        return play_fail(p, "out of memory");
    }
    const int64_t bytes = play_status_bytes(status);
    const struct mpg_event *e = &p->action->event;
    *m = (struct play_matched){message, bytes, e->bytes,
                               e->any && (status->MPI_SOURCE != e->from || status->MPI_TAG != e->tag)};
    if (m->other)
        deviations_hold(p, 1);
    *place = (uintptr_t)m;
    return 0;
}

static int probe(struct player *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->action->event;
    const int from = play_source(p, e, e->from), tag = play_tag(p, e, e->tag);
    const bool matched = p->action->kind == MPG_KIND_MPROBE;
    const bool asks = p->action->plain == MPG_CALL_Iprobe || p->action->plain == MPG_CALL_Improbe;
    int flag = 0, rc;
    if (asks && e->found) { /* a probe that succeeded in the trace waits for a message here */
        PMPI_Iprobe(from, tag, c->comm, &flag, MPI_STATUS_IGNORE);
        p->outcome.waited += !flag;
    } else
        flag = asks;
    MPI_Status status;
    if (!matched) {
        rc = PLAY_CALL(p, flag ? MPI_Iprobe(from, tag, c->comm, &flag, &status) : MPI_Probe(from, tag, c->comm, &status));
        p->found = flag != 0;
        if (play_check(p, rc) == 0 && e->any && (e->found || !asks))
            deviations_note_probe(p, e, &status);
        return play_check(p, rc);
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    p->found = false;
    if (!e->found) /* a matched probe would have to receive a message found here, so a probe that failed in the trace uses
                      the communicator without messages */
        return play_check(p, PLAY_CALL(p, MPI_Improbe(from, tag, c->silent, &flag, &message, &status)));
    rc = PLAY_CALL(p, flag ? MPI_Improbe(from, tag, c->comm, &flag, &message, &status)
              : MPI_Mprobe(from, tag, c->comm, &message, &status));
    if (play_check(p, rc) < 0 || (e->any && deviations_note(p, e->comm, e->from, e->tag, &status) < 0))
        return -1;
    return keep(p, e->message, message, &status);
}

static int receive_matched(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    const bool posts = p->action->kind == MPG_KIND_IMRECV;
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    struct play_request *r = posts ? play_new_request(p, e->requests[0], true) : NULL;
    const uint64_t *place;
    do
        place = e->message > 0 ? mpg_map_find(&p->shared->messages, (uint64_t)e->message, 0) : NULL;
    while (e->message > 0 && !place && threads_wait(p, THREADS_ALL));
    if (posts && !r)
        return -1;
    if (e->message > 0 && !place) {
        if (r)
            r->elapse_only = true;
        play_elapse(p);
        return 0;
    }
    int64_t bytes = e->bytes;
    bool other = false;
    if (place) {
        struct play_matched *m = (struct play_matched *)(uintptr_t)*place;
        message = m->message;
        other = m->other;
        bytes = bytes == m->traced_bytes || bytes < m->bytes ? m->bytes : bytes;
        free(m);
        mpg_map_remove(&p->shared->messages, (uint64_t)e->message, 0);
    }
    void *at = play_receive_buffer(p, bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    rc = PLAY_CALL(p, posts ? MPI_Imrecv(at, count, type, &message, &r->handle)
               : MPI_Mrecv(at, count, type, &message, MPI_STATUS_IGNORE));
    play_type_end(&type);
    if (other)
        deviations_hold(p, -1);
    return play_check(p, rc);
}

int play_probe(struct player *p)
{
    const enum mpg_kind kind = p->action->kind;
    if (kind == MPG_KIND_MRECV || kind == MPG_KIND_IMRECV)
        return receive_matched(p);
    struct play_comm *c = play_comm(p, p->action->event.comm);
    if (!c)
        return -1;
    if (!c->elapse_only)
        return probe(p, c);
    play_elapse(p);
    return 0;
}
