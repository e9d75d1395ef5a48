/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of one replica: which value each value came from, spooled as it is evaluated and read from its
 * end (docs/MODEL.md, 8). What is kept in memory does not grow with the trace. */
#ifndef MPG_WHERE_PATH_H
#define MPG_WHERE_PATH_H

#include "simulate/where/where.h"

/* What a value is of: a stream, what calls that choose have kept, or a slot. */
enum mpg_path_part {
    MPG_PATH_STREAM,
    MPG_PATH_NEXT, /* a stream: from when on it may send again */
    MPG_PATH_KEPT, /* an arrival that is kept beside slots, from here on (moves.h) */
    MPG_PATH_KEPT_BARE,
    MPG_PATH_MOVING, /* one that goes to another slot */
    MPG_PATH_TIME, /* a slot, from here on */
    MPG_PATH_ENVELOPE,
    MPG_PATH_BARE = MPG_PATH_ENVELOPE, /* of delays: without what was put into the message */
    MPG_PATH_MEET,
    MPG_PATH_BEGIN,
    MPG_PATH_PARTS
};

struct mpg_path_value {
    uint32_t number;
    enum mpg_path_part part;
};

/* Of one call, or what it does at a time. */
struct mpg_path_segment {
    uint32_t place;
    int32_t from; /* the rank that it waited for; -1: none but its own */
    double begin_ns, end_ns;
    double term[MPG_WHERE_TERMS];
};

struct mpg_path {
    struct mpg_tally *tally; /* where calls are, and, once it has been followed, what of the path is there */
    int32_t rank;            /* where the run ends, */
    uint32_t stream;
    double run_ns;           /* and when */
    struct mpg_path_segment *segment; /* the longest, by time */
    uint32_t segments, wanted;
    uint64_t all;            /* how many there are that are not empty */
    struct mpg_path_spool *spool;
};

/* Of which so many of the longest segments are WANTED. Errors: no memory, no temporary file. */
struct mpg_path *mpg_path_new(uint32_t wanted, struct mpg_error *err);
void mpg_path_free(struct mpg_path *path); /* NULL is allowed */

/* Nothing has been recorded yet. Error: out of memory. */
int mpg_path_restart(struct mpg_path *path, struct mpg_error *err);
/* TO is FROM and the sum of TERMS (MPG_WHERE_COMPUTATION ...), in the call at PLACE, or, of a slot's, where it will be waited for
 * (UINT32_MAX). A call BEGINS with it. That nothing can be written is said by mpg_path_follow(). */
void mpg_path_add(struct mpg_path *path, struct mpg_path_value to, struct mpg_path_value from, uint32_t place,
                  bool begins, const double *terms);
/* Follows the path from where the run ends. Errors: the temporary file's; that it does not come to the run. */
int mpg_path_follow(struct mpg_path *path, struct mpg_error *err);

/* What TERMS put in: of times, all of it. */
static inline double mpg_path_put_ns(const double *term)
{
    return term[MPG_WHERE_COMPUTATION] + term[MPG_WHERE_NOISE] + term[MPG_WHERE_CALL] + term[MPG_WHERE_LATENCY] +
           term[MPG_WHERE_BYTES] + term[MPG_WHERE_WHOLE] + term[MPG_WHERE_ORDER];
}

/* Time, or delay, of TERMS. */
static inline double mpg_path_ns(const double *term)
{
    return mpg_path_put_ns(term) + term[MPG_WHERE_ABSORBED] + term[MPG_WHERE_TRACER];
}

/* What a value is called on paths: of a stream its last node; what is kept; a part of a slot. */
static inline struct mpg_path_value mpg_path_stream(uint32_t stream)
{
    return (struct mpg_path_value){stream, MPG_PATH_STREAM};
}

/* When it may send again. */
static inline struct mpg_path_value mpg_path_next(uint32_t stream)
{
    return (struct mpg_path_value){stream, MPG_PATH_NEXT};
}

static inline struct mpg_path_value mpg_path_kept(uint32_t number)
{
    return (struct mpg_path_value){number, MPG_PATH_KEPT};
}

static inline struct mpg_path_value mpg_path_slot(uint32_t slot, enum mpg_path_part part)
{
    return (struct mpg_path_value){slot, part};
}

#endif
