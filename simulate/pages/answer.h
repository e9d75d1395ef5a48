/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The top of a page, which needs no script: the lines of the answer as in text, in the same order and words; warnings and
 * assumptions are folded. Private to simulate/pages/. */
#ifndef MPG_PAGES_ANSWER_H
#define MPG_PAGES_ANSWER_H

#include <stdio.h>

#include "simulate/reports/report.h"

/* Writes the answer of REPORT, which has its notes, to OUT. Returns 0, or -1 with ERR: no memory. */
int mpg_page_answer(const struct mpg_report *report, FILE *out, struct mpg_error *err);

#endif
