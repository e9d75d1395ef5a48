/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deviations of message matching from the trace. A receive or probe with a wildcard may take another message than
 * in the trace. A later receive that names the source of a message already taken would wait for ever. It takes a
 * substitute instead: a message that the trace has received by now and this run has not. Such a message exists and
 * arrives, because its send depends on no receive that was still to come in the trace. Ranks with several threads
 * are not handled. */
#include "replay/enact/play.h"

#include <stdlib.h>

/* Number of messages from one source and tag that this run has received more than the trace at the same call;
   negative: fewer. */
struct excess {
    int32_t comm, from, tag;
    int64_t n;
};

/* A posted wildcard receive whose message is not yet known. */
struct play_open {
    struct play_request *owner;
    int32_t comm, from, tag; /* received in the trace */
    int source, with_tag;    /* arguments of the receive */
    size_t place;            /* index in the list */
};

struct play_taken {
    struct excess *excess;
    size_t excesses, excess_room;
    struct play_open **open;
    size_t opens, open_room;
    int held;
    struct excess told, found; /* last wildcard probe that found another message: traced and actual; told.n = 0: none */
};

int taken_new(struct play *p)
{
    if (p->all->crew || p->stage->deterministic || !p->stage->needs->wildcards)
        return 0;
    p->all->taken = calloc(1, sizeof *p->all->taken);
    return p->all->taken ? 0 : play_fail(p, "out of memory");
}

static bool grow(struct play *p, void **list, size_t *room, size_t n, size_t size)
{
    enum { LEAST = 16 };
    if (n < *room)
        return true;
    void *more = realloc(*list, (2 * *room + LEAST) * size);
    if (!more) {
        play_fail(p, "out of memory");
        return false;
    }
    *list = more;
    *room = 2 * *room + LEAST;
    return true;
}

static struct excess *find(const struct play_taken *t, int32_t comm, int32_t from, int32_t tag)
{
    for (size_t i = 0; i < t->excesses; i++)
        if (t->excess[i].comm == comm && t->excess[i].from == from && t->excess[i].tag == tag)
            return &t->excess[i];
    return NULL;
}

static int64_t excess_of(const struct play_taken *t, int32_t comm, int32_t from, int32_t tag)
{
    const struct excess *x = find(t, comm, from, tag);
    return x ? x->n : 0;
}

static int add(struct play *p, int32_t comm, int32_t from, int32_t tag, int64_t n)
{
    struct play_taken *t = p->all->taken;
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

int taken_note(struct play *p, int32_t comm, int32_t from, int32_t tag, const MPI_Status *status)
{
    const int source = status->MPI_SOURCE, with = status->MPI_TAG;
    if (!p->all->taken || from < 0 || source < 0 || (from == source && tag == with))
        return 0;
    return add(p, comm, from, tag, -1) < 0 || add(p, comm, source, with, 1) < 0 ? -1 : 0;
}

void taken_found(struct play *p, const struct mpg_event *e, const MPI_Status *status)
{
    struct play_taken *t = p->all->taken;
    if (!t)
        return;
    t->told = (struct excess){e->comm, e->from, e->tag, status->MPI_SOURCE != e->from || status->MPI_TAG != e->tag};
    t->found = (struct excess){e->comm, status->MPI_SOURCE, status->MPI_TAG, 1};
}

/* --- posted receives --- */

int taken_post(struct play *p, struct play_request *r, const struct mpg_event *e, int32_t from, int32_t tag)
{
    struct play_taken *t = p->all->taken;
    if (!t || !e->any || r->cancels || from < 0)
        return 0;
    if (!grow(p, (void **)&t->open, &t->open_room, t->opens, sizeof *t->open))
        return -1;
    struct play_open *o = malloc(sizeof *o);
    if (!o)
        return play_fail(p, "out of memory");
    *o = (struct play_open){r,   e->comm, from, tag, play_source(p, e, e->from), play_tag(p, e, e->tag), t->opens};
    t->open[t->opens++] = o;
    r->open = o;
    return 0;
}

void taken_drop(struct play *p, struct play_request *r)
{
    struct play_taken *t = p->all->taken;
    if (!r->open)
        return;
    struct play_open *last = t->open[--t->opens];
    t->open[r->open->place] = last;
    last->place = r->open->place;
    free(r->open);
    r->open = NULL;
}

void taken_exchange(struct play_request *a, struct play_request *b)
{
    struct play_open *was = a->open;
    a->open = b->open;
    b->open = was;
    if (a->open)
        a->open->owner = a;
    if (b->open)
        b->open->owner = b;
}

int taken_complete(struct play *p, struct play_request *r, const MPI_Status *status)
{
    if (!r->open)
        return 0;
    const struct play_open o = *r->open;
    taken_drop(p, r);
    return taken_note(p, o.comm, o.from, o.tag, status);
}

/* Notes the messages of receives on COMM (negative: all) that could be completed now. */
static int settle(struct play *p, int32_t comm)
{
    struct play_taken *t = p->all->taken;
    for (size_t i = 0; i < t->opens;) {
        const struct play_open *o = t->open[i];
        MPI_Status status;
        int flag = 0;
        if (comm < 0 || o->comm == comm)
            play_get_status(o->owner, o->owner->handle, &flag, &status);
        if (!flag)
            i++;
        else if (taken_complete(p, o->owner, &status) < 0)
            return -1;
    }
    return 0;
}

/* Returns true if a posted wildcard receive could still take the message FROM, TAG. */
static bool fits_any(const struct play_taken *t, int32_t comm, int32_t from, int32_t tag)
{
    for (size_t i = 0; i < t->opens; i++) {
        const struct play_open *o = t->open[i];
        if (o->comm == comm && (o->source == MPI_ANY_SOURCE || o->source == from) &&
            (o->with_tag == MPI_ANY_TAG || o->with_tag == tag))
            return true;
    }
    return false;
}

bool taken_differs(const struct play *p)
{
    const struct play_taken *t = p->all->taken;
    return t && (t->opens > 0 || t->excesses > 0 || t->held > 0);
}

int taken_lacks(struct play *p)
{
    const struct play_taken *t = p->all->taken;
    if (!t)
        return 0;
    return settle(p, -1) < 0 ? -1 : t->excesses > 0 || t->held > 0; /* the sum of all excesses is 0 */
}

void taken_hold(struct play *p, int messages)
{
    if (p->all->taken)
        p->all->taken->held += messages;
}

/* --- substitutes --- */

/* Chooses a substitute: the message found by the last probe (PROBED), else a message with the same tag, among
 * these one that has arrived. */
static const struct excess *choose(const struct play_taken *t, MPI_Comm on, int32_t comm, int32_t tag, bool probed)
{
    const struct excess *best = NULL;
    int value = -1;
    for (size_t i = 0; i < t->excesses; i++) {
        const struct excess *x = &t->excess[i];
        int there = 0;
        if (x->comm != comm || x->n >= 0)
            continue;
        if (probed && x->from == t->found.from && x->tag == t->found.tag)
            return x;
        PMPI_Iprobe(x->from, x->tag, on, &there, MPI_STATUS_IGNORE);
        const int worth = 2 * (x->tag == tag) + (there != 0);
        if (worth > value) {
            best = x;
            value = worth;
        }
    }
    return best;
}

int taken_name(struct play *p, struct play_comm *c, const struct mpg_event *e, int32_t number, bool waits,
               struct play_name *name)
{
    struct play_taken *t = p->all->taken;
    const int32_t comm = e->comm, from = e->from;
    const struct excess *x;
    if (!t || e->any || from < 0 || (t->opens == 0 && t->excesses == 0))
        return 0;
    const bool probed =
        t->told.n > 0 && t->told.comm == comm && t->told.from == from && t->told.tag == number;
    play_calls(p);
    for (int there = 0; excess_of(t, comm, from, number) <= 0;) {
        if (settle(p, comm) < 0)
            return -1;
        if (!fits_any(t, comm, from, number) || there || !(waits || probed))
            break;
        if (excess_of(t, comm, from, number) <= 0)
            PMPI_Iprobe(from, number, c->comm, &there, MPI_STATUS_IGNORE);
    }
    if (probed)
        t->told.n = 0;
    if (excess_of(t, comm, from, number) <= 0 || !(x = choose(t, c->comm, comm, number, probed)))
        return 0;
    *name = (struct play_name){x->from, x->tag, true};
    const MPI_Status status = {.MPI_SOURCE = name->source, .MPI_TAG = name->tag};
    return taken_note(p, comm, from, number, &status);
}
