/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimum times of calls, and usual times of messages, on the traced machine (docs/MODEL.md, section 4), gathered from the
 * steps of the pre-pass. The names call these times floors. */
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
    bool has_source_cost;      /* --source=latency or --source=byte is given: message times are LATENCY_NS and BYTE_NS a byte */
    double latency_ns, byte_ns;
    /* path of the source's signature, for sizes without time in the trace, and for LESS_OVERHEADS; or NULL */
    const struct mpg_network_path *source;
    bool less_overheads;       /* message times in the trace contain call costs: the overheads of SOURCE are subtracted */
    bool knows_waits;          /* the clocks of the ranks are comparable and tell which calls waited */
    /* with hypotheses: the graph tells which calls waited for a call of another rank, or for nonblocking collectives */
    bool knows_calls;
    const struct mpg_paths *paths; /* for each pair of ranks SOURCE and LESS_OVERHEADS, and the ranks' hosts; may be NULL */
};

/* Returns empty minimum times for TRACE, which outlives the result, with a copy of OPTIONS. NULL with ERR: out of memory. */
struct mpg_floors *mpg_floors_new(const struct mpg_trace *trace,
                                  const struct mpg_floor_options *options, struct mpg_error *err);
/* Adds steps of the pre-pass; with COMPARABLE clocks also message times. Error: out of memory. */
int mpg_floors_add(struct mpg_floors *floors, const struct mpg_steps *steps, bool comparable,
                   struct mpg_error *err);
/* Ends the gathering; to be called before any look-up. Error: out of memory. */
int mpg_floors_finish(struct mpg_floors *floors, struct mpg_error *err);

/* For the cache: mpg_floors_put() appends the unfinished data of FLOORS to BYTES. mpg_floors_get() reads the data from LEFT
 * into new FLOORS and returns 0, or -1 if LEFT is damaged or memory runs out; then mpg_floors_forget() must empty FLOORS. KEY
 * receives all options on which the data depend besides the trace and the graph. */
void mpg_floors_put(struct mpg_bytes *bytes, const struct mpg_floors *floors);
int mpg_floors_get(struct mpg_bytes_left *left, struct mpg_floors *floors);
void mpg_floors_forget(struct mpg_floors *floors);
void mpg_floors_key(struct mpg_bytes *key, const struct mpg_floors *floors);

/* Returns the shortest duration of CALL with BYTES on RANK's host, ns; at most 1 us if all calls with this size class waited;
 * 0: unknown. */
double mpg_floor_call(const struct mpg_floors *floors, int32_t rank, enum mpg_call call, double bytes);
/* Returns the usual time l(BYTES) of a message between the hosts of world ranks A and B, ns, >= 0. Records in FLOORS if the
 * source's signature was used. */
double mpg_floor_message(struct mpg_floors *floors, int32_t a, int32_t b, double bytes);
/* Returns the origin of most message times, in words. */
const char *mpg_floors_rule(const struct mpg_floors *floors);
/* Returns whether message times are known: from the options, the trace or the source's signature. */
bool mpg_floors_know_messages(const struct mpg_floors *floors);
/* Returns whether mpg_floor_message() has used the source's signature. */
bool mpg_floors_used_source(const struct mpg_floors *floors);
void mpg_floors_free(struct mpg_floors *floors); /* NULL is allowed */

/* Number of size classes; the class of a size is floor(log2(bytes + 1)). */
enum { MPG_SIZE_CLASSES = 64 };
int mpg_size_class(double bytes);

#endif
