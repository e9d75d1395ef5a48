/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of waits, after the delay analysis of Böhme, Geimer, Arnold, Voigtlaender, Wolf: Identifying the root causes of wait
 * states in large-scale parallel applications, ICPP 2010.
 *
 * When a rank waits for a late rank, the time of both ranks since their last synchronization is compared: the computation and the
 * time off the CPU before each callsite, the time in MPI without waiting, the time off the CPU in MPI, and the waiting. The late
 * rank's excess in each part is a cause of the wait; the wait is divided in proportion to the excesses. Excess waiting of the
 * late rank has a separate row, with the causes of the late rank's waits.
 *
 * Each stream keeps its last RECENT intervals. Older intervals are ignored for both ranks. */
#include <math.h>
#include <stdlib.h>

#include "analyse/critical_path/path.h"
#include "common/reserve.h"

enum { RECENT = 1024 };

/* A compute interval, and the call at its end. Computation, time in MPI and waiting exclude time off the CPU, which is
 * counted separately: OFF_NS in the interval, CALL_OFF_NS in the call. */
struct interval {
    uint32_t place; /* index in delays.place of the call and the callsite */
    double compute_ns, off_ns, mpi_ns, call_off_ns, wait_ns;
};

/* The last intervals of a stream (a thread of a rank). */
struct recent {
    struct interval *interval; /* interval number i has index i modulo RECENT */
    uint64_t position;         /* number of intervals so far */
    int32_t rank;
};

/* Excess of the late rank over the waiting rank in computation, or in time off the CPU, before a call at a callsite. */
struct excess {
    uint32_t place; /* 1 + index in delays.touched; 0: not in delays.touched */
    double ns;      /* negative: the waiting rank took longer */
};

struct delays {
    struct recent *stream;
    struct mpg_call_site *place;
    struct excess *excess; /* for the examined wait, two elements per place: computation, and time off the CPU */
    uint32_t *touched;     /* indices of the nonzero excesses */
    struct delay_cause *cause;
    uint32_t streams, places, touches, causes, stream_capacity, place_capacity, excess_capacity, touched_capacity, cause_capacity;
    /* (callsite, call) -> 1 + index in PLACE; (rank, kind and place) -> 1 + index in CAUSE. */
    struct mpg_map place_index, cause_index;
    /* By (stream, other stream). For the last message of OTHER that a call of STREAM completed: */
    struct mpg_map synchronized; /* number of STREAM's interval before this call */
    struct mpg_map heard;        /* number of OTHER's interval before the send of the message */
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
    static const char *const keys[] = {"computation", "off_cpu", "mpi", "off_cpu_in_mpi", "waiting", "unknown"};
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

/* Returns the entry of STREAM, made on first use; NULL with ERR: no memory. */
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
            mpg_reserve_at(&d->excess, sizeof *d->excess, &d->excess_capacity, 2 * (d->places + 1), err) < 0)
            return -1;
        d->place[d->places] = step->to;
        *index = ++d->places;
    }
    s->rank = step->rank;
    s->interval[++s->position % RECENT] = (struct interval){.place = (uint32_t)*index - 1,
                                                            .compute_ns = (double)(step->interval_ns - step->off_ns),
                                                            .off_ns = (double)step->off_ns};
    return 0;
}

/* ---- a wait ---- */

/* Excess of the late rank over the waiting rank, ns: in MPI without waiting, off the CPU in calls, and in waiting. */
struct parts {
    double mpi_ns, call_off_ns, wait_ns;
};

/* Adds NS to the excess before PLACE: of computation, or, if IS_OFF, of time off the CPU. Returns 0, or -1 with ERR: no
 * memory. */
static int add_excess(struct delays *d, uint32_t place, bool is_off, double ns, struct mpg_error *err)
{
    const uint32_t index = 2 * place + is_off;
    if (ns == 0)
        return 0;
    if (d->excess[index].place == 0) { /* not in delays.touched yet */
        if (mpg_reserve_at(&d->touched, sizeof *d->touched, &d->touched_capacity, d->touches + 1, err) < 0)
            return -1;
        d->touched[d->touches++] = index;
        d->excess[index] = (struct excess){d->touches, 0};
    }
    d->excess[index].ns += ns;
    return 0;
}

/* Adds the times of S between two synchronizations, multiplied by FACTOR (1: late rank, -1: waiting rank). Computation and time
 * off the CPU of intervals SINCE + 1 .. UNTIL are added to the excess of each interval's place. Times of calls SINCE + 1 .. UNTIL
 * - 1 are added to PARTS. Returns 0, or -1 with ERR: no memory. */
static int add_window(struct delays *d, const struct recent *s, uint64_t since, uint64_t until, double factor,
                      struct parts *parts, struct mpg_error *err)
{
    const uint64_t oldest = s->position > RECENT ? s->position - RECENT : 0;
    for (uint64_t p = (since > oldest ? since : oldest) + 1; p <= until; p++) {
        const struct interval *i = &s->interval[p % RECENT];
        if (add_excess(d, i->place, false, factor * i->compute_ns, err) < 0 ||
            add_excess(d, i->place, true, factor * i->off_ns, err) < 0)
            return -1;
        parts->call_off_ns += p < until ? factor * i->call_off_ns : 0;
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
        const bool has_place = kind == DELAY_COMPUTATION || kind == DELAY_OFF_CPU;
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

/* Divides WAIT_NS, a wait of rank WAITER, among the causes on rank LATE, in proportion to LATE's excesses by place and in PARTS.
 * Without any excess the cause is unknown. Clears the excesses. Returns 0, or -1 with ERR: no memory. */
static int share(struct delays *d, const struct recent *late, int32_t waiter, const struct parts *parts, double wait_ns,
                 struct mpg_error *err)
{
    double sum_ns = fmax(0, parts->mpi_ns) + fmax(0, parts->call_off_ns) + fmax(0, parts->wait_ns);
    int status = 0;
    for (uint32_t i = 0; i < d->touches; i++)
        sum_ns += fmax(0, d->excess[d->touched[i]].ns);
    const double factor = sum_ns > 0 ? wait_ns / sum_ns : 0;
    for (uint32_t i = 0; i < d->touches; i++) {
        struct excess *e = &d->excess[d->touched[i]];
        const enum delay_kind kind = d->touched[i] % 2 ? DELAY_OFF_CPU : DELAY_COMPUTATION;
        if (status == 0)
            status = add_cause(d, late->rank, kind, d->touched[i] / 2, factor * e->ns, waiter, err);
        *e = (struct excess){0, 0};
    }
    d->touches = 0;
    if (status < 0)
        return -1;
    if (sum_ns <= 0)
        return add_cause(d, late->rank, DELAY_UNKNOWN, 0, wait_ns, waiter, err);
    return add_cause(d, late->rank, DELAY_MPI, 0, factor * parts->mpi_ns, waiter, err) < 0 ||
                   add_cause(d, late->rank, DELAY_OFF_CPU_IN_MPI, 0, factor * parts->call_off_ns, waiter, err) < 0 ||
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

/* Finds the causes of WAIT_NS, the time that EVENT's call waited. Returns 0, or -1 with ERR: no memory. */
static int find_causes(struct delays *d, const struct mpg_wait_event *event, double wait_ns, struct mpg_error *err)
{
    const uint32_t own = event->step->stream, other = event->awaited.stream;
    struct recent *late = find_stream(d, other, err), *waiter = late ? find_stream(d, own, err) : NULL;
    if (!waiter)
        return -1;
    late = &d->stream[other];
    struct parts parts = {0, 0, 0};
    const uint64_t own_since = later(event->since, recall(&d->synchronized, own, other));
    /* The late stream may have synchronized again after the awaited operation. */
    const uint64_t synchronized = recall(&d->synchronized, other, own);
    uint64_t since = later(event->awaited.since, recall(&d->heard, own, other));
    since = synchronized < event->awaited.position ? later(since, synchronized) : since;
    if (add_window(d, late, since, event->awaited.position, 1, &parts, err) < 0 ||
        add_window(d, waiter, own_since, event->position, -1, &parts, err) < 0)
        return -1;
    return share(d, late, waiter->rank, &parts, wait_ns, err);
}

/* Notes for each message that EVENT's call completed the current interval numbers of both streams: the last synchronization of
 * both. Returns 0, or -1 with ERR: no memory. */
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
    i->call_off_ns = event->sum->off_cpu_ns;
    i->mpi_ns = event->leave_ns - event->enter_ns - wait_ns - i->call_off_ns;
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
