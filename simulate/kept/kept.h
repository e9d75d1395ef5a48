/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes over a trace have found, kept in a file beside it, so that the next run of mpgsim need
 * not pass again: mpgsim.floors in its folder, or NAME.floors beside the file NAME.
 *
 * The file is a cache that is never believed without a reason: it is the user's own, holds a digest of itself under the user's
 * key (simulate/kept/seal.h), the build of mpgkit that wrote it, and a checksum over the contents of the trace (mpg_trace_sum()).
 * Each finding in it has a key, bytes that say all that it depends on beside the trace. Whatever does
 * not fit is as if it were not there. It is written aside and renamed; that it cannot be written is
 * nobody's error. */
#ifndef MPG_KEPT_H
#define MPG_KEPT_H

#include "common/bytes.h"
#include "graph/graph.h"

struct mpg_kept;

/* The findings of TRACE, which outlives it, read from its file; NULL where none can be kept: of a pipe,
 * of processes that run or left windows, where there is no key, out of memory. A NULL is allowed wherever one is asked for.
 * Unless WRITES the file stays as it is. */
struct mpg_kept *mpg_kept_open(const struct mpg_trace *trace, bool writes);
/* The finding of KEY goes to LEFT, valid until the next is added; false: there is none. */
bool mpg_kept_find(const struct mpg_kept *kept, const struct mpg_bytes *key,
                   struct mpg_bytes_left *left);
/* Adds FINDING of KEY, or replaces it, and writes the file. A finding that is large against the trace
 * is not kept; of many, those that were added last are. */
void mpg_kept_add(struct mpg_kept *kept, const struct mpg_bytes *key,
                  const struct mpg_bytes *finding);
void mpg_kept_close(struct mpg_kept *kept);

/* Puts to KEY what a pass with OPTIONS over a trace whose clocks are from SOURCE has found out of: NAME
 * says which pass. */
void mpg_kept_key(struct mpg_bytes *key, const char *name, const struct mpg_graph_options *options,
                  enum mpg_clock_source source);

#endif
