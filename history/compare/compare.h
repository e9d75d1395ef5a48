/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicted run times of kept answers before and after a change, and conditions on the change (common/conditions/conditions.h).
 * Private to mpghistory. */
#ifndef MPG_HISTORY_COMPARE_H
#define MPG_HISTORY_COMPARE_H

#include "common/conditions/conditions.h"
#include "history/history.h"

enum { ANSWERS_BEFORE, ANSWERS_AFTER, ANSWERS_SIDES };

/* The run time in a kept answer. */
struct answer {
    int64_t id;
    char *trace, *sum; /* the trace's name and checksum; "": not known */
    char *mode;        /* of mpgsim: "predict" or "perturb" */
    int64_t ranks;
    double run_ns, low_ns, high_ns; /* median of the replicas' run times, with 95 % confidence interval */
};

struct answers {
    struct answer *answer;
    size_t n;
};

/* Reads the answers with the N numbers ID from HISTORY into A, which the caller clears, also on failure. Returns 0, or -1 with
 * ERR: an answer other than JSON of a single prediction (mpgsim --json); errors of the history. */
int mpg_answers_read(struct answers *a, const char *history, const int64_t *id, size_t n, struct mpg_error *err);
void mpg_answers_clear(struct answers *a);
/* Checks that the answers of both sides have equal modes and numbers of ranks. Returns 0, or -1 with ERR. */
int mpg_answers_check(const struct answers side[ANSWERS_SIDES], struct mpg_error *err);
/* Checks that C is about the run time, with a ratio or a time as limit; a limit of 0 becomes a ratio. Returns 0, or -1 with
 * ERR. */
int mpg_answers_fit_condition(struct mpg_condition *c, struct mpg_error *err);
/* Fills X with the change of the run time from before to after, as a ratio or a time by UNIT, with 95 % interval: of the mean run
 * times of at least three answers a side (Fieller's interval of a ratio, Welch's of a difference); or of two answers from one
 * trace, by the intervals of the medians. Otherwise X says why there is no interval. All conditions are about this change, so a
 * single interval serves all conditions. Returns 0, or -1 with ERR: out of memory. */
int mpg_answers_change(struct mpg_condition_result *x, const struct answers side[ANSWERS_SIDES], enum mpg_condition_unit unit,
                       struct mpg_error *err);

#endif
