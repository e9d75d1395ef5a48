/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of each hypothesis in the change of run time by all hypotheses together (docs/MODEL.md, section 10, Shares). */
#ifndef MPG_HYPOTHESIS_SHARES_H
#define MPG_HYPOTHESIS_SHARES_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/evaluate/driver/result.h"
#include "simulate/models/perturbation.h"
#include "trace/hypothesis/hypothesis.h"

/* Run times, by replica, of runs with different hypotheses. All runs have equal random draws. */
struct mpg_hypothesis_shares {
    const struct mpg_hypotheses *list;
    uint32_t replicas, first_replica;
    struct mpg_resampling resampling; /* intervals include the uncertainty of signatures (simulate/evaluate/driver/interval.h) */
    const double *all_ns;    /* run times with all hypotheses: the answer */
    const double *none_ns;   /* run times without hypotheses */
    /* for each hypothesis: run times with this hypothesis alone; NULL: impossible, since a collective would be dropped on some
     * ranks only */
    const double **alone_ns;
    /* for each hypothesis: run times with all other hypotheses; NULL: as in alone_ns, or the other hypotheses contradict each
     * other */
    const double **rest_ns;
    /* for each hypothesis H: another hypothesis whose balanced ranks would be scaled differently without H; NULL: none */
    const struct mpg_hypothesis **needed_by;
    double **runs;           /* all runs except all_ns, to be freed */
    size_t run_number;
};

/* Returns the summary of the change from FROM_NS to TO_NS over replicas, with a confidence interval of the median. SCRATCH:
 * memory for 2 doubles for each replica. */
struct mpg_summary mpg_hypothesis_shares_change(const struct mpg_hypothesis_shares *s, const double *from_ns,
                                        const double *to_ns, double *scratch);
/* Writes the shares as text. Error: out of memory. */
int mpg_hypothesis_shares_text(const struct mpg_hypothesis_shares *s, FILE *out, struct mpg_error *err);
/* Writes the shares as the member KEY (mpgsim-json(5)). Error: out of memory. */
int mpg_hypothesis_shares_json(struct mpg_json *json, const char *key, const struct mpg_hypothesis_shares *s,
                               struct mpg_error *err);

#endif
