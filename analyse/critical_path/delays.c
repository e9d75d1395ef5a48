/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of waits, after the delay analysis of Böhme, Geimer, Arnold, Voigtlaender, Wolf: Identifying the root causes of wait
 * states in large-scale parallel applications, ICPP 2010. When a rank waits for another one, what the late rank did more of
 * than the waiting rank since both last synchronized, by computation before each callsite, caused the wait, each in its
 * proportion. More waiting of the late rank passes the cause on to the ranks for which the late rank waited; it has a row.
 *
 * Each stream keeps its last RECENT intervals; older ones count for neither rank. */
#include <math.h>
#include <stdlib.h>

#include "analyse/critical_path/path.h"
#include "common/reserve.h"

enum { RECENT = 1024 };

/* An interval, and the call at its end. */
struct interval {
    uint32_t place; /* index of the call and callsite that follow */
    double compute_ns, mpi_ns, wait_ns;
};

struct recent {
    struct interval *interval; /* by position modulo RECENT */
    uint64_t position;         /* number of intervals so far */
    int32_t rank;
};

/* The difference of two ranks at one place. */
struct excess {
    uint32_t place;
    double ns;
};

struct delays {
    struct recent *stream;
    struct mpg_call_site *place;
    struct excess *excess; /* by place, of one wait */
    uint32_t *touched;     /* places with an excess */
    struct delay_cause *cause;
    uint32_t streams, places, touches, causes, stream_capacity, place_capacity, excess_capacity, touched_capacity, cause_capacity;
    struct mpg_map place_index, cause_index; /* (site, call); (rank, kind and place) -> index + 1 */
    struct mpg_map synchronized; /* (stream, other stream) -> position of the stream when it last heard of the other */
    struct mpg_map heard;        /* likewise -> the position of the other that it heard of */
};

struct delays *mpg_delays_new(struct mpg_error *err)
{
    struct delays *d = calloc(1, sizeof *d);
    if (!d)
        mpg_error_set(err, "out of memory");
    return d;
}

const char *mpg_delay_kind_key(enum delay_kind kind)
{
    static const char *const keys[] = {"computation", "mpi", "waiting", "unknown"};
    return keys[kind];
}

void mpg_delays_restart(struct delays *d)
{
    for (uint32_t i = 0; i < d->streams; i++)
        d->stream[i].position = 0;
    d->causes = 0;
    mpg_map_clear(&d->cause_index);
    mpg_map_clear(&d->synchronized);
    mpg_map_clear(&d->heard);
}

void mpg_delays_free(struct delays *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; i < d->streams; i++)
        free(d->stream[i].interval);
    mpg_map_clear(&d->place_index);
    mpg_map_clear(&d->cause_index);
    mpg_map_clear(&d->synchronized);
    mpg_map_clear(&d->heard);
    free(d->stream);
    free(d->place);
    free(d->excess);
    free(d->touched);
    free(d->cause);
    free(d);
}

/* ---- intervals ---- */

/* Returns the stream's entry, or NULL with ERR: no memory. */
static struct recent *find_stream(struct delays *d, uint32_t stream, struct mpg_error *err)
{
    if (mpg_reserve_at(&d->stream, sizeof *d->stream, &d->stream_capacity, stream + 1, err) < 0)
        return NULL;
    if (stream >= d->streams)
        d->streams = stream + 1;
    struct recent *s = &d->stream[stream];
    if (!s->interval && !(s->interval = calloc(RECENT, sizeof *s->interval))) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    return s;
}

int mpg_delays_enter(struct delays *d, const struct mpg_step *step, struct mpg_error *err)
{
    struct recent *s = find_stream(d, step->stream, err);
    uint64_t *index = s ? mpg_map_add(&d->place_index, step->to.site, step->to.call) : NULL;
    if (!s)
        return -1;
    if (!index)
        return mpg_error_set(err, "out of memory");
    if (*index == 0) {
        if (mpg_reserve_at(&d->place, sizeof *d->place, &d->place_capacity, d->places + 1, err) < 0 ||
            mpg_reserve_at(&d->excess, sizeof *d->excess, &d->excess_capacity, d->places + 1, err) < 0)
            return -1;
        d->place[d->places] = step->to;
        *index = ++d->places;
    }
    s->rank = step->rank;
    s->interval[++s->position % RECENT] =
        (struct interval){.place = (uint32_t)*index - 1, .compute_ns = (double)step->interval_ns};
    return 0;
}

/* ---- a wait ---- */

struct parts {
    double mpi_ns, wait_ns;
};

/* Adds FACTOR times the intervals of S after position SINCE up to the one before the call at UNTIL, and the calls between, to
 * the excess by place and to PARTS. */
static int add_window(struct delays *d, const struct recent *s, uint64_t since, uint64_t until, double factor,
                      struct parts *parts, struct mpg_error *err)
{
    const uint64_t oldest = s->position > RECENT ? s->position - RECENT : 0;
    for (uint64_t p = (since > oldest ? since : oldest) + 1; p <= until; p++) {
        const struct interval *i = &s->interval[p % RECENT];
        if (d->excess[i->place].place == 0) { /* number + 1 of its place in the list; 0: not in it */
            if (mpg_reserve_at(&d->touched, sizeof *d->touched, &d->touched_capacity, d->touches + 1, err) < 0)
                return -1;
            d->touched[d->touches++] = i->place;
            d->excess[i->place] = (struct excess){d->touches, 0};
        }
        d->excess[i->place].ns += factor * i->compute_ns;
        parts->mpi_ns += p < until ? factor * i->mpi_ns : 0;
        parts->wait_ns += p < until ? factor * i->wait_ns : 0;
    }
    return 0;
}

static int add_cause(struct delays *d, int32_t rank, enum delay_kind kind, uint32_t place, double wait_ns, int32_t waiter,
                     struct mpg_error *err)
{
    if (wait_ns <= 0)
        return 0;
    uint64_t *index = mpg_map_add(&d->cause_index, (uint64_t)rank, (uint64_t)kind << 32 | place);
    if (!index)
        return mpg_error_set(err, "out of memory");
    if (*index == 0) {
        if (mpg_reserve_at(&d->cause, sizeof *d->cause, &d->cause_capacity, d->causes + 1, err) < 0)
            return -1;
        const bool has_place = kind == DELAY_COMPUTATION;
        d->cause[d->causes] = (struct delay_cause){.rank = rank, .kind = kind,
                                                   .call = has_place ? d->place[place].call : MPG_CALL_COUNT,
                                                   .site = has_place ? (int32_t)d->place[place].site - 1 : MPG_NO_SITE};
        *index = ++d->causes;
    }
    struct delay_cause *c = &d->cause[*index - 1];
    c->wait_ns += wait_ns;
    c->waits++;
    if (wait_ns > c->longest_ns) {
        c->longest_ns = wait_ns;
        c->waiter = waiter;
    }
    return 0;
}

/* Shares WAIT_NS of rank WAITER among what LATE did more: the excess by place, and PARTS. Clears the excess. */
static int share(struct delays *d, const struct recent *late, int32_t waiter, const struct parts *parts, double wait_ns,
                 struct mpg_error *err)
{
    double sum_ns = fmax(0, parts->mpi_ns) + fmax(0, parts->wait_ns);
    int status = 0;
    for (uint32_t i = 0; i < d->touches; i++)
        sum_ns += fmax(0, d->excess[d->touched[i]].ns);
    const double factor = sum_ns > 0 ? wait_ns / sum_ns : 0;
    for (uint32_t i = 0; i < d->touches; i++) {
        struct excess *e = &d->excess[d->touched[i]];
        if (status == 0)
            status = add_cause(d, late->rank, DELAY_COMPUTATION, d->touched[i], factor * e->ns, waiter, err);
        *e = (struct excess){0, 0};
    }
    d->touches = 0;
    if (status < 0)
        return -1;
    if (sum_ns <= 0)
        return add_cause(d, late->rank, DELAY_UNKNOWN, 0, wait_ns, waiter, err);
    return add_cause(d, late->rank, DELAY_MPI, 0, factor * parts->mpi_ns, waiter, err) < 0 ||
                   add_cause(d, late->rank, DELAY_WAITING, 0, factor * parts->wait_ns, waiter, err) < 0
               ? -1
               : 0;
}

static uint64_t recall(const struct mpg_map *map, uint32_t stream, uint32_t other)
{
    const uint64_t *position = mpg_map_find(map, stream, other);
    return position ? *position : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int find_causes(struct delays *d, const struct mpg_wait_event *event, double wait_ns, struct mpg_error *err)
{
    const uint32_t own = event->step->stream, other = event->awaited.stream;
    struct recent *late = find_stream(d, other, err), *waiter = late ? find_stream(d, own, err) : NULL;
    if (!waiter)
        return -1;
    late = &d->stream[other];
    struct parts parts = {0, 0};
    const uint64_t own_since = later(event->since, recall(&d->synchronized, own, other));
    const uint64_t synchronized = recall(&d->synchronized, other, own); /* may be later than the awaited operation */
    uint64_t since = later(event->awaited.since, recall(&d->heard, own, other));
    since = synchronized < event->awaited.position ? later(since, synchronized) : since;
    if (add_window(d, late, since, event->awaited.position, 1, &parts, err) < 0 ||
        add_window(d, waiter, own_since, event->position, -1, &parts, err) < 0)
        return -1;
    return share(d, late, waiter->rank, &parts, wait_ns, err);
}

/* Notes of which positions of other streams the call has heard. */
static int synchronize(struct delays *d, const struct mpg_wait_event *event, struct mpg_error *err)
{
    const struct mpg_step *s = event->step;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const enum mpg_edge_kind kind = s->edges[i].kind;
        if (kind != MPG_EDGE_ARRIVAL && kind != MPG_EDGE_ENVELOPE && kind != MPG_EDGE_ACK)
            continue;
        const struct mpg_wait_origin of = mpg_waits_origin(event->waits, &s->edges[i]);
        uint64_t *own = mpg_map_add(&d->synchronized, s->stream, of.stream);
        if (own)
            *own = event->position;
        uint64_t *heard = own ? mpg_map_add(&d->heard, s->stream, of.stream) : NULL;
        if (!heard)
            return mpg_error_set(err, "out of memory");
        *heard = later(*heard, of.position);
    }
    return 0;
}

int mpg_delays_leave(struct delays *d, const struct mpg_wait_event *event, double wait_ns, struct mpg_error *err)
{
    struct recent *s = find_stream(d, event->step->stream, err);
    if (!s)
        return -1;
    struct interval *i = &s->interval[s->position % RECENT];
    i->wait_ns = wait_ns;
    i->mpi_ns = event->leave_ns - event->enter_ns - wait_ns;
    if (wait_ns > 0 && find_causes(d, event, wait_ns, err) < 0)
        return -1;
    return synchronize(d, event, err);
}

static int by_wait(const void *a, const void *b)
{
    const struct delay_cause *x = a, *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns < y->wait_ns ? 1 : -1;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (int)x->kind - (int)y->kind;
}

size_t mpg_delays_take(struct delays *d, struct delay_cause **cause)
{
    const size_t n = d->causes;
    *cause = d->cause;
    d->cause = NULL;
    d->causes = d->cause_capacity = 0;
    if (n > 0)
        qsort(*cause, n, sizeof **cause, by_wait);
    return n;
}
