/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provenance: the origins of each value, in each lane. Read backwards, provenance yields the critical paths of all lanes
 * (docs/MODEL.md, 8). A value is readable if a later step can still read it. Followed back, the readable values have fewer and
 * fewer distinct origins; the terms on the way are summed by place (branches.h). As soon as all readable values of a lane have a
 * common origin, the history of this origin is on the lane's critical path, and the terms of this history are added to the tally.
 * So memory grows with the number of places and of origins, not with the trace. */
#ifndef MPG_PROVENANCE_H
#define MPG_PROVENANCE_H

#include "simulate/attribution/critical.h"
#include "simulate/attribution/tally.h"

struct mpg_provenance;

/* Returns the provenance of the lanes of TALLY, with MPG_ATTRIBUTION_TERMS terms. With PATH (may be NULL), TALLY has one lane;
 * the provenance is written to PATH and followed after the evaluation (critical.h). TALLY and PATH outlive the result. NULL: no
 * memory, with ERR. */
struct mpg_provenance *mpg_provenance_new(struct mpg_tally *tally, struct mpg_critical *path, struct mpg_error *err);
/* Returns whether PROVENANCE has a path. */
bool mpg_provenance_is_path(const struct mpg_provenance *provenance);
void mpg_provenance_free(struct mpg_provenance *provenance); /* NULL is allowed */

/* --- during the evaluation; mpg_provenance_resolve() and mpg_provenance_finish() report errors of the functions below --- */

/* Begins a record: TO gets a new value, in the call at PLACE; PLACE UINT32_MAX: TO belongs to a slot, and the call waiting for TO
 * is not known yet. */
void mpg_provenance_add(struct mpg_provenance *provenance, struct mpg_value to, uint32_t place);
/* Marks the record as the begin of a call. Only with a path. */
void mpg_provenance_begins(struct mpg_provenance *provenance);
/* Adds to the record the origin FROM of TO, with TERMS (index MPG_CRITICAL_COMPUTATION ...; NULL: all 0), equal in all lanes. The
 * first origin of a record counts in all lanes in which no further origin counts. BETWEEN is the number, in the tally, of the
 * place of the message's two ranks; UINT32_MAX: none. For a further origin returns words of 64 lanes, all 0, whose bits the
 * caller sets; for the first origin NULL. */
uint64_t *mpg_provenance_from(struct mpg_provenance *provenance, struct mpg_value from, const double *terms, uint32_t between);
/* As mpg_provenance_from(), for a further origin, counting in the lanes of BITS. */
void mpg_provenance_add_from(struct mpg_provenance *provenance, struct mpg_value from, const double *terms, uint32_t between,
                        const uint64_t *bits);
/* Records that TO comes, in each lane, from the time of the slot SLOTS[NUMBERS[lane]]. The call waiting for TO is not known
 * yet. */
void mpg_provenance_add_one_of(struct mpg_provenance *provenance, struct mpg_value to, const double *numbers,
                          const uint32_t *slots);
/* Adds VALUES, one for each lane, as TERM of the record. The terms of a record must be added in ascending order, each once. */
void mpg_provenance_add_term(struct mpg_provenance *provenance, enum mpg_attribution_term term, const double *values);
/* As mpg_provenance_add_term() with A - B - LESS; B NULL: A - LESS. */
void mpg_provenance_add_difference(struct mpg_provenance *provenance, enum mpg_attribution_term term, const double *a,
                                   const double *b, double less);
/* Notes that SLOT is allocated again: no part of SLOT has a value any more. */
void mpg_provenance_renew(struct mpg_provenance *provenance, uint32_t slot);
/* Returns whether PART of SLOT has a value. */
bool mpg_provenance_has(const struct mpg_provenance *provenance, uint32_t slot, enum mpg_value_part part);

/* --- at intervals. The step counts of these calls must not depend on the number of lanes, because the last digits of sums depend
 * on the step counts --- */

/* Returns true if the caller should mark the readable values and resolve the provenance now, STEPS steps after the last call. */
bool mpg_provenance_cut(struct mpg_provenance *provenance, uint64_t steps);
/* Returns words with one bit for each lane, which the caller sets in the lanes in which VALUE is readable. NULL: out of
 * memory. */
uint64_t *mpg_provenance_mark(struct mpg_provenance *provenance, struct mpg_value value);
/* Marks all slots as readable, except the N slots UNUSED. */
void mpg_provenance_mark_slots(struct mpg_provenance *provenance, const uint32_t *unused, uint32_t n);
/* Adds to the tally, and forgets, the terms certain to be on a lane's critical path. Returns 0, or -1 with ERR: out of memory. */
int mpg_provenance_resolve(struct mpg_provenance *provenance, struct mpg_error *err);
/* To be called after the last step, when only the end of the run is marked in each lane; RUN_NS: the run time in each lane.
 * Returns 0, or -1 with ERR: no memory; the terms of a critical path do not sum to the run time. */
int mpg_provenance_finish(struct mpg_provenance *provenance, const double *run_ns, struct mpg_error *err);
/* Returns an estimate of the memory for a lane with SLOTS slots, bytes. */
double mpg_provenance_lane_bytes(uint32_t slots);

/* Returns the number of words with one bit for each of LANES lanes. */
static inline uint32_t mpg_provenance_words(uint32_t lanes)
{
    return (lanes + 63) / 64;
}

/* Return whether any, or all, of the first LANES bits are set. */
bool mpg_provenance_any(const uint64_t *bits, uint32_t lanes);
bool mpg_provenance_all(const uint64_t *bits, uint32_t lanes);
/* Sets in BITS, words of 64 lanes, the bits of lanes with A > B. */
void mpg_provenance_find_larger(uint32_t lanes, const double *a, const double *b, uint64_t *bits);

#endif
