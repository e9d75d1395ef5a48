/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pre-pass cache: findings of passes over a trace, in a file beside the trace, so the next run of mpgsim can skip the passes:
 * mpgsim.floors in the trace's folder, or NAME.floors beside the trace file NAME, also for traces of other tools. Nothing is
 * written beside a trace of another user.
 *
 * The cache is verified before use: the file belongs to the user, and holds a digest under the user's key
 * (simulate/cache/siphash.h), the writing build of mpgkit, and a checksum of the trace (mpg_trace_sum()). The key of a finding
 * holds all dependencies of the finding, except the trace. A cache failing a check is ignored. The file is written aside and
 * renamed; failures to write are no errors. */
#ifndef MPG_CACHE_H
#define MPG_CACHE_H

#include "common/bytes.h"
#include "graph/graph.h"

struct mpg_cache;

/* Opens the cache of TRACE, which outlives the cache; without WRITES the file is not changed. Returns NULL if a cache is
 * impossible: the trace is a pipe, the traced processes still run or left tracer segments, the user's key file cannot be used
 * (simulate/cache/siphash.h), or out of memory. All functions accept NULL. */
struct mpg_cache *mpg_cache_open(const struct mpg_trace *trace, bool writes);
/* Sets LEFT to the finding stored under KEY, valid until the next mpg_cache_add(). Returns false if there is none. */
bool mpg_cache_find(const struct mpg_cache *cache, const struct mpg_bytes *key,
                   struct mpg_bytes_left *left);
/* Stores a finding under KEY, replacing an older finding, and writes the file. A finding large compared with the trace is not
 * stored. If there are too many findings, the oldest are dropped. */
void mpg_cache_add(struct mpg_cache *cache, const struct mpg_bytes *key,
                  const struct mpg_bytes *finding);
void mpg_cache_close(struct mpg_cache *cache);

/* Appends to KEY all dependencies of the findings of pass NAME: OPTIONS of the graph, and SOURCE, the source of the clocks'
 * offsets. */
void mpg_cache_key(struct mpg_bytes *key, const char *name, const struct mpg_graph_options *options,
                  enum mpg_clock_source source);

#endif
