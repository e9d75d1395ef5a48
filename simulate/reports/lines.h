/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of several rows: what all have is said once, what some have of them. */
#ifndef MPG_REPORTS_LINES_H
#define MPG_REPORTS_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate/reports/attention.h"

/* Lists of N >= 1 rows, which are STRIDE bytes apart. */
struct mpg_lines {
    const struct mpg_attention *first;
    size_t n, stride;
};

/* The lists that MEMBER is of N rows from ROW on. */
#define MPG_LINES(ROW, N, MEMBER) (struct mpg_lines){&(ROW)->MEMBER, (N), sizeof *(ROW)}

/* A line of a list, of an answer's head. */
void mpg_lines_put(const char *topic, const char *text, FILE *out);
void mpg_lines_put_head(const char *topic, const char *text, FILE *out);
/* Each line once, with the numbers of the rows, from 1, that have it if not all do; of one topic no more than a few.
 * HEADS: as those at the head of an answer. */
void mpg_lines_print(const struct mpg_lines *lines, bool heads, FILE *out);
/* The same as an answer begins, if there are any: under "Attention". */
void mpg_lines_attention(const struct mpg_lines *lines, FILE *out);
/* What REPORT needs attention for and assumes, into the lists, which it then has. Error: out of memory. */
int mpg_lines_take(struct mpg_report *report, struct mpg_attention *attention, struct mpg_attention *assumed,
                   struct mpg_error *err);

#endif
