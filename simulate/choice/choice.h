/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls complete in worlds whose times differ (docs/MODEL.md, section 6), in either mode: what was
 * found. */
#ifndef MPG_CHOICE_H
#define MPG_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Of one pass; who evaluates makes it (simulate/choice/choice_private.h). */
struct mpg_choosing;

/* Summed over lanes. */
struct mpg_choices {
    uint64_t picks_changed; /* calls that completed something else, less, or more */
    uint64_t tests_early;   /* that failed in the trace, and completed something */
    uint64_t tests_saved;   /* that failed, and are not made any more */
    uint64_t answers;       /* sends to who sent what another was completed for, once each */
};

void mpg_choices_add(struct mpg_choices *sum, const struct mpg_choices *c);
const struct mpg_choices *mpg_choosing_counts(const struct mpg_choosing *c);
/* Which lanes are broken, one a lane, C's: a message left too early for what it answers: the lane is void. */
const bool *mpg_choosing_broken_lanes(const struct mpg_choosing *c);
/* Once all steps are made: an error if no override says what the observed lane did, unless it is broken. */
int mpg_choosing_refusal(const struct mpg_choosing *c, struct mpg_error *err);
/* What it takes for each slot and lane, at most. */
size_t mpg_choosing_view_bytes(void);

#endif
