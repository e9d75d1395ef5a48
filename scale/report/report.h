/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found, for people and for programs. */
#ifndef MPG_SCALE_REPORT_H
#define MPG_SCALE_REPORT_H

#include <stdio.h>

#include "common/table/table.h"
#include "scale/correlate/correlate.h"
#include "scale/model/model.h"
#include "scale/read/read.h"

enum scale_table { SCALE_TABLE_CORRELATION, SCALE_TABLE_CALLSITES, SCALE_TABLE_AGGREGATE, SCALE_TABLE_RUNS,
                   SCALE_TABLES };

enum scale_export { SCALE_EXPORT_NONE, SCALE_EXPORT_EXTRAP, SCALE_EXPORT_JSONL, SCALE_EXPORT_CSV, SCALE_EXPORTS };

struct scale_report {
    const struct scale_analysis *analysis;
    const struct scale_notes *notes;
    const struct scale_reading *how;
    bool fastest; /* aggregate: the fastest run of each N, not medians */
};

/* Functions below return 0, or -1 with ERR out of memory; OUT's error flag tells whether writing failed. */

/* Rows of a->analysis: what goes with N. */
int mpg_scale_print_correlation(const struct scale_report *report, enum mpg_table_format format, FILE *out,
                                struct mpg_error *err);
/* The models of rows, for people. */
int mpg_scale_print_models(const struct scale_report *report, FILE *out, struct mpg_error *err);
/* The other tables. CALLSITES: a row a rank of each run, which the set has details of. */
int mpg_scale_print_table(const struct scale_report *report, enum scale_table table, enum mpg_table_format format,
                          FILE *out, struct mpg_error *err);
/* All measurements of all sites: Extra-P's text format, its JSON lines, or CSV. Sites that a process count lacks are in
 * comments of the first, and not in the second: Extra-P cannot have them. */
int mpg_scale_print_export(const struct scale_report *report, enum scale_export export, FILE *out,
                           struct mpg_error *err);

/* The first run with more ranks than RUN of SET has. */
size_t mpg_scale_next_count(const struct scale_set *set, size_t run);
/* "share of T_comm", "share": of the metric. */
const char *mpg_scale_metric_title(const struct scale_report *report);
const char *mpg_scale_metric_key(const struct scale_report *report);
/* "callsite", "call", "region", "computation": what a row is of. */
const char *mpg_scale_row_title(const struct scale_report *report);
/* That ranks of runs in SET had to share cores, if some had: KEY, which runs, and the most that shared; no newline.
 * Returns whether there were any. */
bool mpg_scale_print_crowd(const struct scale_set *set, const char *key, FILE *out);
/* What is said before the tables of text. */
void mpg_scale_print_head(const struct scale_report *report, FILE *out);
/* Members of a JSON object about the runs. */
void mpg_scale_put_runs(struct mpg_json *json, const struct scale_report *report);
/* Five cells: SITE's name, call, function, file and line. */
void mpg_scale_put_site(struct mpg_table *table, const struct scale_site *site);

#endif
