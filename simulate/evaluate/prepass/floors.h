/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimum times of calls and usual times of messages on the traced machine (docs/MODEL.md, section 4), gathered from the steps
 * of the pre-pass. */
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
    bool has_source_cost;      /* --source=latency or --source=byte is given: LATENCY_NS and BYTE_NS are the minimum */
    double latency_ns, byte_ns;
    const struct mpg_network_path *source; /* for sizes that the trace has no time of, and for LESS_OVERHEADS; or NULL */
    bool less_overheads;       /* message times of the trace contain call costs: subtract those of SOURCE */
    bool knows_waits;          /* clocks say which calls waited */
    bool knows_calls;          /* hypotheses: also which calls waited for calls of others, or for nonblocking collectives */
    const struct mpg_paths *paths; /* SOURCE and LESS_OVERHEADS for each pair of ranks, and their hosts; may be NULL */
};

/* Returns empty minimum times for TRACE, which outlives them, with a copy of OPTIONS. NULL with ERR: out of memory. */
struct mpg_floors *mpg_floors_new(const struct mpg_trace *trace,
                                  const struct mpg_floor_options *options, struct mpg_error *err);
/* Adds steps of the pre-pass; with COMPARABLE clocks also message times. Error: out of memory. */
int mpg_floors_add(struct mpg_floors *floors, const struct mpg_steps *steps, bool comparable,
                   struct mpg_error *err);
/* Ends the gathering; before any look-up. Error: out of memory. */
int mpg_floors_finish(struct mpg_floors *floors, struct mpg_error *err);

/* Appends the unfinished data of FLOORS to BYTES; reads the data from LEFT into new FLOORS: 0, or -1 if LEFT is damaged or
 * memory is short; then mpg_floors_forget() empties FLOORS. KEY receives all options that the data depend on, beside the
 * trace and the graph. */
void mpg_floors_put(struct mpg_bytes *bytes, const struct mpg_floors *floors);
int mpg_floors_get(struct mpg_bytes_left *left, struct mpg_floors *floors);
void mpg_floors_forget(struct mpg_floors *floors);
void mpg_floors_key(struct mpg_bytes *key, const struct mpg_floors *floors);

/* The shortest duration of CALL with BYTES on RANK's host, ns; at most 1 us if all calls of this kind waited. */
double mpg_floor_call(const struct mpg_floors *floors, int32_t rank, enum mpg_call call, double bytes);
/* The usual time l(BYTES) of a message between the hosts of world ranks A and B, ns, >= 0. Notes whether the source's
 * signature was used. */
double mpg_floor_message(struct mpg_floors *floors, int32_t a, int32_t b, double bytes);
/* The origin of most message times, in words. */
const char *mpg_floors_rule(const struct mpg_floors *floors);
/* Whether message times are known: from the options, the trace or the source's signature. */
bool mpg_floors_know_messages(const struct mpg_floors *floors);
/* Whether mpg_floor_message() has used the source's signature. */
bool mpg_floors_used_source(const struct mpg_floors *floors);
void mpg_floors_free(struct mpg_floors *floors); /* NULL is allowed */

/* floor(log2(bytes + 1)), 0 .. MPG_SIZE_CLASSES - 1. */
enum { MPG_SIZE_CLASSES = 64 };
int mpg_size_class(double bytes);

#endif
