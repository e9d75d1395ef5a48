/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete different messages than in the trace, because arrival times differ (docs/MODEL.md, section 6):
 * counts and checks for callers of an evaluator, in perturb and predict mode. */
#ifndef MPG_CHOICE_H
#define MPG_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* State of a pass, created by the evaluator (simulate/choice/choice_private.h). */
struct mpg_choosing;

/* Counts of calls and messages, summed over lanes. A lane is a replica among several evaluated together. */
struct mpg_choices {
    uint64_t picks_changed; /* calls that complete a different set of messages than in the trace */
    uint64_t tests_early;   /* tests unsuccessful in the trace that complete a message in the lane */
    /* tests unsuccessful in the trace that are not made in the lane, because an earlier test of the polling loop has succeeded */
    uint64_t tests_saved;
    /* messages completed in the trace, but not in the lane, when the receiver sends a message to the message's sender,
     * perhaps an answer */
    uint64_t answers;
};

void mpg_choices_add(struct mpg_choices *sum, const struct mpg_choices *c);
const struct mpg_choices *mpg_choosing_counts(const struct mpg_choosing *c);
/* Returns for each lane whether the lane is void: the lane's choices contradict each other, for example a reply arrives
 * before the answered message is sent. C owns the array. */
const bool *mpg_choosing_broken_lanes(const struct mpg_choosing *c);
/* After the last step: checks that overrides describe every deviation of the observed lane. Returns 0, also if the lane is
 * void, or -1 with ERR naming the first call without an override. */
int mpg_choosing_refusal(const struct mpg_choosing *c, struct mpg_error *err);
/* Returns an upper bound of the memory for choices, in bytes, for each slot and lane. */
size_t mpg_choosing_view_bytes(void);

#endif
