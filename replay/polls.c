/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/polls.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_REPETITIONS = 1 << 20 };

/* Returns whether EVENT is a poll: an unsuccessful test or probe. */
static bool is_poll(const struct mpg_event *e)
{
    switch (mpg_call_plain(e->call)) {
    case MPG_CALL_Test:
    case MPG_CALL_Testall:
    case MPG_CALL_Testany:
    case MPG_CALL_Testsome:
        return !e->failed && !e->done_all && e->done_number == 0 && e->request_number > 0 &&
               e->request_number <= MPG_POLLS_REQUESTS;
    case MPG_CALL_Iprobe:
    case MPG_CALL_Improbe:
        return !e->failed && !e->found;
    default:
        return false;
    }
}

static bool is_same(const struct mpg_event *a, const struct mpg_event *b)
{
    return a->call == b->call && a->site == b->site && a->comm == b->comm && a->from == b->from &&
           a->tag == b->tag && a->any == b->any && a->request_number == b->request_number &&
           (a->request_number == 0 ||
            memcmp(a->requests, b->requests, a->request_number * sizeof *a->requests) == 0);
}

static bool add(struct mpg_polls *p, uint64_t number, int which, int64_t before_ns)
{
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 256;
        struct mpg_repetition *grown = capacity <= MAX_REPETITIONS ? realloc(p->repetition, capacity * sizeof *grown) : NULL;
        if (!grown)
            return false; /* the run is full: EVENT becomes an ordinary call */
        p->repetition = grown;
        p->capacity = capacity;
    }
    if (p->count == 0)
        p->number = number;
    p->repetition[p->count++] = (struct mpg_repetition){(uint16_t)before_ns, (uint8_t)which};
    return true;
}

bool mpg_polls_join(struct mpg_polls *p, const struct mpg_event *e, uint64_t number, int64_t before_ns)
{
    if (p->n == 0 || before_ns > MPG_POLLS_INTERVAL_NS || !is_poll(e))
        return false;
    for (int i = 0; i < p->n; i++)
        if (is_same(&p->known[i].event, e))
            return add(p, number, i, before_ns);
    return false;
}

int mpg_polls_success(const struct mpg_polls *p, const struct mpg_event *e)
{
    for (int i = 0; i < p->n && !is_poll(e); i++)
        if (p->known[i].event.call == e->call && p->known[i].event.site == e->site)
            return i;
    return -1;
}

void mpg_polls_close(struct mpg_polls *p, const struct mpg_event *e)
{
    if (p->count > 0 || !is_poll(e) || p->n == MPG_POLLS_KINDS)
        p->n = 0;
    p->count = 0;
    if (!is_poll(e))
        return;
    struct mpg_poll *own = &p->known[p->n++];
    own->event = *e;
    if (e->request_number > 0)
        memcpy(own->requests, e->requests, e->request_number * sizeof *e->requests);
    own->event.requests = own->requests;
}

void mpg_polls_clear(struct mpg_polls *p)
{
    free(p->repetition);
    *p = (struct mpg_polls){.n = 0};
}
