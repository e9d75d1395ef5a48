/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches receives from any source, or with any tag, with the sends that fit. */
#include "trace/foreign/wildcards.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

/* Maximum number of sends examined for a receive; keeps the time linear even for a malicious trace. */
enum { MAX_LOOKS = 4096 };

struct message {
    int32_t comm, to, from, tag; /* receives: FROM and TAG are -1 for any */
    int64_t at_ns;               /* sends: time on the common clock; receives: number in posting order */
    size_t order;                /* sends: order among sends of one time */
};

struct list {
    struct message *items;
    size_t n, capacity;
};

struct mpg_wildcards {
    struct list sends, receives;
    int32_t *found; /* source and tag of the send found, two entries for each receive; tag -1: none found */
};

struct mpg_wildcards *mpg_wildcards_new(void)
{
    return calloc(1, sizeof(struct mpg_wildcards));
}

void mpg_wildcards_free(struct mpg_wildcards *w)
{
    if (!w)
        return;
    free(w->sends.items);
    free(w->receives.items);
    free(w->found);
    free(w);
}

static int add(struct list *l, const struct message *m, struct mpg_error *err)
{
    if (l->n == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 256;
        struct message *grown = realloc(l->items, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        l->items = grown;
        l->capacity = capacity;
    }
    l->items[l->n++] = *m;
    return 0;
}

int mpg_wildcards_send(struct mpg_wildcards *w, int32_t comm, int32_t from, int32_t to, int32_t tag, int64_t at_ns,
                       struct mpg_error *err)
{
    const struct message m = {comm, to, from, tag, at_ns, w->sends.n};
    return add(&w->sends, &m, err);
}

int mpg_wildcards_receive(struct mpg_wildcards *w, int32_t comm, int32_t from, int32_t to, int32_t tag, struct mpg_error *err)
{
    const struct message m = {comm, to, from, tag, (int64_t)w->receives.n, 0};
    return add(&w->receives, &m, err);
}

/* Orders messages by communicator and receiving rank, then by time (sends) or number (receives), then by source. */
static int compare(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->comm != y->comm)
        return (x->comm > y->comm) - (x->comm < y->comm);
    if (x->to != y->to)
        return (x->to > y->to) - (x->to < y->to);
    if (x->at_ns != y->at_ns)
        return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->order > y->order) - (x->order < y->order);
}

/* The free sends (taken by no receive) to a rank of a communicator: a list in the order of time. */
struct receiver {
    const struct message *sends, *receives;
    size_t send_number, receive_number;
    /* By send: the next and the previous free send; FIRST: the first free send; SEND_NUMBER: there is none. */
    size_t *next, *previous, first;
    size_t *chain;         /* by send: the next send with equal source and tag */
    /* (source, tag) -> lower half: number of free sends; upper half: number of later receives with this named source and tag. */
    struct mpg_map queues;
    struct mpg_map heads;  /* (source, tag) -> 1 + index of the first free send */
};

static uint64_t *queue_of(struct receiver *r, int32_t from, int32_t tag)
{
    return mpg_map_add(&r->queues, (uint32_t)from, (uint32_t)tag);
}

static void take(struct receiver *r, size_t i)
{
    uint64_t *queue = mpg_map_find(&r->queues, (uint32_t)r->sends[i].from, (uint32_t)r->sends[i].tag);
    uint64_t *head = mpg_map_find(&r->heads, (uint32_t)r->sends[i].from, (uint32_t)r->sends[i].tag);
    if (queue)
        --*queue;
    if (head)
        *head = r->chain[i] < r->send_number ? r->chain[i] + 1 : 0;
    if (r->previous[i] == r->send_number)
        r->first = r->next[i];
    else
        r->next[r->previous[i]] = r->next[i];
    if (r->next[i] < r->send_number)
        r->previous[r->next[i]] = r->previous[i];
}

static bool is_named(const struct message *receive)
{
    return receive->from >= 0 && receive->tag >= 0;
}

/* Returns whether SEND can be given to a wildcard receive: there are more free sends with SEND's source and tag than
 * later receives that name both. */
static bool is_spare(const struct receiver *r, const struct message *send)
{
    const uint64_t *queue = mpg_map_find(&r->queues, (uint32_t)send->from, (uint32_t)send->tag);
    return !queue || (uint32_t)*queue > *queue >> 32;
}

/* Returns the index of the send for receive M; r->send_number: there is none. */
static size_t find(const struct receiver *r, const struct message *m)
{
    size_t looks = 0;
    const uint64_t *head = is_named(m) ? mpg_map_find(&r->heads, (uint32_t)m->from, (uint32_t)m->tag) : NULL;
    if (is_named(m))
        return head && *head > 0 ? *head - 1 : r->send_number;
    for (size_t i = r->first; i < r->send_number && looks < MAX_LOOKS; i = r->next[i], looks++) {
        const struct message *s = &r->sends[i];
        if ((m->from < 0 || m->from == s->from) && (m->tag < 0 || m->tag == s->tag) && is_spare(r, s))
            return i;
    }
    return r->send_number;
}

static bool prepare(struct receiver *r)
{
    r->next = malloc((r->send_number + 1) * sizeof *r->next);
    r->previous = malloc((r->send_number + 1) * sizeof *r->previous);
    r->chain = malloc((r->send_number + 1) * sizeof *r->chain);
    if (!r->next || !r->previous || !r->chain)
        return false;
    for (size_t i = r->send_number; i-- > 0;) {
        uint64_t *head = mpg_map_add(&r->heads, (uint32_t)r->sends[i].from, (uint32_t)r->sends[i].tag);
        if (!head)
            return false;
        r->chain[i] = *head > 0 ? *head - 1 : r->send_number;
        *head = i + 1;
    }
    for (size_t i = 0; i < r->send_number; i++) {
        uint64_t *queue = queue_of(r, r->sends[i].from, r->sends[i].tag);
        if (!queue)
            return false;
        ++*queue;
        r->next[i] = i + 1;
        r->previous[i] = i > 0 ? i - 1 : r->send_number;
    }
    for (size_t i = 0; i < r->receive_number; i++) {
        const struct message *m = &r->receives[i];
        uint64_t *queue = is_named(m) ? queue_of(r, m->from, m->tag) : NULL;
        if (queue)
            *queue += UINT64_C(1) << 32;
    }
    return true;
}

static int resolve_receiver(struct mpg_wildcards *w, struct receiver *r, struct mpg_error *err)
{
    const bool ready = prepare(r);
    for (size_t k = 0; ready && k < r->receive_number; k++) {
        const struct message *m = &r->receives[k];
        const size_t i = find(r, m);
        int32_t *found = w->found + 2 * m->at_ns;
        uint64_t *queue = is_named(m) ? queue_of(r, m->from, m->tag) : NULL;
        found[1] = -1;
        if (queue)
            *queue -= UINT64_C(1) << 32;
        if (i == r->send_number)
            continue;
        found[0] = r->sends[i].from;
        found[1] = r->sends[i].tag;
        take(r, i);
    }
    free(r->next);
    free(r->previous);
    free(r->chain);
    mpg_map_clear(&r->queues);
    mpg_map_clear(&r->heads);
    return ready ? 0 : mpg_error_set(err, "out of memory");
}

/* Returns how many items of L, from index I on, have the communicator and receiving rank of M. */
static size_t count_like(const struct list *l, size_t i, const struct message *m)
{
    size_t n = 0;
    while (i + n < l->n && l->items[i + n].comm == m->comm && l->items[i + n].to == m->to)
        n++;
    return n;
}

int mpg_wildcards_resolve(struct mpg_wildcards *w, struct mpg_error *err)
{
    if (w->receives.n == 0)
        return 0;
    w->found = malloc(2 * w->receives.n * sizeof *w->found);
    if (!w->found)
        return mpg_error_set(err, "out of memory");
    if (w->sends.n > 0)
        qsort(w->sends.items, w->sends.n, sizeof *w->sends.items, compare);
    qsort(w->receives.items, w->receives.n, sizeof *w->receives.items, compare);
    for (size_t i = 0, s = 0; i < w->receives.n;) {
        const struct message *m = &w->receives.items[i];
        struct message min = *m;
        min.at_ns = INT64_MIN;
        while (s < w->sends.n && compare(&w->sends.items[s], &min) < 0)
            s++;
        struct receiver r = {.sends = w->sends.n > 0 ? w->sends.items + s : NULL, .receives = m,
                             .send_number = count_like(&w->sends, s, m), .receive_number = count_like(&w->receives, i, m)};
        i += r.receive_number;
        if (resolve_receiver(w, &r, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_wildcards_get(const struct mpg_wildcards *w, size_t number, int32_t *from, int32_t *tag)
{
    if (number >= w->receives.n || w->found[2 * number + 1] < 0)
        return -1;
    *from = w->found[2 * number];
    *tag = w->found[2 * number + 1];
    return 0;
}
