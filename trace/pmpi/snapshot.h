/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What readers need of the time before a part of a run (last.h). Callers hold the lock. */
#ifndef MPG_PMPI_SNAPSHOT_H
#define MPG_PMPI_SNAPSHOT_H

#include "common/error.h"
#include "trace/event.h"
#include "trace/pmpi/stream.h"

/* Follows E, which is about to be written. */
void snapshot_follow(const struct mpg_event *e);
/* Writes the snapshots of all streams, which have begun a part; the caller owns all streams. Returns 0, or -1 with ERR. */
int snapshot_write(int64_t now_ns, struct mpg_error *err);
/* Writes the snapshot of STREAM, a new stream of this thread, in which nothing was before. On failure recording ends. */
void snapshot_begin_stream(struct stream *stream);

#endif
