/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aggregated calls not yet written as events: rows in the segment, which survive the process like events. mpgtrace(5) has the
 * layout. Private to trace/. */
#ifndef MPG_SUMS_H
#define MPG_SUMS_H

#include <endian.h>
#include <stdint.h>

#include "trace/event.h"

enum { MPG_SUM_ROWS = 256, MPG_SUM_ROW_BYTES = 64, MPG_SUM_SLOTS = 2 * MPG_SUM_ROWS };

/* The aggregate of one call and callsite, little-endian. */
struct mpg_sum_row {
    uint32_t call;
    int32_t site;    /* number in the stream */
    uint64_t calls;  /* stored last; 0: empty */
    uint64_t time_ns, min_ns, max_ns;
    int64_t last_ns; /* leave of the last call */
    /* 0, or the event that the row becomes: upper half: chunk number modulo 2^32; lower half: number of events of the chunk up
     * to this event */
    uint64_t event;
    uint64_t covered; /* number of calls represented by `time_ns`; 0: all (earlier versions timed each call) */
};
_Static_assert(sizeof(struct mpg_sum_row) == MPG_SUM_ROW_BYTES, "rows are as in the format");

/* Returns the sum in ROW, with the time extrapolated to the calls since the last timed call. Undefined for a damaged row: see
 * mpg_sum_is_consistent(). */
static inline struct mpg_sum mpg_sum_of_row(const struct mpg_sum_row *row)
{
    const uint64_t calls = le64toh(row->calls), covered = le64toh(row->covered), time = le64toh(row->time_ns);
    const uint64_t more = covered > 0 && covered < calls ? calls - covered : 0;
    const uint64_t more_time = more > 0 ? time / covered * more + time % covered * more / covered : 0;
    return (struct mpg_sum){.calls = (int64_t)calls,
                            .time_ns = (int64_t)(time + more_time),
                            .min_ns = (int64_t)le64toh(row->min_ns),
                            .max_ns = (int64_t)le64toh(row->max_ns)};
}

#endif
