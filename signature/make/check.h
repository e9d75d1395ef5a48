/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality checks of a measurement. Each failed check states a finding with numbers, the effect and a remedy. */
#ifndef MPG_CHECK_H
#define MPG_CHECK_H

#include <stddef.h>

#include "common/error.h"
#include "signature/make/results.h"
#include "signature/signature.h"

struct mpg_check;

/* Returns an empty check for the caller to free; NULL with ERR: out of memory. */
struct mpg_check *mpg_check_new(struct mpg_error *err);

/* Checks the file RESULTS, which mpg_collect_add() has accepted. Errors: out of memory. */
int mpg_check_add(struct mpg_check *check, const struct mpg_results *results,
                  struct mpg_error *err);

/* Checks SIG, made of all files, and stores the number of checks and the failed checks in SIG, each with finding (numbers, count
 * of files) and remedy. Must be called once. Errors: out of memory; then SIG can only be freed. */
int mpg_check_finish(struct mpg_check *check, struct mpg_signature *sig, struct mpg_error *err);

void mpg_check_free(struct mpg_check *check); /* Frees the check; NULL is allowed. */

#endif
