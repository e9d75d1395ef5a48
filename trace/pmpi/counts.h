/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of this rank's operations with other ranks, by channel, communicator and window. Where the events of operations are not
 * in the trace, their counts are (call Unrecorded): readers match messages and collectives by order. Callers hold the lock. */
#ifndef MPG_PMPI_COUNTS_H
#define MPG_PMPI_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"

enum counted { COUNT_SENDS, COUNT_RECEIVES, COUNT_COLLECTIVES, COUNT_WINDOWS };

/* Counts an operation; no effect for messages of MPI_PROC_NULL. A collective has the peer MPG_PROC_NULL and tag 0; of a window,
 * COMM is the number of the window. */
void counts_add(enum counted what, int32_t comm, int32_t peer, int32_t tag);
/* Returns whether E, which is not failed, posts a receive whose message is known only when it completes. */
bool counts_is_wildcard(const struct mpg_event *e);
/* Counts all operations of E, a call that is complete and did not fail, except a receive as above and the starts of persistent
 * requests. */
void counts_event(const struct mpg_event *e);
/* Returns the number of different counts. */
size_t counts_number(void);
/* Returns an event without a count. */
struct mpg_event counts_blank(void);
/* Gives an event for each count to WRITE, which returns 0, or -1 with ERR. Returns 0, or -1 with ERR after the first failure. */
int counts_write(int (*write)(struct mpg_event *e, int64_t now_ns, struct mpg_error *err), int64_t now_ns, struct mpg_error *err);
/* Removes the counts of communicators and windows that the program has freed: no operation can follow there. Only where both are
 * kept (streams.redefines, streams.part). Returns 0, or -1 with ERR: out of memory. */
int counts_prune(struct mpg_error *err);
/* Sets all counts to 0. */
void counts_clear(void);

#endif
