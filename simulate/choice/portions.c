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
    uint32_t *number;      /* n */
    uint32_t numbers;
};

struct mpg_portions {
    uint32_t lanes, streams;
    uint32_t *numbers;
    struct portions *stream;
};

struct mpg_portions *mpg_portions_new(uint32_t lanes, uint32_t *numbers, struct mpg_error *err)
{
    struct mpg_portions *p = calloc(1, sizeof *p);
    if (p)
        *p = (struct mpg_portions){.lanes = lanes, .numbers = numbers};
    else
        mpg_error_set(err, "out of memory");
    return p;
}

void mpg_portions_free(struct mpg_portions *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->streams; i++) {
        free(p->stream[i].owed);
        free(p->stream[i].number);
    }
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
    if (s->alternatives->portions > q->numbers) {
        uint32_t *number = realloc(q->number, s->alternatives->portions * sizeof *number);
        if (!number)
            return -1;
        for (; q->numbers < s->alternatives->portions; q->numbers++)
            number[q->numbers] = (*p->numbers)++;
        q->number = number;
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
        q->n = s->alternatives->portions;
        q->calls_each = s->alternatives->portion_calls;
        q->interval = s->alternatives->portion_interval;
        q->ends = s->alternatives->portion_ends;
        q->calls = 0;
        q->is_new = true;
        for (size_t i = 0; i < (size_t)p->lanes * q->n; i++)
            q->owed[i] = (struct mpg_owed){.at_ns = -INFINITY};
    }
    return q->owed + (size_t)lane * q->n;
}

uint32_t mpg_portions_number(const struct mpg_portions *p, uint32_t stream, uint32_t i)
{
    return p->stream[stream].number[i];
}

void mpg_portions_mark(const struct mpg_portions *p, void (*mark)(void *context, uint32_t number, uint32_t w, bool bare),
                       void *context)
{
    for (uint32_t i = 0; i < p->streams; i++) {
        const struct portions *q = &p->stream[i];
        for (uint32_t w = 0; w < p->lanes; w++)
            for (uint32_t k = 0; k < q->n; k++)
                if (q->owed[(size_t)w * q->n + k].at_ns > -INFINITY)
                    mark(context, q->number[k], w, false);
    }
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

/* In lane W Q's portion WHICH, before which PART of the interval is over, moved its stream. */
static void say(const struct portions *q, uint32_t w, uint32_t which, double part, struct mpg_portioned *moved)
{
    if (moved)
        moved[w] = (struct mpg_portioned){true, q->number[which], q->owed[(size_t)w * q->n + which].value, part};
}

static void say_none(const struct mpg_portions *p, struct mpg_portioned *moved)
{
    for (uint32_t w = 0; w < p->lanes && moved; w++)
        moved[w].moved = false;
}

bool mpg_portions_begin(struct mpg_portions *p, uint32_t stream, bool absolute, double *value,
                        double *waited, struct mpg_portioned *moved)
{
    struct portions *q = find(p, stream);
    bool any = false;
    if (!q || q->ends || q->calls_each == 0 || q->calls % q->calls_each != 0)
        return false;
    const uint32_t which = (uint32_t)(q->calls / q->calls_each);
    const double base_ns = absolute ? 0 : q->leave_ns;
    say_none(p, moved);
    for (uint32_t w = 0; w < p->lanes && which > 0; w++) {
        const double least = q->owed[(size_t)w * q->n + which].at_ns - base_ns;
        if (!(least > value[w]))
            continue;
        say(q, w, which, 0, moved);
        any = true;
        if (waited)
            waited[w] += least - value[w];
        value[w] = least;
    }
    if (which + 1 == q->n)
        q->n = 0;
    return any;
}

bool mpg_portions_divide(const struct mpg_portions *p, uint32_t stream)
{
    const struct portions *q = find(p, stream);
    if (!q || q->calls_each == 0)
        return q && q->calls == q->interval;
    return q->ends && q->calls > 0 && q->calls % q->calls_each == 0;
}

bool mpg_portions_within(struct mpg_portions *p, uint32_t stream, bool absolute, double length_ns,
                         const double *before, double *value, double *waited, struct mpg_portioned *moved)
{
    struct portions *q = find(p, stream);
    const double base_ns = absolute ? 0 : q->leave_ns;
    const uint32_t first = q->ends ? (uint32_t)(q->calls / q->calls_each) : 1;
    const uint32_t end = q->ends ? first + 1 : q->n;
    bool any = false;
    say_none(p, moved);
    for (uint32_t w = 0; w < p->lanes; w++) {
        double waited_ns = 0;
        for (uint32_t which = first; which < end; which++) {
            const double part = q->ends ? 1 : (double)which / q->n;
            const double at_ns = base_ns + part * length_ns + before[w] +
                                 part * (value[w] - before[w]) + waited_ns;
            const double least_ns = q->owed[(size_t)w * q->n + which].at_ns;
            if (!(least_ns > at_ns))
                continue;
            say(q, w, which, part, moved);
            any = true;
            waited_ns += least_ns - at_ns;
        }
        value[w] += waited_ns;
        if (waited)
            waited[w] += waited_ns;
    }
    if (end == q->n)
        q->n = 0;
    return any;
}
