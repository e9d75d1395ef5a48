/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A noise record in memory, for scalar look-ups (replay.c) and vector look-ups (kinds.c). */
#ifndef MPG_REPLAY_PRIVATE_H
#define MPG_REPLAY_PRIVATE_H

#include <math.h>

#include "simulate/noise/replay.h"
#include "simulate/rounding.h"

/* A detour, by the work and the lost time before the detour; the start is the sum of both. Two numbers per detour keep a record
 * small enough for the CPU's cache. */
struct mpg_detour {
    double done_ns; /* work before the detour */
    double lost_ns; /* total length of earlier detours */
};

static inline double mpg_detour_start(const struct mpg_detour *d)
{
    return d->done_ns + d->lost_ns;
}

/* Returns the end of D, which is followed by another detour or the record's end. */
static inline double mpg_detour_end(const struct mpg_detour *d)
{
    return d->done_ns + d[1].lost_ns;
}

struct mpg_record {
    size_t n;
    double span_ns, work_ns; /* length of the record; work done in the record */
    double per_span, per_work; /* reciprocals: look-ups avoid divisions */
    struct mpg_detour *detour; /* n, then the record's end as a detour that never ends, then sentinels that never start */
    bool ascending;          /* ends and works ascend strictly: a search may begin anywhere */
    size_t buckets;
    /* first detour that ends after the begin of the bucket; first detour that starts at or after the begin of the bucket, in
     * work */
    uint32_t *by_time, *by_work;
};

/* A record, or two records for a truncated record: u subtracts the longest detours, v the other detours, and the work done is
 * v(u(t)). */
struct mpg_replay {
    struct mpg_record *longest; /* the longest detours, or all */
    struct mpg_record *others;  /* NULL: the record is not truncated */
    /* longest detours and blocks merged into one list, for vector look-ups; NULL: the list is too long, or not ascending */
    struct mpg_record *list;
};

/* Returns floor(X); faster than the library for most X. */
static inline double mpg_record_floor(double x)
{
    return x >= 0 && x < 0x1p52 ? (double)(int64_t)x : floor(x);
}

/* A time, or an amount of work, split into a number of whole records and a rest, with the index of the first detour at or after
 * this position. */
struct mpg_record_position {
    double whole, rest;
    size_t i;
};

/* Splits X, >= 0, into whole records of LENGTH and a rest; PER is 1 / LENGTH. The caller sets i. */
static inline struct mpg_record_position mpg_record_split(double x, double length, double per)
{
    struct mpg_record_position s = {.whole = mpg_record_floor(x * per)};
    s.rest = x - s.whole * length;
    if (s.rest >= length) { /* the product was rounded down to below a whole number */
        s.whole++;
        s.rest -= length;
    }
    if (s.rest < 0)
        s.rest = 0;
    return s;
}

/* Returns the first detour of RECORD that ends after REST. */
size_t mpg_record_find_detour(const struct mpg_record *record, double rest);
/* Returns the first detour of RECORD that begins at REST work or later. Work that ends within rounding after a detour's start
 * ends before the detour: rounding must not cost a whole detour. */
size_t mpg_record_find_done(const struct mpg_record *record, double rest);

static inline struct mpg_record_position mpg_record_position_at(const struct mpg_record *r, double t_ns)
{
    struct mpg_record_position s = mpg_record_split(t_ns, r->span_ns, r->per_span);
    s.i = mpg_record_find_detour(r, s.rest);
    return s;
}

/* Returns the work done until S. */
static inline double mpg_record_work_at(const struct mpg_record *r, const struct mpg_record_position *s)
{
    const struct mpg_detour *d = &r->detour[s->i];
    const double start = mpg_detour_start(d), rest = s->rest < start ? s->rest : start;
    return s->whole * r->work_ns + rest - d->lost_ns;
}

/* Returns the time without interruption from S on, within the record; 0 inside a detour. */
static inline double mpg_record_quiet_at(const struct mpg_record *r, const struct mpg_record_position *s)
{
    double quiet = mpg_detour_start(&r->detour[s->i]) - s->rest;
    return quiet > 0 ? quiet : 0;
}

/* Returns the time when WORK_NS is done, and sets *QUIET_NS to the uninterrupted work that follows. */
static inline double mpg_record_time_of(const struct mpg_record *r, double work_ns, double *quiet_ns)
{
    struct mpg_record_position s = mpg_record_split(work_ns, r->work_ns, r->per_work);
    if (s.rest <= MPG_ROUNDING_NS && s.whole > 0) { /* ends before the detour at the record's end */
        s.whole--;
        s.rest += r->work_ns;
    }
    /* All detours before detour s.i begin before s.rest of work is done: detour s.i's lost_ns contains the time of these
     * detours. */
    s.i = mpg_record_find_done(r, s.rest);
    *quiet_ns = r->detour[s.i].done_ns - s.rest;
    return s.whole * r->span_ns + s.rest + r->detour[s.i].lost_ns;
}

#endif
