/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accounts for messages taken by another receive than in the trace. A receive or probe with a wildcard may take another
 * message here. A later receive that names the message's source would wait for ever, so the receive takes a substitute: a
 * message that the traced run had received by then and this run has not. The substitute exists and will arrive, because
 * its send depends on no receive that came later in the trace. Only for ranks with a single thread. */
#include "replay/enact/player.h"

#include <stdlib.h>

/* Number of messages of a communicator, source and tag received by this run, minus the number that the traced run had
 * received at the same call. */
struct excess {
    int32_t comm, from, tag;
    int64_t n;
};

/* A posted receive with a wildcard whose message is not known yet. */
struct play_wildcard {
    struct play_request *owner;
    int32_t comm, from, tag; /* communicator, and source and tag of the message in the trace */
    int source, with_tag;    /* source and tag arguments of the posted receive */
    size_t place;            /* index in play_deviations.pending */
};

struct play_deviations {
    struct excess *excess;
    size_t excesses, excess_room;
    struct play_wildcard **pending;
    size_t pending_number, pending_room;
    int held; /* number of substitutes found by matched probes and not yet received */
    struct excess traced, found; /* for the last wildcard probe: the message in the trace, and the message found here;
                                    traced.n = 0: the messages are equal, or there was no probe */
};

int deviations_new(struct player *p)
{
    if (p->shared->threads || p->host->deterministic || !p->host->needs->wildcards)
        return 0;
    p->shared->deviations = calloc(1, sizeof *p->shared->deviations);
    return p->shared->deviations ? 0 : play_fail(p, "out of memory");
}

static bool grow(struct player *p, void **list, size_t *room, size_t n, size_t size)
{
    enum { MIN_ROOM = 16 };
    if (n < *room)
        return true;
    void *more = realloc(*list, (2 * *room + MIN_ROOM) * size);
    if (!more) {
        play_fail(p, "out of memory");
        return false;
    }
    *list = more;
    *room = 2 * *room + MIN_ROOM;
    return true;
}

static struct excess *find(const struct play_deviations *t, int32_t comm, int32_t from, int32_t tag)
{
    for (size_t i = 0; i < t->excesses; i++)
        if (t->excess[i].comm == comm && t->excess[i].from == from && t->excess[i].tag == tag)
            return &t->excess[i];
    return NULL;
}

static int64_t excess_of(const struct play_deviations *t, int32_t comm, int32_t from, int32_t tag)
{
    const struct excess *x = find(t, comm, from, tag);
    return x ? x->n : 0;
}

static int add(struct player *p, int32_t comm, int32_t from, int32_t tag, int64_t n)
{
    struct play_deviations *t = p->shared->deviations;
    struct excess *x = find(t, comm, from, tag);
    if (!x) {
        if (!grow(p, (void **)&t->excess, &t->excess_room, t->excesses, sizeof *t->excess))
            return -1;
        x = &t->excess[t->excesses++];
        *x = (struct excess){comm, from, tag, 0};
    }
    x->n += n;
    if (x->n == 0)
        *x = t->excess[--t->excesses];
    return 0;
}

int deviations_note(struct player *p, int32_t comm, int32_t from, int32_t tag, const MPI_Status *status)
{
    const int source = status->MPI_SOURCE, with = status->MPI_TAG;
    if (!p->shared->deviations || from < 0 || source < 0 || (from == source && tag == with))
        return 0;
    return add(p, comm, from, tag, -1) < 0 || add(p, comm, source, with, 1) < 0 ? -1 : 0;
}

void deviations_note_probe(struct player *p, const struct mpg_event *e, const MPI_Status *status)
{
    struct play_deviations *t = p->shared->deviations;
    if (!t)
        return;
    t->traced = (struct excess){e->comm, e->from, e->tag, status->MPI_SOURCE != e->from || status->MPI_TAG != e->tag};
    t->found = (struct excess){e->comm, status->MPI_SOURCE, status->MPI_TAG, 1};
}

/* --- posted receives --- */

int deviations_post(struct player *p, struct play_request *r, const struct mpg_event *e, int32_t from, int32_t tag)
{
    struct play_deviations *t = p->shared->deviations;
    if (!t || !e->any || r->cancels || from < 0)
        return 0;
    if (!grow(p, (void **)&t->pending, &t->pending_room, t->pending_number, sizeof *t->pending))
        return -1;
    struct play_wildcard *o = malloc(sizeof *o);
    if (!o)
        return play_fail(p, "out of memory");
    *o = (struct play_wildcard){r,   e->comm, from, tag, play_source(p, e, e->from), play_tag(p, e, e->tag), t->pending_number};
    t->pending[t->pending_number++] = o;
    r->wildcard = o;
    return 0;
}

void deviations_drop(struct player *p, struct play_request *r)
{
    struct play_deviations *t = p->shared->deviations;
    if (!r->wildcard)
        return;
    struct play_wildcard *last = t->pending[--t->pending_number];
    t->pending[r->wildcard->place] = last;
    last->place = r->wildcard->place;
    free(r->wildcard);
    r->wildcard = NULL;
}

void deviations_exchange(struct play_request *a, struct play_request *b)
{
    struct play_wildcard *was = a->wildcard;
    a->wildcard = b->wildcard;
    b->wildcard = was;
    if (a->wildcard)
        a->wildcard->owner = a;
    if (b->wildcard)
        b->wildcard->owner = b;
}

int deviations_complete(struct player *p, struct play_request *r, const MPI_Status *status)
{
    if (!r->wildcard)
        return 0;
    const struct play_wildcard o = *r->wildcard;
    deviations_drop(p, r);
    return deviations_note(p, o.comm, o.from, o.tag, status);
}

/* Finds the wildcard receives posted on COMM (negative: on any) that MPI could complete now, and notes the received messages. */
static int settle(struct player *p, int32_t comm)
{
    struct play_deviations *t = p->shared->deviations;
    for (size_t i = 0; i < t->pending_number;) {
        const struct play_wildcard *o = t->pending[i];
        MPI_Status status;
        int flag = 0;
        if (comm < 0 || o->comm == comm)
            play_get_status(o->owner, o->owner->handle, &flag, &status);
        if (!flag)
            i++;
        else if (deviations_complete(p, o->owner, &status) < 0)
            return -1;
    }
    return 0;
}

/* Returns whether a posted wildcard receive could still take a message of COMM, FROM and TAG. */
static bool fits_any(const struct play_deviations *t, int32_t comm, int32_t from, int32_t tag)
{
    for (size_t i = 0; i < t->pending_number; i++) {
        const struct play_wildcard *o = t->pending[i];
        if (o->comm == comm && (o->source == MPI_ANY_SOURCE || o->source == from) &&
            (o->with_tag == MPI_ANY_TAG || o->with_tag == tag))
            return true;
    }
    return false;
}

bool deviations_possible(const struct player *p)
{
    const struct play_deviations *t = p->shared->deviations;
    return t && (t->pending_number > 0 || t->excesses > 0 || t->held > 0);
}

int deviations_unresolved(struct player *p)
{
    const struct play_deviations *t = p->shared->deviations;
    if (!t)
        return 0;
    return settle(p, -1) < 0 ? -1 : t->excesses > 0 || t->held > 0; /* the sum of all excesses is 0: if there is an excess, some
                                                                       message is missing */
}

void deviations_hold(struct player *p, int messages)
{
    if (p->shared->deviations)
        p->shared->deviations->held += messages;
}

/* --- substitutes --- */

/* Returns the message to receive as a substitute on COMM: if PROBED, the message found by the last probe; else a message
 * with TAG if possible, preferably a message that has arrived. NULL: none is missing. */
static const struct excess *choose(const struct play_deviations *t, MPI_Comm on, int32_t comm, int32_t tag, bool probed)
{
    const struct excess *best = NULL;
    int value = -1;
    for (size_t i = 0; i < t->excesses; i++) {
        const struct excess *x = &t->excess[i];
        int arrived = 0;
        if (x->comm != comm || x->n >= 0)
            continue;
        if (probed && x->from == t->found.from && x->tag == t->found.tag)
            return x;
        PMPI_Iprobe(x->from, x->tag, on, &arrived, MPI_STATUS_IGNORE);
        const int worth = 2 * (x->tag == tag) + (arrived != 0);
        if (worth > value) {
            best = x;
            value = worth;
        }
    }
    return best;
}

int deviations_substitute(struct player *p, struct play_comm *c, const struct mpg_event *e, int32_t number, bool waits,
               struct play_envelope *envelope)
{
    struct play_deviations *t = p->shared->deviations;
    const int32_t comm = e->comm, from = e->from;
    const struct excess *x;
    if (!t || e->any || from < 0 || (t->pending_number == 0 && t->excesses == 0))
        return 0;
    const bool probed =
        t->traced.n > 0 && t->traced.comm == comm && t->traced.from == from && t->traced.tag == number;
    play_note_call(p);
    for (int arrived = 0; excess_of(t, comm, from, number) <= 0;) {
        if (settle(p, comm) < 0)
            return -1;
        if (!fits_any(t, comm, from, number) || arrived || !(waits || probed))
            break;
        if (excess_of(t, comm, from, number) <= 0)
            PMPI_Iprobe(from, number, c->comm, &arrived, MPI_STATUS_IGNORE);
    }
    if (probed)
        t->traced.n = 0;
    if (excess_of(t, comm, from, number) <= 0 || !(x = choose(t, c->comm, comm, number, probed)))
        return 0;
    *envelope = (struct play_envelope){x->from, x->tag, true};
    const MPI_Status status = {.MPI_SOURCE = envelope->source, .MPI_TAG = envelope->tag};
    return deviations_note(p, comm, from, number, &status);
}
