/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parser of a line of hypotheses. Private to trace/hypothesis/. */
#ifndef MPG_HYPOTHESIS_PRIVATE_H
#define MPG_HYPOTHESIS_PRIVATE_H

#include "trace/hypothesis/hypothesis.h"

/* Parses TEXT, which is modified, into the members of X other than `text` and `where`; they must be zero. Returns 0, or -1 with
 * ERR. X must be cleared even after an error. */
int mpg_hypothesis_parse(struct mpg_hypothesis *x, char *text, struct mpg_error *err);
/* Returns whether WORD is a verb. */
bool mpg_hypothesis_is_verb(const char *word);
void mpg_hypothesis_clear(struct mpg_hypothesis *x);

#endif
