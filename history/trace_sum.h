/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checksum of a trace. */
#ifndef MPG_HISTORY_TRACE_SUM_H
#define MPG_HISTORY_TRACE_SUM_H

#include "trace/reader.h"

/* Stores the checksum of TRACE at PATH in SUM: of a file as mpg_history_sum(), of a folder "chunks-..." from its
   chunks; "": none. */
void mpg_history_trace_sum(const struct mpg_trace *trace, const char *path, char sum[40]);

#endif
