/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aggregated calls before they become events: rows in the segment, which survive the process like events. mpgtrace(5)
 * has the layout. Private to trace/. */
#ifndef MPG_SUMS_H
#define MPG_SUMS_H

#include <stdint.h>

enum { MPG_SUM_ROWS = 256, MPG_SUM_ROW_BYTES = 64, MPG_SUM_SLOTS = 2 * MPG_SUM_ROWS };

/* Little-endian. */
struct mpg_sum_row {
    uint32_t call;
    int32_t site;    /* number in the stream */
    uint64_t calls;  /* stored last; 0: empty */
    uint64_t time_ns, least_ns, most_ns;
    int64_t last_ns; /* leave of the last call */
    /* 0, or the event that the row becomes: chunk number modulo 2^32 in the upper half, number of events including
     * this one in the lower */
    uint64_t event;
    uint64_t unused;
};
_Static_assert(sizeof(struct mpg_sum_row) == MPG_SUM_ROW_BYTES, "rows are as in the format");

#endif
