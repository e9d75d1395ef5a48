/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output of sigdiff on standard output; the main function checks for write errors. */
#ifndef MPG_DIFF_REPORT_H
#define MPG_DIFF_REPORT_H

#include "common/conditions/conditions.h"
#include "signature/diff/compare.h"

/* Writes the text output; ALL: every parameter. */
void diff_report_text(const struct mpg_signature *a, const struct mpg_signature *b,
                      const struct mpg_difference *d, const struct mpg_compare_options *options,
                      bool all);
/* The results of the conditions of --fail-if. */
struct diff_results {
    struct mpg_condition_result *result;
    size_t n;
};
/* Writes the comparison, and RESULTS if any, as one JSON object. Returns 0, or -1 with ERR: out of memory, failed write. */
int diff_report_json(const struct mpg_signature *a, const struct mpg_signature *b,
                     const struct mpg_difference *d, const struct mpg_compare_options *options,
                     const struct diff_results *results, struct mpg_error *err);

#endif
