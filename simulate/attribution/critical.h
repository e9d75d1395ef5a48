/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of one replica: during the evaluation, the provenance of each value is written to a temporary file;
 * afterwards the path is followed back from the end of the run (docs/MODEL.md, section 8). Memory does not grow with the
 * trace. */
#ifndef MPG_CRITICAL_VALUES_H
#define MPG_CRITICAL_VALUES_H

#include "simulate/attribution/attribution.h"

/* Identifies a value of a stream, of a slot (graph/graph.h), or of an arrival kept outside slots by a choosing call. */
enum mpg_value_part {
    MPG_VALUE_STREAM,
    MPG_VALUE_NEXT, /* a stream: earliest time of the next send */
    MPG_VALUE_KEPT, /* arrivals outside slots have this number and the following (moved_arrivals.h) */
    MPG_VALUE_KEPT_PROPAGATED,
    MPG_VALUE_MOVING, /* an arrival during the move to another slot */
    MPG_VALUE_TIME, /* values of a slot have this number and the following */
    MPG_VALUE_ENVELOPE,
    MPG_VALUE_PROPAGATED = MPG_VALUE_ENVELOPE, /* perturb mode: the arrival without the delay injected into the message */
    MPG_VALUE_MEET,
    MPG_VALUE_BEGIN,
    MPG_VALUE_PARTS
};

struct mpg_value {
    uint32_t number;
    enum mpg_value_part part;
};

/* A segment of the critical path: a part within a call, or between calls, of one rank. */
struct mpg_path_segment {
    uint32_t place;
    int32_t from; /* the rank whose message or arrival ended the wait; -1: no wait for another rank */
    double begin_ns, end_ns;
    double term[MPG_ATTRIBUTION_TERMS];
};

struct mpg_critical {
    /* the places of calls; after mpg_critical_follow() also the terms of the critical path at each place */
    struct mpg_tally *tally;
    int32_t rank;            /* the rank at whose end the run ends */
    uint32_t stream;         /* the last stream of this rank to end */
    double run_ns;           /* the end of the run, ns */
    struct mpg_path_segment *path_segment; /* the longest path segments, sorted by time */
    uint32_t path_segments, wanted;
    uint64_t all;            /* number of path segments longer than 0, of which the longest are kept */
    struct mpg_critical_spool *spool;
};

/* Returns an empty critical path, for the WANTED longest path segments. NULL with ERR: out of memory; no temporary file. */
struct mpg_critical *mpg_critical_new(uint32_t wanted, struct mpg_error *err);
void mpg_critical_free(struct mpg_critical *path); /* NULL is allowed */

/* Forgets all records. Returns 0, or -1 with ERR: no memory. */
int mpg_critical_restart(struct mpg_critical *path, struct mpg_error *err);
/* Records that value TO equals value FROM plus the sum of TERMS (index MPG_CRITICAL_COMPUTATION ...), in the call at PLACE; PLACE
 * UINT32_MAX: TO belongs to a slot, and the call waiting for TO is not known yet. BEGINS: TO is the begin of a call.
 * mpg_critical_follow() reports errors of writing. */
void mpg_critical_add(struct mpg_critical *path, struct mpg_value to, struct mpg_value from, uint32_t place,
                  bool begins, const double *terms);
/* Follows the critical path back from the end of the run; fills the tally's terms and the path segments. Returns 0, or -1 with
 * ERR: the temporary file cannot be written or read; the path's terms do not sum to the run time. */
int mpg_critical_follow(struct mpg_critical *path, struct mpg_error *err);

/* Returns the injected part of TERMS, ns; in predict mode the whole time. */
static inline double mpg_critical_injected_ns(const double *term)
{
    return term[MPG_CRITICAL_COMPUTATION] + term[MPG_CRITICAL_NOISE] + term[MPG_CRITICAL_CALL] + term[MPG_CRITICAL_LATENCY] +
           term[MPG_CRITICAL_BYTES] + term[MPG_CRITICAL_WHOLE] + term[MPG_CRITICAL_ORDER];
}

/* Returns the time, or the delay, of TERMS, ns. */
static inline double mpg_critical_ns(const double *term)
{
    return mpg_critical_injected_ns(term) + term[MPG_CRITICAL_ABSORBED] + term[MPG_CRITICAL_TRACER];
}

/* Returns the identity, for provenance, of the time of the last node of STREAM. */
static inline struct mpg_value mpg_value_stream(uint32_t stream)
{
    return (struct mpg_value){stream, MPG_VALUE_STREAM};
}

/* Returns the identity of the earliest time at which STREAM may send the next message. */
static inline struct mpg_value mpg_value_next(uint32_t stream)
{
    return (struct mpg_value){stream, MPG_VALUE_NEXT};
}

/* Returns the identity of the arrival with NUMBER, stored beyond the step of the arrival. */
static inline struct mpg_value mpg_value_kept(uint32_t number)
{
    return (struct mpg_value){number, MPG_VALUE_KEPT};
}

/* Returns the identity of PART of SLOT. */
static inline struct mpg_value mpg_value_slot(uint32_t slot, enum mpg_value_part part)
{
    return (struct mpg_value){slot, part};
}

#endif
