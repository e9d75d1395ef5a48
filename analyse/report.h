/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states as text, JSON and CSV. */
#ifndef MPG_WAITS_REPORT_H
#define MPG_WAITS_REPORT_H

#include <stdio.h>

#include "analyse/recording.h"
#include "analyse/threads.h"
#include "analyse/table.h"
#include "analyse/traced.h"
#include "common/table/table.h"

struct mpg_waits_report {
    const struct mpg_trace *trace;
    const struct mpg_waits *run[MPG_WAITS_RUNS]; /* the traced run, and a predicted run or NULL */
    size_t runs;
    const struct mpg_waits_table *table;
    size_t top;                            /* maximum number of rows printed as text and CSV; 0: all */
    enum mpg_clock_source clocks;
    enum mpg_waits_limit limit;            /* source of the traced run's eager limit: option or trace */
    int64_t limit_bytes;
    const struct mpg_graph_counts *counts; /* graph counts of the traced run */
    const struct mpg_threads *threads;     /* threads of the traced run; NULL: not reported */
    const struct mpg_recording *recording; /* quality of the trace; read by mpg_waits_print_text() and _json() */
};

/* Functions that return int return 0, or -1 with ERR: no memory. */

/* Prints the whole report as text: totals, table and notes. */
int mpg_waits_print_text(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
/* Prints totals and table as text. */
int mpg_waits_print_tables(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
/* mpg_waits_print_json() prints the whole report as JSON; the next function adds only totals and rows as members to the open
 * object of JSON. */
int mpg_waits_print_json(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
int mpg_waits_put_json(const struct mpg_waits_report *report, struct mpg_json *json, struct mpg_error *err);
/* Print the first rows of the table (report->top) as text or CSV; add all rows to JSON. */
int mpg_waits_print_rows(const struct mpg_waits_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
int mpg_waits_put_rows(const struct mpg_waits_report *report, struct mpg_json *json, struct mpg_error *err);

/* Returns "traced" or "predicted". */
const char *mpg_waits_run_name(size_t run);
/* Returns the sums of WAITS over all calls. */
struct mpg_wait_sum mpg_waits_of_all(const struct mpg_waits *waits);
/* Returns the sum of the ranks' run times, ns. */
double mpg_waits_total(const struct mpg_waits *waits, int32_t ranks);
/* Returns a key such as "point_to_point". */
const char *mpg_category_key(enum mpg_category category);

#endif
