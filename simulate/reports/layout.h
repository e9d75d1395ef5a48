/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the lines of the short answer into a page of limited height and width. Private to simulate/reports/. */
#ifndef MPG_LAYOUT_H
#define MPG_LAYOUT_H

#include <stdio.h>

#include "common/error.h"

enum { MPG_LAYOUT_NAME = 22 }; /* columns of a line's name; folded lines continue below the value */

/* Writes TEXT, lines that end with a newline, to OUT in at most MAX lines of at most COLUMNS columns each (0: no limit; a
 * character counts as one column). If there are more lines, or lines must be folded, empty lines after the first are left out.
 * Lines that are too long are folded at blanks, as far as MAX allows: first lines that begin with a word of FIRST (a list with
 * NULL at the end), in the order of FIRST; then other lines in order, from the first empty line on. Lines that cannot be folded
 * are cut and end with "...". TEXT has at most MAX nonempty lines; further lines are left out. Error: out of memory. */
int mpg_layout_put(const char *text, unsigned max, unsigned columns, const char *const *first, FILE *out, struct mpg_error *err);

#endif
