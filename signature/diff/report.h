/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigdiff's output on standard output. The main function checks for write errors. */
#ifndef MPG_DIFF_REPORT_H
#define MPG_DIFF_REPORT_H

#include "signature/diff/compare.h"

/* Prints a text. ALL: every parameter. */
void diff_report_text(const struct mpg_signature *a, const struct mpg_signature *b,
                      const struct mpg_difference *d, const struct mpg_comparing *how,
                      bool all);
/* Prints everything as one JSON object. Errors: out of memory, write error. */
int diff_report_json(const struct mpg_signature *a, const struct mpg_signature *b,
                     const struct mpg_difference *d, const struct mpg_comparing *how,
                     struct mpg_error *err);

#endif
