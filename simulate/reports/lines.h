/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes of several rows of a table as text: a note of all rows is printed once; a note of some rows is followed by the numbers of
 * these rows. */
#ifndef MPG_REPORTS_LINES_H
#define MPG_REPORTS_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate/reports/warnings.h"

/* The lists of notes of N >= 1 rows; the lists of successive rows are STRIDE bytes apart. */
struct mpg_lines {
    const struct mpg_notes *first;
    size_t n, stride;
};

/* Makes a struct mpg_lines of the lists MEMBER of N rows from ROW on. */
#define MPG_LINES(ROW, N, MEMBER) (struct mpg_lines){&(ROW)->MEMBER, (N), sizeof *(ROW)}

/* Returns true if NOTE is about the quality of a measurement: notes on quality widen the interval, and are printed below the
 * numbers. */
bool mpg_lines_is_quality(const struct mpg_note *note);
/* Prints a note as a line of the answer's head. */
void mpg_lines_put_head(const char *topic, const char *text, FILE *out);

/* The functions below print each note once, followed by the numbers of the note's rows, from 1, unless all rows have the note.
 * Only a few notes are printed about each topic. */

/* Prints LINES as lines of the answer's head. */
void mpg_lines_heads(const struct mpg_lines *lines, FILE *out);
/* Prints why answers are not reliable (mpg_report_take_reliability()), after an empty line; prints nothing if all answers are
 * reliable. */
void mpg_lines_reliability(const struct mpg_lines *lines, FILE *out);
/* Prints the warnings that belong above the numbers, under the heading "Attention"; prints nothing without such warnings. */
void mpg_lines_warnings(const struct mpg_lines *lines, FILE *out);
/* Prints the section "Assumed", below the numbers: the warnings about quality, then the assumptions. */
void mpg_lines_assumed(const struct mpg_lines *warnings, const struct mpg_lines *assumed, FILE *out);

#endif
