/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signature of the machine that is traced on, which mpgtrace record --signature names. */
#ifndef MPG_TRACER_SOURCE_H
#define MPG_TRACER_SOURCE_H

#include "trace/store/writer.h"

/* Stores the file that MPGTRACE_SIGNATURE names, if it does; says why where it cannot, and
 * goes on. On rank 0, before recording begins. */
void source_store(struct mpg_trace_writer *w);

#endif
