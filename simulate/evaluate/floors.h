/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call takes at least, and a message usually, on the traced machine (docs/MODEL.md, section 4). Gathered from
 * a first pass over the graph's steps. */
#ifndef MPG_FLOORS_H
#define MPG_FLOORS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "graph/graph.h"
#include "signature/signature.h"
#include "simulate/models/paths.h"

struct mpg_floors;

struct mpg_floor_options {
    bool has_source_cost;      /* --source=latency or --source=byte: the first rule */
    double latency_ns, byte_ns;
    const struct mpg_network_path *source; /* the third rule, a part of the second; may be NULL */
    bool less_overheads;       /* the second is less what SOURCE's calls cost; it has overheads */
    bool knows_waits;          /* clocks say which calls waited */
    bool knows_calls;          /* with hypotheses: and which for calls of others, or collectives that do not block */
    const struct mpg_paths *paths; /* that say both for each two ranks, and their hosts; may be NULL */
};

struct mpg_floors *mpg_floors_new(const struct mpg_trace *trace,
                                  const struct mpg_floor_options *options, struct mpg_error *err);
/* Takes steps of the first pass; with COMPARABLE clocks also messages. */
int mpg_floors_add(struct mpg_floors *floors, const struct mpg_steps *steps, bool comparable,
                   struct mpg_error *err);
/* Ends the gathering. */
int mpg_floors_finish(struct mpg_floors *floors, struct mpg_error *err);

/* Puts what FLOORS have gathered, not finished, to BYTES; gets it again, into new ones: 0, or -1 where it
 * is not there, or no memory for it; then they are to be new once more. What it depends on, beside the trace
 * and its graph, goes to KEY. */
void mpg_floors_put(struct mpg_bytes *bytes, const struct mpg_floors *floors);
int mpg_floors_get(struct mpg_bytes_left *left, struct mpg_floors *floors);
void mpg_floors_forget(struct mpg_floors *floors);
void mpg_floors_key(struct mpg_bytes *key, const struct mpg_floors *floors);

/* The least duration of CALL with BYTES on RANK's host, ns; no more than 1 us if all such calls waited. */
double mpg_floor_call(const struct mpg_floors *floors, int32_t rank, enum mpg_call call, double bytes);
/* The usual time of a message of BYTES, l(BYTES), between the hosts of world ranks A and B, ns, >= 0. Notes whether the
 * source's signature says it. */
double mpg_floor_message(struct mpg_floors *floors, int32_t a, int32_t b, double bytes);
/* Where most message times come from, in words for people. */
const char *mpg_floors_rule(const struct mpg_floors *floors);
/* Whether there is anything that says it: the options, the trace, the source's signature. */
bool mpg_floors_know_messages(const struct mpg_floors *floors);
/* Whether any message floor that was asked for was the source signature's. */
bool mpg_floors_used_source(const struct mpg_floors *floors);
void mpg_floors_free(struct mpg_floors *floors); /* NULL is allowed */

/* floor(log2(bytes + 1)), 0 .. MPG_SIZE_CLASSES - 1. */
enum { MPG_SIZE_CLASSES = 64 };
int mpg_size_class(double bytes);

#endif
