/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each hypothesis has of the change that all make together (docs/MODEL.md, section 10, Shares). */
#ifndef MPG_SUPPOSING_H
#define MPG_SUPPOSING_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/evaluate/result.h"
#include "simulate/models/perturbation.h"
#include "trace/hypothesis/hypothesis.h"

/* Run times, a replica's each, with the same draws. */
struct mpg_supposing {
    const struct mpg_hypotheses *list;
    uint32_t replicas, first_replica;
    struct mpg_resampling resampling; /* intervals include that signatures are samples (simulate/evaluate/interval.h) */
    const double *all_ns;    /* the answer's */
    const double *none_ns;   /* without any */
    const double **alone_ns; /* of each: with it alone, or NULL: that would drop by halves, */
    const double **rest_ns;  /* and with all others, likewise, or they would contradict each other without it: */
    const struct mpg_hypothesis **needed_by; /* of each: the one that balances what it scales, and needs it for that; or NULL */
    double **runs;           /* which are here, but for the answer's */
    size_t run_number;
};

/* Changes of a run from one to another, replica by replica, over replicas, with the interval of their median; SCRATCH: 2
 * doubles for each. */
struct mpg_summary mpg_supposing_change(const struct mpg_supposing *s, const double *from_ns,
                                        const double *to_ns, double *scratch);
int mpg_supposing_text(const struct mpg_supposing *s, FILE *out, struct mpg_error *err);
/* The member KEY, as mpgsim-json(5) has it. Error: out of memory. */
int mpg_supposing_json(struct mpg_json *json, const char *key, const struct mpg_supposing *s, struct mpg_error *err);

#endif
