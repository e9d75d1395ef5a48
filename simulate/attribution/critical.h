/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of one replica: which value each value came from, spooled as it is evaluated and read from its
 * end (docs/MODEL.md, 8). What is kept in memory does not grow with the trace. */
#ifndef MPG_WHERE_PATH_H
#define MPG_WHERE_PATH_H

#include "simulate/attribution/attribution.h"

/* What a value is of: a stream, what calls that choose have kept, or a slot. */
enum mpg_value_part {
    MPG_VALUE_STREAM,
    MPG_VALUE_NEXT, /* a stream: from when on it may send again */
    MPG_VALUE_KEPT, /* an arrival that is kept beside slots, from here on (moves.h) */
    MPG_VALUE_KEPT_BARE,
    MPG_VALUE_MOVING, /* one that goes to another slot */
    MPG_VALUE_TIME, /* a slot, from here on */
    MPG_VALUE_ENVELOPE,
    MPG_VALUE_BARE = MPG_VALUE_ENVELOPE, /* of delays: without what was put into the message */
    MPG_VALUE_MEET,
    MPG_VALUE_BEGIN,
    MPG_VALUE_PARTS
};

struct mpg_value {
    uint32_t number;
    enum mpg_value_part part;
};

/* Of one call, or what it does at a time. */
struct mpg_critical_segment {
    uint32_t place;
    int32_t from; /* the rank that it waited for; -1: none but its own */
    double begin_ns, end_ns;
    double term[MPG_ATTRIBUTION_TERMS];
};

struct mpg_critical {
    struct mpg_tally *tally; /* where calls are, and, once it has been followed, what of the path is there */
    int32_t rank;            /* where the run ends, */
    uint32_t stream;
    double run_ns;           /* and when */
    struct mpg_critical_segment *segment; /* the longest, by time */
    uint32_t segments, wanted;
    uint64_t all;            /* how many there are that are not empty */
    struct mpg_critical_spool *spool;
};

/* Of which so many of the longest segments are WANTED. Errors: no memory, no temporary file. */
struct mpg_critical *mpg_critical_new(uint32_t wanted, struct mpg_error *err);
void mpg_critical_free(struct mpg_critical *path); /* NULL is allowed */

/* Nothing has been recorded yet. Error: out of memory. */
int mpg_critical_restart(struct mpg_critical *path, struct mpg_error *err);
/* TO is FROM and the sum of TERMS (MPG_CRITICAL_COMPUTATION ...), in the call at PLACE, or, of a slot's, where it will be
 * waited for
 * (UINT32_MAX). A call BEGINS with it. That nothing can be written is said by mpg_critical_follow(). */
void mpg_critical_add(struct mpg_critical *path, struct mpg_value to, struct mpg_value from, uint32_t place,
                  bool begins, const double *terms);
/* Follows the path from where the run ends. Errors: the temporary file's; that it does not come to the run. */
int mpg_critical_follow(struct mpg_critical *path, struct mpg_error *err);

/* What TERMS put in: of times, all of it. */
static inline double mpg_critical_put_ns(const double *term)
{
    return term[MPG_CRITICAL_COMPUTATION] + term[MPG_CRITICAL_NOISE] + term[MPG_CRITICAL_CALL] + term[MPG_CRITICAL_LATENCY] +
           term[MPG_CRITICAL_BYTES] + term[MPG_CRITICAL_WHOLE] + term[MPG_CRITICAL_ORDER];
}

/* Time, or delay, of TERMS. */
static inline double mpg_critical_ns(const double *term)
{
    return mpg_critical_put_ns(term) + term[MPG_CRITICAL_ABSORBED] + term[MPG_CRITICAL_TRACER];
}

/* What a value is called on paths: of a stream its last node; what is kept; a part of a slot. */
static inline struct mpg_value mpg_value_stream(uint32_t stream)
{
    return (struct mpg_value){stream, MPG_VALUE_STREAM};
}

/* When it may send again. */
static inline struct mpg_value mpg_value_next(uint32_t stream)
{
    return (struct mpg_value){stream, MPG_VALUE_NEXT};
}

static inline struct mpg_value mpg_value_kept(uint32_t number)
{
    return (struct mpg_value){number, MPG_VALUE_KEPT};
}

static inline struct mpg_value mpg_value_slot(uint32_t slot, enum mpg_value_part part)
{
    return (struct mpg_value){slot, part};
}

#endif
