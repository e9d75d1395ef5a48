/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signature of the source machine, named by mpgtrace record --signature. */
#ifndef MPG_TRACER_SOURCE_H
#define MPG_TRACER_SOURCE_H

#include "trace/store/writer.h"

/* Stores the file named by MPGTRACE_SIGNATURE in the trace. If the file cannot be stored, reports the reason and continues. For
 * rank 0, before recording begins. */
void source_store(struct mpg_trace_writer *w);

#endif
