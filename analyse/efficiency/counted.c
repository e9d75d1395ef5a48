/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/counted.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/counters.h"
#include "common/reserve.h"

static const char *const misses[] = {"PAPI_L3_TCM", "PAPI_L3_DCM", "perf::LLC-LOAD-MISSES", "perf::CACHE-MISSES",
                                     "perf::PERF_COUNT_HW_CACHE_MISSES", NULL};
static const char *const floating[] = {"PAPI_FP_INS", "PAPI_FP_OPS", "PAPI_DP_OPS", NULL};
/* Minimum share of all cycles of a class that counts for best_ipc, the largest number of instructions per cycle. */
static const double MIN_PART = 0.01;

/* The computation before a callsite in a region. */
struct class {
    int32_t string, site;
    double instructions, cycles;
};

/* A thread of the rank whose events are read. */
struct stream {
    uint32_t thread, depth, capacity;
    int32_t *open;      /* string numbers of the open regions' names, innermost last */
    int64_t since_ns;   /* end of the last event, on the rank's clock */
    double time_ns;     /* computation since the last event that has counter values */
    bool started;
};

struct counting {
    struct mpg_counted *counted;
    uint32_t room, classes, class_room, streams, stream_room;
    struct class *class;
    struct stream *stream;
};

static struct mpg_counted_region *region_of(struct counting *x, int32_t string, struct mpg_error *err)
{
    struct mpg_counted *c = x->counted;
    for (size_t i = 0; i < c->n; i++)
        if (c->region[i].string == string)
            return &c->region[i];
    if (mpg_reserve_at(&c->region, sizeof *c->region, &x->room, (uint32_t)c->n + 1, err) < 0)
        return NULL;
    c->region[c->n] = (struct mpg_counted_region){.string = string};
    return &c->region[c->n++];
}

static struct class *class_of(struct counting *x, int32_t string, int32_t site, struct mpg_error *err)
{
    for (size_t i = 0; i < x->classes; i++)
        if (x->class[i].string == string && x->class[i].site == site)
            return &x->class[i];
    if (mpg_reserve_at(&x->class, sizeof *x->class, &x->class_room, x->classes + 1, err) < 0)
        return NULL;
    x->class[x->classes] = (struct class){.string = string, .site = site};
    return &x->class[x->classes++];
}

static struct stream *stream_of(struct counting *x, uint32_t thread, struct mpg_error *err)
{
    for (size_t i = 0; i < x->streams; i++)
        if (x->stream[i].thread == thread)
            return &x->stream[i];
    if (mpg_reserve_at(&x->stream, sizeof *x->stream, &x->stream_room, x->streams + 1, err) < 0)
        return NULL;
    x->stream[x->streams] = (struct stream){.thread = thread};
    return &x->stream[x->streams++];
}

static void forget_streams(struct counting *x)
{
    for (size_t i = 0; i < x->streams; i++)
        free(x->stream[i].open);
    x->streams = 0;
}

/* The index of each counter among the counter values of an event; -1: not recorded. */
struct places {
    int32_t instructions, cycles, misses, floating;
};

static struct places places_of(const struct mpg_trace *trace, int32_t rank)
{
    return (struct places){.instructions = mpg_counter_find(trace, rank, mpg_counter_instructions),
                           .cycles = mpg_counter_find(trace, rank, mpg_counter_cycles),
                           .misses = mpg_counter_find(trace, rank, misses),
                           .floating = mpg_counter_find(trace, rank, floating)};
}

static double value_of(const struct mpg_event *e, int32_t place)
{
    return place >= 0 && (uint32_t)place < e->value_number ? (double)e->values[place] : 0;
}

static int mark(struct stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_END) {
        s->depth -= s->depth > 0;
        return 0;
    }
    if (mpg_reserve_at(&s->open, sizeof *s->open, &s->capacity, s->depth + 1, err) < 0)
        return -1;
    s->open[s->depth++] = e->string;
    return 0;
}

/* Adds the time and counter values of the compute interval before E to its region and class. */
static int add(struct counting *x, struct stream *s, const struct places *p, const struct mpg_event *e, struct mpg_error *err)
{
    const int32_t string = s->depth > 0 ? s->open[s->depth - 1] : -1;
    s->time_ns += fmax(0, (double)(e->enter_ns - s->since_ns - e->off_before_ns));
    if (e->value_number == 0)
        return 0; /* E has no counter values: the next values include this interval */
    struct mpg_counted_region *r = region_of(x, string, err);
    struct class *c = r ? class_of(x, string, e->site, err) : NULL;
    if (!c)
        return -1;
    r->time_ns += s->time_ns;
    r->instructions += value_of(e, p->instructions);
    r->cycles += value_of(e, p->cycles);
    r->misses += value_of(e, p->misses);
    r->floating += value_of(e, p->floating);
    c->instructions += value_of(e, p->instructions);
    c->cycles += value_of(e, p->cycles);
    s->time_ns = 0;
    return 0;
}

static int count_rank(struct counting *x, struct mpg_trace *trace, int32_t rank, struct mpg_error *err)
{
    const struct places places = places_of(trace, rank);
    struct mpg_cursor *cursor = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    int more = cursor ? 1 : -1;
    bool started = false, ended = false;
    while (more > 0 && !ended && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        const enum mpg_kind kind = mpg_call_kind(e->call);
        struct stream *s = stream_of(x, e->thread, err);
        if (!s || (s->started && kind != MPG_KIND_FLUSH && !e->killed && add(x, s, &places, e, err) < 0) ||
            ((kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END) && !e->failed && mark(s, e, err) < 0)) {
            more = -1;
            break;
        }
        started = started || kind == MPG_KIND_INIT;
        s->started = started;
        s->since_ns = e->leave_ns;
        ended = kind == MPG_KIND_FINALIZE && !e->failed;
    }
    mpg_cursor_close(cursor);
    forget_streams(x);
    return more < 0 ? -1 : 0;
}

static double best_ipc(const struct counting *x)
{
    double all = 0, best = 0;
    for (size_t i = 0; i < x->classes; i++)
        all += x->class[i].cycles;
    for (size_t i = 0; i < x->classes; i++)
        if (x->class[i].cycles > 0 && x->class[i].cycles >= MIN_PART * all)
            best = fmax(best, x->class[i].instructions / x->class[i].cycles);
    return best;
}

int mpg_count_regions(struct mpg_trace *trace, struct mpg_counted *counted, struct mpg_error *err)
{
    struct counting x = {.counted = counted};
    const int32_t ranks = mpg_trace_ranks(trace);
    *counted = (struct mpg_counted){.knows_floating = true};
    for (int32_t rank = 0; rank < ranks; rank++) {
        const struct places p = places_of(trace, rank);
        counted->knows_floating = counted->knows_floating && p.floating >= 0;
        if (p.instructions < 0 || p.cycles < 0 || p.misses < 0)
            return 0;
    }
    int status = 0;
    for (int32_t rank = 0; rank < ranks && status == 0; rank++)
        status = count_rank(&x, trace, rank, err);
    counted->best_ipc = best_ipc(&x);
    free(x.class);
    free(x.stream);
    return status;
}

void mpg_counted_clear(struct mpg_counted *counted)
{
    free(counted->region);
    *counted = (struct mpg_counted){.n = 0};
}
