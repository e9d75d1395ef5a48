/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion times of requests, read ahead of the rank's current call by a second cursor (docs/MODEL.md, section 6). Memory
 * is proportional to the calls between the current call and this cursor. */
#ifndef MPG_GRAPH_COMPLETION_TIMES_H
#define MPG_GRAPH_COMPLETION_TIMES_H

#include "common/error.h"
#include "trace/reader.h"

struct completion_times;

/* Opens a cursor at the first call of RANK, to be closed before TRACE. Returns NULL with ERR. */
struct completion_times *mpg_graph_completion_times_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Sets *LEAVE_NS to the leave, on the rank's clock, of the first call with number NUMBER or higher that completes REQUEST.
 * Returns 1; 0: none of the next 65536 calls does; -1 with ERR: the trace is damaged. */
int mpg_graph_completion_time(struct completion_times *completion_times, uint64_t number, int64_t request, int64_t *leave_ns,
                              struct mpg_error *err);
/* Frees the completion times of calls up to NUMBER; to be called when call NUMBER is over. */
void mpg_graph_completion_times_forget(struct completion_times *completion_times, uint64_t number);
void mpg_graph_completion_times_close(struct completion_times *completion_times); /* NULL is allowed */

#endif
