/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/heap.h"

#include <stdbool.h>
#include <stdlib.h>

enum { CHILDREN = 4 };

/* Kind and id as one number, in the order of events of equal time. */
static inline uint64_t key_of(const struct event *e)
{
    return (uint64_t)e->kind << 32 | e->id;
}

/* Without branches, because a processor cannot predict the order of events. */
static inline bool is_before(const struct event *a, const struct event *b)
{
    const uint64_t x = key_of(a), y = key_of(b);
    return (a->at_ns < b->at_ns) | ((a->at_ns == b->at_ns) & ((x < y) | ((x == y) & (a->order < b->order))));
}

int mpg_events_push(struct heap *h, struct event event, struct mpg_error *err)
{
    if (h->n == h->capacity) {
        const size_t capacity = h->capacity ? 2 * h->capacity : 1024;
        void *grown = realloc(h->event, capacity * sizeof *h->event);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        h->event = grown;
        h->capacity = capacity;
    }
    event.order = h->count++;
    size_t i = h->n++;
    while (i > 0 && is_before(&event, &h->event[(i - 1) / CHILDREN])) {
        h->event[i] = h->event[(i - 1) / CHILDREN];
        i = (i - 1) / CHILDREN;
    }
    h->event[i] = event;
    return 0;
}

struct event mpg_events_pop(struct heap *h)
{
    const struct event first = h->event[0], last = h->event[--h->n];
    size_t i = 0;
    for (;;) {
        const size_t begin = CHILDREN * i + 1, end = begin + CHILDREN < h->n ? begin + CHILDREN : h->n;
        size_t min = begin;
        if (begin >= h->n)
            break;
        for (size_t k = begin + 1; k < end; k++)
            min = is_before(&h->event[k], &h->event[min]) ? k : min;
        if (!is_before(&h->event[min], &last))
            break;
        h->event[i] = h->event[min];
        i = min;
    }
    if (h->n > 0)
        h->event[i] = last;
    return first;
}

void mpg_events_clear(struct heap *h)
{
    free(h->event);
    *h = (struct heap){0};
}
