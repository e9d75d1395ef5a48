/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the results as text, CSV or JSON. */
#ifndef MPG_SCALE_REPORT_H
#define MPG_SCALE_REPORT_H

#include <stdio.h>

#include "common/table/table.h"
#include "scale/correlate/correlate.h"
#include "scale/model/model.h"
#include "scale/read/read.h"

enum scale_table { SCALE_TABLE_CORRELATION, SCALE_TABLE_CALLSITES, SCALE_TABLE_AGGREGATE, SCALE_TABLE_RUNS,
                   SCALE_TABLE_EFFICIENCY, SCALE_TABLES };

enum scale_export { SCALE_EXPORT_NONE, SCALE_EXPORT_EXTRAP, SCALE_EXPORT_JSONL, SCALE_EXPORT_CSV, SCALE_EXPORTS };

struct scale_report {
    const struct scale_analysis *analysis;
    const struct scale_notes *notes;
    const struct scale_reading *how;
    bool fastest; /* SCALE_TABLE_AGGREGATE, _RUNS, _EFFICIENCY: the fastest run at each N in place of medians */
};

/* The functions below return 0, or -1 with ERR if out of memory. OUT's error flag reports write errors. */

/* Prints the rows of the analysis: the correlation of each site with N. */
int mpg_scale_print_correlation(const struct scale_report *report, enum mpg_table_format format, FILE *out,
                                struct mpg_error *err);
/* Prints the models of the rows as text. */
int mpg_scale_print_models(const struct scale_report *report, FILE *out, struct mpg_error *err);
/* Prints any TABLE. SCALE_TABLE_CALLSITES has a row for each site, rank and run, and needs the set's details. */
int mpg_scale_print_table(const struct scale_report *report, enum scale_table table, enum mpg_table_format format,
                          FILE *out, struct mpg_error *err);
/* Exports all measurements of all sites in Extra-P's text format, as Extra-P JSON lines, or as CSV. Extra-P cannot handle a
 * site missing at some process count: in the text format the site is a comment, in JSON lines the site is omitted. */
int mpg_scale_print_export(const struct scale_report *report, enum scale_export export, FILE *out,
                           struct mpg_error *err);

/* Returns the index of the first run with more ranks than run RUN of SET. */
size_t mpg_scale_next_count(const struct scale_set *set, size_t run);
/* Returns the metric's title for users: "share of communication"; mpg_scale_metric_key() returns the key in JSON: "share". */
const char *mpg_scale_metric_title(const struct scale_report *report);
const char *mpg_scale_metric_key(const struct scale_report *report);
/* Returns the kind of rows: "callsite", "call", "region" or "computation". */
const char *mpg_scale_row_title(const struct scale_report *report);
/* If ranks of some run shared cores, prints a warning without newline: KEY, the number of runs, and ranks and cores of the run
 * with the most ranks per core. Returns false if no run did. */
bool mpg_scale_print_core_facts(const struct scale_set *set, const char *key, FILE *out);
/* Prints the lines above the text tables. */
void mpg_scale_print_head(const struct scale_report *report, FILE *out);
/* Writes members about the runs into the current JSON object. */
void mpg_scale_put_runs(struct mpg_json *json, const struct scale_report *report);
/* Adds five cells: SITE's name, call, function, file and line. */
void mpg_scale_put_site(struct mpg_table *table, const struct scale_site *site);

#endif
