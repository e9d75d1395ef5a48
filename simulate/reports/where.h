/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution tables as text, CSV and JSON. Private to simulate/. */
#ifndef MPG_REPORT_WHERE_H
#define MPG_REPORT_WHERE_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/attribution/table.h"

struct mpg_where_report {
    struct mpg_attribution_table table[MPG_ATTRIBUTION_BY_COUNT];
    size_t n;
    struct mpg_attribution_row total;
    bool predicted;
    int32_t ranks;
};

/* Makes the N tables BY from WHERE, of TRACE's run. The caller clears REPORT also after an error: names of callsites cannot be
 * found, out of memory. */
int mpg_where_report_make(struct mpg_where_report *report, const struct mpg_attribution *where, const struct mpg_trace *trace,
                          bool predicted, const enum mpg_attribution_by *by, size_t n, struct mpg_error *err);
void mpg_where_report_clear(struct mpg_where_report *report);
/* Write REPORT: as text, as CSV (the first table only), and as JSON, the member KEY. Without ALL, text sums small rows in a
 * single row. Error: out of memory. */
int mpg_where_print_text(const struct mpg_where_report *report, bool all, FILE *out, struct mpg_error *err);
int mpg_where_print_csv(const struct mpg_where_report *report, FILE *out, struct mpg_error *err);
int mpg_where_json(struct mpg_json *json, const char *key, const struct mpg_where_report *report, struct mpg_error *err);

#endif
