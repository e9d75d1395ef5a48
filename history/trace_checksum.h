/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checksum of a trace. */
#ifndef MPG_HISTORY_TRACE_CHECKSUM_H
#define MPG_HISTORY_TRACE_CHECKSUM_H

#include "trace/reader.h"

/* Stores the checksum of TRACE at PATH in SUM: of a file as mpg_history_checksum(), of a folder "chunks-..." from its
   chunks; "": none. */
void mpg_history_trace_checksum(const struct mpg_trace *trace, const char *path, char sum[40]);

#endif
