/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion times of requests, read ahead of the rank's current call by a second cursor (docs/MODEL.md, section 6).
 * Memory is bounded by the distance between both. */
#ifndef MPG_GRAPH_COMPLETION_TIMES_H
#define MPG_GRAPH_COMPLETION_TIMES_H

#include "common/error.h"
#include "trace/reader.h"

struct completion_times;

/* Opens a cursor at the first call of RANK. TRACE must outlive it. Returns NULL with ERR. The caller closes it. */
struct completion_times *mpg_graph_completion_times_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* *LEAVE_NS: leave, on the rank's clock, of the call numbered NUMBER or later that completes REQUEST. Returns 1; 0:
 * none of the next 65536 calls does; -1 with ERR: the trace is damaged. */
int mpg_graph_completion_time(struct completion_times *completion_times, uint64_t number, int64_t request, int64_t *leave_ns,
                              struct mpg_error *err);
/* Call NUMBER is over: its completions will not be asked for. */
void mpg_graph_completion_times_forget(struct completion_times *completion_times, uint64_t number);
void mpg_graph_completion_times_close(struct completion_times *completion_times); /* NULL is allowed */

#endif
