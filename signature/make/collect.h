/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From results files, one after another, to a signature. */
#ifndef MPG_COLLECT_H
#define MPG_COLLECT_H

#include <stddef.h>

#include "common/error.h"
#include "signature/make/results.h"
#include "signature/signature.h"

struct mpg_collect;

/* An empty collection, which the caller frees. Errors: out of memory. */
struct mpg_collect *mpg_collect_new(struct mpg_error *err);

/* Takes over what RESULTS says (copied; the caller keeps RESULTS). Errors name
 * its file: another CPU than the files before, a core of a host or a launch on a
 * class of path that was there already, no samples, detours out of order,
 * overlapping or beyond the span, a missing header line. After an error the
 * collection can only be freed. */
int mpg_collect_add(struct mpg_collect *collect, const struct mpg_results *results,
                    struct mpg_error *err);

/* The signature of everything added, checked; the caller frees it. Called once,
 * after at least one mpg_collect_add(). */
struct mpg_signature *mpg_collect_finish(struct mpg_collect *collect, struct mpg_error *err);

/* What the user should know, a line each, complete after mpg_collect_finish():
 * missing benchmarks, detours left out, files of different kernels or clocks.
 * The collection owns the lines. Returns how many there are. */
size_t mpg_collect_warnings(const struct mpg_collect *collect, const char *const **line);

void mpg_collect_free(struct mpg_collect *collect); /* NULL is allowed */

#endif
