/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states by call, callsite, region or rank, of one or several runs side by side. */
#ifndef MPG_WAITS_TABLE_H
#define MPG_WAITS_TABLE_H

#include "analyse/waits.h"
#include "trace/reader.h"

enum mpg_waits_by {
    MPG_WAITS_BY_CALL,
    MPG_WAITS_BY_CALLSITE,
    MPG_WAITS_BY_REGION,
    MPG_WAITS_BY_RANK,
    MPG_WAITS_BY_COUNT
};

enum { MPG_WAITS_RUNS = 2 }; /* maximum number of runs in a table: the traced run and a predicted run */

struct mpg_waits_row {
    enum mpg_call call;  /* BY_CALL, BY_CALLSITE */
    char *name; /* BY_CALLSITE: the stack frames, innermost first, one a line; BY_REGION: the region's name; otherwise NULL */
    int32_t rank;        /* BY_RANK */
    struct mpg_wait_sum sum[MPG_WAITS_RUNS];
};

struct mpg_waits_table {
    enum mpg_waits_by by;
    size_t n;
    struct mpg_waits_row *row;
};

/* Returns "call", "callsite", "region" or "rank". */
const char *mpg_waits_by_word(enum mpg_waits_by by);

/* Makes the rows of N runs of TRACE, grouped as BY says, leaving out rows without calls. Rows are sorted by waiting time of the
 * first run, longest first; ranks are sorted by number. A callsite's name has the FRAMES innermost functions; callsites with
 * equal names share a row. DEBUG_PATH: see mpg_symbols_new(). The caller clears TABLE, also on failure. Returns 0, or -1 with
 * ERR: no memory. */
int mpg_waits_table_make(struct mpg_waits_table *table, const struct mpg_waits *const *run, size_t n,
                         const struct mpg_trace *trace, enum mpg_waits_by by, int frames,
                         const char *debug_path, struct mpg_error *err);
void mpg_waits_table_clear(struct mpg_waits_table *table);

#endif
