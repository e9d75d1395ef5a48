/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several graphs of one trace that share the ranks. Each graph, a part, reads the events of its own ranks only, and makes only
 * the steps of these ranks. A thread makes and evaluates one part. Parts exchange messages and arrivals in collectives, with
 * their values: an EXPORT step (graph/graph.h) writes the values of a slot, an IMPORT step reads the values into a slot.
 *
 * A part gives up if an operation needs the whole trace, and then all parts do: mpg_graph_next() fails, and
 * mpg_rank_parts_reason() says why. The caller then evaluates the whole graph. */
#ifndef MPG_GRAPH_PARTS_H
#define MPG_GRAPH_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/reader.h"

enum { MPG_PARTS_MAX = 64 };

struct mpg_rank_parts;
struct mpg_rank_part;

/* Divides the ranks of TRACE into N blocks of consecutive ranks with similar numbers of events; N is 2 .. MPG_PARTS_MAX, and at
 * most the number of ranks. VALUE_BYTES: size of an exchanged value, a multiple of 8. The caller frees the parts, after the
 * graphs. Returns NULL with ERR: out of memory. */
struct mpg_rank_parts *mpg_rank_parts_new(const struct mpg_trace *trace, unsigned n, size_t value_bytes, struct mpg_error *err);
/* Returns part I, for options.part of a graph. */
struct mpg_rank_part *mpg_rank_parts_part(struct mpg_rank_parts *parts, unsigned i);
/* Sets the ranks of PART: *FIRST .. *END - 1. */
void mpg_rank_part_ranks(const struct mpg_rank_part *part, int32_t *first, int32_t *end);
/* Returns the number of events of PART's ranks. */
double mpg_rank_part_events(const struct mpg_rank_part *part);
/* Makes all parts give up, for REASON, if no part has given up before. Any thread may call this. */
void mpg_rank_part_give_up(struct mpg_rank_part *part, const char *reason);
/* Returns why the parts gave up; NULL: they did not. Valid until the parts are freed; call when no thread uses the parts. */
const char *mpg_rank_parts_reason(const struct mpg_rank_parts *parts);
void mpg_rank_parts_free(struct mpg_rank_parts *parts); /* NULL is allowed */

#endif
