/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The top of a page, without script: the lines of the answer, in the order and words of the text output; warnings and assumptions
 * are folded. Private to simulate/pages/. */
#ifndef MPG_PAGES_ANSWER_H
#define MPG_PAGES_ANSWER_H

#include <stdio.h>

#include "simulate/reports/report.h"

/* Writes the answer of REPORT, whose notes must be gathered, to OUT. Returns 0, or -1 with ERR: no memory. */
int mpg_page_answer(const struct mpg_report *report, FILE *out, struct mpg_error *err);

#endif
