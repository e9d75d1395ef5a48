/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of hypotheses, word by word. Private to trace/hypothesis/. */
#ifndef MPG_HYPOTHESIS_PRIVATE_H
#define MPG_HYPOTHESIS_PRIVATE_H

#include "trace/hypothesis/hypothesis.h"

/* Reads TEXT, which is changed, into X, all zero: its kind and what that says; not text and where. X is to
 * be cleared even so. */
int mpg_hypothesis_parse(struct mpg_hypothesis *x, char *text, struct mpg_error *err);
/* Whether a hypothesis begins with WORD. */
bool mpg_hypothesis_is_verb(const char *word);
void mpg_hypothesis_clear(struct mpg_hypothesis *x);

#endif
