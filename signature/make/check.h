/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a measurement good enough? What speaks against it, with figures and remedies. */
#ifndef MPG_CHECK_H
#define MPG_CHECK_H

#include <stddef.h>

#include "common/error.h"
#include "signature/make/results.h"
#include "signature/signature.h"

struct mpg_check;

/* A check of nothing yet, which the caller frees. Errors: out of memory. */
struct mpg_check *mpg_check_new(struct mpg_error *err);

/* Looks at one file, which mpg_collect_add() took without an error. Errors: out of
 * memory. */
int mpg_check_add(struct mpg_check *check, const struct mpg_results *results,
                  struct mpg_error *err);

/* Looks at SIG, which became of all of them, and puts into it how many checks were made
 * and which failed, with what was found (its figures, in how many files) and what to do
 * about it. Called once. Errors: out of memory; SIG can then only be freed. */
int mpg_check_finish(struct mpg_check *check, struct mpg_signature *sig, struct mpg_error *err);

void mpg_check_free(struct mpg_check *check); /* NULL is allowed */

#endif
