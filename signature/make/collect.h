/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collection of results files into a signature. */
#ifndef MPG_COLLECT_H
#define MPG_COLLECT_H

#include <stddef.h>

#include "common/error.h"
#include "signature/make/results.h"
#include "signature/signature.h"

struct mpg_collect;

/* Makes an empty collection; the caller frees it. Errors: out of memory. */
struct mpg_collect *mpg_collect_new(struct mpg_error *err);

/* Adds RESULTS (copied; the caller keeps RESULTS). Errors, naming the file: CPU different from earlier files; core
 * or launch measured before; no samples; detours out of order, overlapping or beyond the span; header line
 * missing. After an error the collection can only be freed. */
int mpg_collect_add(struct mpg_collect *collect, const struct mpg_results *results,
                    struct mpg_error *err);

/* Makes the checked signature of all files; the caller frees it. Called once, after at least a call of
 * mpg_collect_add(). */
struct mpg_signature *mpg_collect_finish(struct mpg_collect *collect, struct mpg_error *err);

/* Returns the number of warnings, and the lines in *LINE, owned by the collection; complete after
 * mpg_collect_finish(): missing benchmarks, truncated records, differing kernels or clocks. */
size_t mpg_collect_warnings(const struct mpg_collect *collect, const char *const **line);

void mpg_collect_free(struct mpg_collect *collect); /* NULL is allowed */

#endif
