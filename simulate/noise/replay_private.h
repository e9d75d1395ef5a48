/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a noise record is in memory, for look-ups by it (replay.c) and of lanes (kinds.c). */
#ifndef MPG_REPLAY_PRIVATE_H
#define MPG_REPLAY_PRIVATE_H

#include <math.h>

#include "simulate/noise/replay.h"
#include "simulate/rounding.h"

/* A detour, by what is over when it starts, from which follows when it does: of records as much as can be is
 * to be near the processor. */
struct mpg_detour {
    double done_ns; /* work */
    double lost_ns; /* time of those before it */
};

static inline double mpg_detour_start(const struct mpg_detour *d)
{
    return d->done_ns + d->lost_ns;
}

/* Of one that another one, or the record's end, follows. */
static inline double mpg_detour_end(const struct mpg_detour *d)
{
    return d->done_ns + d[1].lost_ns;
}

struct mpg_record {
    size_t n;
    double span_ns, work_ns; /* length of the record; work done in it */
    double per_span, per_work; /* 1 / of these: a look-up has no time for divisions */
    struct mpg_detour *detour; /* n, the record's end as one that never ends, and some that never start */
    bool ascending;          /* ends and works are, so that a search may begin anywhere */
    size_t buckets;
    uint32_t *by_time, *by_work; /* first detour that ends after / starts at or after the bucket */
};

/* With u of the longest detours and v of the others, work is v(u(t)). */
struct mpg_replay {
    struct mpg_record *longest; /* or all */
    struct mpg_record *others;  /* NULL: the record is whole */
    struct mpg_record *list;    /* both as one, for the first time that they are met; NULL: it is too long */
};

/* X rounded down; mostly there is no need to ask a library. */
static inline double mpg_record_wholes(double x)
{
    return x >= 0 && x < 0x1p52 ? (double)(int64_t)x : floor(x);
}

/* A time, or work, as whole records, the rest, and the detour that it is before or in. */
struct mpg_record_spot {
    double whole, rest;
    size_t i;
};

/* PER is 1 / LENGTH. */
static inline struct mpg_record_spot mpg_record_split(double x, double length, double per)
{
    struct mpg_record_spot s = {.whole = mpg_record_wholes(x * per)};
    s.rest = x - s.whole * length;
    if (s.rest >= length) { /* the product was rounded below a whole number */
        s.whole++;
        s.rest -= length;
    }
    if (s.rest < 0)
        s.rest = 0;
    return s;
}

/* The first detour of RECORD that ends after REST, by its guide. */
size_t mpg_record_find_detour(const struct mpg_record *record, double rest);
/* The first detour of RECORD that begins at REST of work or after it, by its guide. Work that ends no more than rounding
 * after a detour's start ends before it: that must not cost a whole detour. */
size_t mpg_record_find_done(const struct mpg_record *record, double rest);

static inline struct mpg_record_spot mpg_record_spot_at(const struct mpg_record *r, double t_ns)
{
    struct mpg_record_spot s = mpg_record_split(t_ns, r->span_ns, r->per_span);
    s.i = mpg_record_find_detour(r, s.rest);
    return s;
}

/* Work done until S. */
static inline double mpg_record_work_at(const struct mpg_record *r, const struct mpg_record_spot *s)
{
    const struct mpg_detour *d = &r->detour[s->i];
    const double start = mpg_detour_start(d), rest = s->rest < start ? s->rest : start;
    return s->whole * r->work_ns + rest - d->lost_ns;
}

/* How long nothing interrupts, within the record; 0 in a detour. */
static inline double mpg_record_quiet_at(const struct mpg_record *r, const struct mpg_record_spot *s)
{
    double quiet = mpg_detour_start(&r->detour[s->i]) - s->rest;
    return quiet > 0 ? quiet : 0;
}

/* When WORK_NS is done, and in *QUIET_NS how much more of it nothing interrupts then. */
static inline double mpg_record_time_of(const struct mpg_record *r, double work_ns, double *quiet_ns)
{
    struct mpg_record_spot s = mpg_record_split(work_ns, r->work_ns, r->per_work);
    if (s.rest <= MPG_ROUNDING_NS && s.whole > 0) { /* done before the detour that ends a record */
        s.whole--;
        s.rest += r->work_ns;
    }
    /* Those before it began before this much work was done: all of them had to pass. */
    s.i = mpg_record_find_done(r, s.rest);
    *quiet_ns = r->detour[s.i].done_ns - s.rest;
    return s.whole * r->span_ns + s.rest + r->detour[s.i].lost_ns;
}

#endif
