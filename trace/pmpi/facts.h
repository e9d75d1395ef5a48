/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the run in a rank's trace. Only for the thread that may write to the stream. */
#ifndef MPG_TRACER_FACTS_H
#define MPG_TRACER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pmpi/clock_offsets.h"
#include "trace/store/writer.h"

/* Agrees on a number for the run, made by rank 0, and returns it. Collective over MPI_COMM_WORLD. */
uint64_t facts_agree_on_run(int rank);
/* Writes the number of the RUN, the host, the clock (CLOCK_IS_SHARED: all ranks read a common clock) and the tracer's overheads.
 * RANK 0 adds the facts common to all ranks; the rank that SPEAKS for its host adds the host's facts. Returns -1 on error. */
int facts_write_first(struct mpg_trace_writer *w, int rank, uint64_t run, bool clock_is_shared, bool speaks,
                      struct mpg_error *err);
int facts_write_offset(struct mpg_trace_writer *w, const struct clock_offset *offset,
                       struct mpg_error *err);
/* Writes a fact to the stream or to the profile. */
int facts_write(struct mpg_trace_writer *w, const char *key, const char *value,
                struct mpg_error *err);
/* Writes the facts known only at the end. */
int facts_write_last(struct mpg_trace_writer *w, struct mpg_error *err);

#endif
