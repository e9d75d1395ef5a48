/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collection of results files into a signature. */
#ifndef MPG_COLLECT_H
#define MPG_COLLECT_H

#include <stddef.h>

#include "common/error.h"
#include "signature/make/results.h"
#include "signature/signature.h"

struct mpg_collect;

/* Returns an empty collection for the caller to free; NULL with ERR: out of memory. */
struct mpg_collect *mpg_collect_new(struct mpg_error *err);

/* Adds results file RESULTS (copied; the caller keeps it). Errors, naming the file: CPU different from earlier files; core or
 * launch measured before; no samples; detours out of order, overlapping or beyond the end of the record; header line missing.
 * After an error the collection can only be freed. */
int mpg_collect_add(struct mpg_collect *collect, const struct mpg_results *results,
                    struct mpg_error *err);

/* Makes the signature of all files, checked by mpg_signature_check(), for the caller to free. To be called once, after
 * at least one mpg_collect_add(). */
struct mpg_signature *mpg_collect_finish(struct mpg_collect *collect, struct mpg_error *err);

/* Returns the number of warnings and sets *LINE to the warnings, owned by the collection: missing benchmarks, truncated records,
 * differing kernels or clocks. Complete after mpg_collect_finish(). */
size_t mpg_collect_warnings(const struct mpg_collect *collect, const char *const **line);

void mpg_collect_free(struct mpg_collect *collect); /* Frees the collection; NULL is allowed. */

#endif
