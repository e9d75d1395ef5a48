/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank's trace says of the run. For the thread that may write to the stream. */
#ifndef MPG_TRACER_FACTS_H
#define MPG_TRACER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pmpi/clock_offsets.h"
#include "trace/store/writer.h"

/* The number of a run, which all of its ranks have. Collective; for rank 0 to make. */
uint64_t facts_agree_on_run(int rank);
/* Of which RUN it is, where and with what the program runs; RANK 0 says what holds for all, and the rank that
 * SPEAKS for those of its host what holds for these. */
int facts_write_first(struct mpg_trace_writer *w, int rank, uint64_t run, bool clock_is_shared, bool speaks,
                      struct mpg_error *err);
int facts_write_offset(struct mpg_trace_writer *w, const struct clock_offset *offset,
                       struct mpg_error *err);
/* One fact, into the stream or the profile. */
int facts_write(struct mpg_trace_writer *w, const char *key, const char *value,
                struct mpg_error *err);
/* What is known only at the end. */
int facts_write_last(struct mpg_trace_writer *w, struct mpg_error *err);

#endif
