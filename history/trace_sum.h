/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checksum of a trace. */
#ifndef MPG_HISTORY_TRACE_SUM_H
#define MPG_HISTORY_TRACE_SUM_H

#include "trace/reader.h"

/* Of TRACE, at PATH: as mpg_history_sum() of a file; of a folder that of its chunks, "chunks-..."; "": none. */
void mpg_history_trace_sum(const struct mpg_trace *trace, const char *path, char sum[40]);

#endif
