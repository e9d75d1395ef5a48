/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sigdiff says what it found, on standard output; the main function checks
 * that it was written. */
#ifndef MPG_DIFF_REPORT_H
#define MPG_DIFF_REPORT_H

#include "signature/diff/compare.h"

/* For people; ALL: every parameter. */
void diff_report_text(const struct mpg_signature *a, const struct mpg_signature *b,
                      const struct mpg_difference *d, const struct mpg_comparing *how,
                      bool all);
/* For programs: everything, in one object. Errors: out of memory, a failed write. */
int diff_report_json(const struct mpg_signature *a, const struct mpg_signature *b,
                     const struct mpg_difference *d, const struct mpg_comparing *how,
                     struct mpg_error *err);

#endif
