/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of several rows: what all have is said once, what some have of them. */
#ifndef MPG_REPORTS_LINES_H
#define MPG_REPORTS_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate/reports/attention.h"

/* Those of row I of ROWS, which are the caller's own. */
typedef const struct mpg_attention *mpg_lines_of(const void *rows, size_t i);

struct mpg_lines {
    const void *rows;
    size_t n; /* >= 1 */
    mpg_lines_of *of;
};

bool mpg_lines_any(const struct mpg_lines *lines);
/* Each line once, with the numbers of the rows, from 1, that have it if not all do; of one topic no more than a few.
 * HEADS: as those at the head of an answer. */
void mpg_lines_print(const struct mpg_lines *lines, bool heads, FILE *out);

#endif
