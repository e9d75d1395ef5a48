/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality checks of a measurement. Each failed check has its finding in figures, its effect and a remedy. */
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

/* Checks SIG, made of all files, and stores the number of checks and the failed checks in SIG, with finding
 * (figures, number of files) and remedy. Called once. Errors: out of memory; SIG can then only be freed. */
int mpg_check_finish(struct mpg_check *check, struct mpg_signature *sig, struct mpg_error *err);

void mpg_check_free(struct mpg_check *check); /* Frees the check; NULL is allowed. */

#endif
