/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checksum of a trace. */
#ifndef MPG_HISTORY_TRACE_CHECKSUM_H
#define MPG_HISTORY_TRACE_CHECKSUM_H

#include "trace/reader.h"

/* Writes to SUM the checksum of TRACE, named PATH: of a file by mpg_history_checksum(); of a folder "chunks-..." computed from
 * the trace's chunks; "": no checksum. */
void mpg_history_trace_checksum(const struct mpg_trace *trace, const char *path, char sum[40]);

#endif
