/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/choice/portions.h"

#include <math.h>
#include <stdlib.h>

/* Of one stream. */
struct portions {
    uint32_t n;          /* how many; 0: it has none now */
    uint32_t calls_each; /* of each; 0: they divide one interval, */
    uint64_t interval;   /* before which there are so many calls */
    bool ends;           /* else, each has the intervals after its calls */
    uint64_t calls;      /* left since they began */
    bool is_new;         /* the call that they follow is still being left */
    double leave_ns;     /* of the last call, aligned */
    struct mpg_owed *owed; /* lanes x n */
    size_t capacity;
};

struct mpg_portions {
    uint32_t lanes, streams;
    struct portions *stream;
};

struct mpg_portions *mpg_portions_new(uint32_t lanes, struct mpg_error *err)
{
    struct mpg_portions *p = calloc(1, sizeof *p);
    if (p)
        p->lanes = lanes;
    else
        mpg_error_set(err, "out of memory");
    return p;
}

void mpg_portions_free(struct mpg_portions *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->streams; i++)
        free(p->stream[i].owed);
    free(p->stream);
    free(p);
}

/* STREAM's, if it has any now. */
static struct portions *find(const struct mpg_portions *p, uint32_t stream)
{
    return stream < p->streams && p->stream[stream].n > 0 ? &p->stream[stream] : NULL;
}

static int reserve(struct mpg_portions *p, const struct mpg_step *s)
{
    if (s->stream >= p->streams) {
        struct portions *grown = realloc(p->stream, (s->stream + 1) * sizeof *grown);
        if (!grown)
            return -1;
        for (uint32_t i = p->streams; i <= s->stream; i++)
            grown[i] = (struct portions){0};
        p->stream = grown;
        p->streams = s->stream + 1;
    }
    struct portions *q = &p->stream[s->stream];
    const size_t needed = (size_t)p->lanes * s->alternatives->portions;
    if (needed > q->capacity) {
        void *grown = realloc(q->owed, needed * sizeof *q->owed);
        if (!grown)
            return -1;
        q->owed = grown;
        q->capacity = needed;
    }
    return 0;
}

struct mpg_owed *mpg_portions_owe(struct mpg_portions *p, const struct mpg_step *s, uint32_t lane,
                                  struct mpg_error *err)
{
    if (reserve(p, s) < 0) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    struct portions *q = &p->stream[s->stream];
    if (!q->is_new) {
        struct mpg_owed *owed = q->owed;
        const size_t capacity = q->capacity;
        *q = (struct portions){.n = s->alternatives->portions, .calls_each = s->alternatives->portion_calls,
                               .interval = s->alternatives->portion_interval, .ends = s->alternatives->portion_ends,
                               .is_new = true, .owed = owed, .capacity = capacity};
        for (size_t i = 0; i < (size_t)p->lanes * q->n; i++)
            owed[i] = (struct mpg_owed){.at_ns = -INFINITY};
    }
    return q->owed + (size_t)lane * q->n;
}

void mpg_portions_leave(struct mpg_portions *p, const struct mpg_step *s)
{
    struct portions *q = find(p, s->stream);
    if (!q)
        return;
    q->calls += !q->is_new;
    q->is_new = false;
    q->leave_ns = s->leave_ns;
}

struct mpg_owed *mpg_portions_open(struct mpg_portions *p, uint32_t stream, uint32_t lane, uint32_t i)
{
    struct portions *q = find(p, stream);
    if (!q || q->is_new)
        return NULL;
    const uint64_t next = 1 + i + (q->calls_each ? q->calls / q->calls_each : 0);
    return next < q->n ? &q->owed[(size_t)lane * q->n + next] : NULL;
}

void mpg_portions_begin(struct mpg_portions *p, uint32_t stream, bool absolute, double *value,
                        double *waited)
{
    struct portions *q = find(p, stream);
    if (!q || q->ends || q->calls_each == 0 || q->calls % q->calls_each != 0)
        return;
    const uint64_t which = q->calls / q->calls_each;
    const double base_ns = absolute ? 0 : q->leave_ns;
    for (uint32_t w = 0; w < p->lanes && which > 0; w++) {
        const double least = q->owed[(size_t)w * q->n + which].at_ns - base_ns;
        if (waited)
            waited[w] += least > value[w] ? least - value[w] : 0;
        value[w] = least > value[w] ? least : value[w];
    }
    if (which + 1 == q->n)
        q->n = 0;
}

bool mpg_portions_divide(const struct mpg_portions *p, uint32_t stream)
{
    const struct portions *q = find(p, stream);
    if (!q || q->calls_each == 0)
        return q && q->calls == q->interval;
    return q->ends && q->calls > 0 && q->calls % q->calls_each == 0;
}

void mpg_portions_within(struct mpg_portions *p, uint32_t stream, bool absolute, double length_ns,
                         const double *before, double *value, double *waited)
{
    struct portions *q = find(p, stream);
    const double base_ns = absolute ? 0 : q->leave_ns;
    const uint32_t first = q->ends ? (uint32_t)(q->calls / q->calls_each) : 1;
    const uint32_t end = q->ends ? first + 1 : q->n;
    for (uint32_t w = 0; w < p->lanes; w++) {
        double waited_ns = 0;
        for (uint32_t which = first; which < end; which++) {
            const double part = q->ends ? 1 : (double)which / q->n;
            const double at_ns = base_ns + part * length_ns + before[w] +
                                 part * (value[w] - before[w]) + waited_ns;
            const double least_ns = q->owed[(size_t)w * q->n + which].at_ns;
            waited_ns += least_ns > at_ns ? least_ns - at_ns : 0;
        }
        value[w] += waited_ns;
        if (waited)
            waited[w] += waited_ns;
    }
    if (end == q->n)
        q->n = 0;
}
