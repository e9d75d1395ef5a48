/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes of several rows of a table as text: a note of all rows is printed once, a note of some rows with their numbers. */
#ifndef MPG_REPORTS_LINES_H
#define MPG_REPORTS_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate/reports/warnings.h"

/* A list of notes in each of N >= 1 rows, which are STRIDE bytes apart. */
struct mpg_lines {
    const struct mpg_notes *first;
    size_t n, stride;
};

/* The lists MEMBER of N rows from ROW on. */
#define MPG_LINES(ROW, N, MEMBER) (struct mpg_lines){&(ROW)->MEMBER, (N), sizeof *(ROW)}

/* Prints one note, indented below a heading, or as a line of the answer's head. */
void mpg_lines_put(const char *topic, const char *text, FILE *out);
void mpg_lines_put_head(const char *topic, const char *text, FILE *out);
/* Prints each note once, followed by the numbers of its rows, from 1, unless all rows have the note. Only a few notes are
 * printed about one topic. HEADS: as lines of the answer's head. */
void mpg_lines_print(const struct mpg_lines *lines, bool heads, FILE *out);
/* Prints warnings below the heading "Attention"; nothing if there are none. */
void mpg_lines_warnings(const struct mpg_lines *lines, FILE *out);

#endif
