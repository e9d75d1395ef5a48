/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are summed up rather than recorded each, before they are an event: rows in the
 * window, which outlive the process as its events do. mpgtrace(5) has their layout. Private to
 * trace/. */
#ifndef MPG_SUMS_H
#define MPG_SUMS_H

#include <stdint.h>

enum { MPG_SUM_ROWS = 256, MPG_SUM_ROW_BYTES = 64, MPG_SUM_SLOTS = 2 * MPG_SUM_ROWS };

/* Little-endian. */
struct mpg_sum_row {
    uint32_t call;
    int32_t site;    /* the stream's number */
    uint64_t calls;  /* stored last; 0: none */
    uint64_t time_ns, least_ns, most_ns;
    int64_t last_ns; /* when the last of them returned */
    uint64_t event;  /* 0, or what becomes an event: the chunk's number modulo 2^32 in the upper
                        half, how many events it then has in the lower */
    uint64_t unused;
};
_Static_assert(sizeof(struct mpg_sum_row) == MPG_SUM_ROW_BYTES, "rows are as in the format");

#endif
