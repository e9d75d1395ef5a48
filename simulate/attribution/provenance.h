/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical paths of all lanes (docs/MODEL.md, 8): which value each value came from in which lanes, read backwards. What can
 * still be read comes from ever fewer values the farther back one looks: what leads to these is added up by place (branches.h).
 * As soon as all comes from one value in a lane, what is before that is on the lane's path, and goes to the places of a tally.
 * So memory does not grow with the trace, but with places, and values that have nothing in common. */
#ifndef MPG_WHERE_TRAIL_H
#define MPG_WHERE_TRAIL_H

#include "simulate/attribution/critical.h"
#include "simulate/attribution/tally.h"

struct mpg_provenance;

/* For the lanes of TALLY, which has MPG_ATTRIBUTION_TERMS terms; or, where there is PATH, of its one lane, whose path is not
 * found
 * while it is recorded, but followed then (path.h). Both outlive it. Errors: out of memory. */
struct mpg_provenance *mpg_provenance_new(struct mpg_tally *tally, struct mpg_critical *path, struct mpg_error *err);
bool mpg_provenance_is_path(const struct mpg_provenance *trail);
void mpg_provenance_free(struct mpg_provenance *trail); /* NULL is allowed */

/* --- as values are evaluated; that there was no memory is said by what follows them --- */

/* TO has a new value, in the call at PLACE of its stream, or, of a slot's, where it will be waited for (UINT32_MAX). */
void mpg_provenance_add(struct mpg_provenance *trail, struct mpg_value to, uint32_t place);
/* A call begins with it; only paths ask. */
void mpg_provenance_begins(struct mpg_provenance *trail);
/* It comes FROM there, the first of the record's in all lanes that no further one has, with TERMS (MPG_CRITICAL_COMPUTATION ...;
 * NULL: 0) that are the same in all of these. What messages take is BETWEEN two ranks: a place of the tally's, UINT32_MAX: it is
 * of no pair. Returned are, of further ones, words of 64 lanes each, all 0, of which the caller sets the lanes' bits. */
uint64_t *mpg_provenance_from(struct mpg_provenance *trail, struct mpg_value from, const double *terms, uint32_t between);
/* The same of a further one in the lanes of BITS. */
void mpg_provenance_add_from(struct mpg_provenance *trail, struct mpg_value from, const double *terms, uint32_t between,
                        const uint64_t *bits);
/* TO comes, in each lane, from the time of the one of SLOTS that NUMBERS says, where it will be waited for. */
void mpg_provenance_add_one_of(struct mpg_provenance *trail, struct mpg_value to, const double *numbers,
                          const uint32_t *slots);
/* VALUES of one TERM of the record that differs. Terms of a record come in their order, once each. */
void mpg_provenance_add_term(struct mpg_provenance *trail, enum mpg_attribution_term term, const double *values);
/* The same of A - B (NULL: nothing) - LESS. */
void mpg_provenance_add_difference(struct mpg_provenance *trail, enum mpg_attribution_term term, const double *a,
                                   const double *b, double less);
/* What SLOT held is written over, all of its parts. */
void mpg_provenance_renew(struct mpg_provenance *trail, uint32_t slot);
/* Whether a part of SLOT has a value. */
bool mpg_provenance_has(const struct mpg_provenance *trail, uint32_t slot, enum mpg_value_part part);

/* --- now and then: at steps that do not depend on how many lanes there are, as sums' last digits do on them --- */

/* After so many STEPS since the last time: whether now is the time to mark what can still be read, and resolve. */
bool mpg_provenance_cut(struct mpg_provenance *trail, uint64_t steps);
/* Words of lanes in which VALUE can be read: the caller sets bits. NULL: out of memory. */
uint64_t *mpg_provenance_mark(struct mpg_provenance *trail, struct mpg_value value);
/* All slots but those UNUSED, N of them. */
void mpg_provenance_mark_slots(struct mpg_provenance *trail, const uint32_t *unused, uint32_t n);
/* Error: out of memory. */
int mpg_provenance_resolve(struct mpg_provenance *trail, struct mpg_error *err);
/* After the last: where each lane's run ends is marked, one value each; RUN_NS are when. Errors: as resolve's; a path that
 * does not come to its run. */
int mpg_provenance_finish(struct mpg_provenance *trail, const double *run_ns, struct mpg_error *err);
/* About what a lane takes, bytes, where there are so many SLOTS. */
double mpg_provenance_lane_bytes(uint32_t slots);

static inline uint32_t mpg_provenance_words(uint32_t lanes)
{
    return (lanes + 63) / 64;
}

/* Whether any of the bits of LANES is set; whether all are. */
bool mpg_provenance_any(const uint64_t *bits, uint32_t lanes);
bool mpg_provenance_all(const uint64_t *bits, uint32_t lanes);
/* Of LANES those in which A is larger than B, into words of BITS. */
void mpg_provenance_find_larger(uint32_t lanes, const double *a, const double *b, uint64_t *bits);

#endif
