/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a rank's calls ahead of where it is, once more, for what a call has to know of later
 * ones (docs/MODEL.md, section 6). What it keeps is as long as it is ahead. */
#ifndef MPG_GRAPH_SCOUT_H
#define MPG_GRAPH_SCOUT_H

#include "common/error.h"
#include "trace/reader.h"

struct completion_times;

/* At the first call of RANK; TRACE outlives it. NULL with ERR. */
struct completion_times *mpg_graph_completion_times_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* When the call leaves, call NUMBER or a later one, that completes REQUEST, into *LEAVE_NS, on the
 * rank's clock: 1; 0: none of the next 65536 does; -1: the trace is damaged. */
int mpg_graph_completion_time(struct completion_times *completion_times, uint64_t number, int64_t request, int64_t *leave_ns,
                              struct mpg_error *err);
/* Call NUMBER is over: what it completed will not be asked for. */
void mpg_graph_completion_times_forget(struct completion_times *completion_times, uint64_t number);
void mpg_graph_completion_times_close(struct completion_times *completion_times); /* NULL is allowed */

#endif
