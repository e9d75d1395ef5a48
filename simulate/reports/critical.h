/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of a predicted run as text, CSV and JSON. Private to simulate/. */
#ifndef MPG_REPORT_CRITICAL_H
#define MPG_REPORT_CRITICAL_H

#include <stdio.h>

#include "common/table/json.h"
#include "simulate/attribution/critical.h"
#include "simulate/attribution/table.h"

/* The critical path of REPLICA, and the parts of the path's time by place: WHERE, and TABLES tables of WHERE. */
struct mpg_critical_report {
    const struct mpg_critical *path;
    const struct mpg_attribution_table *table;
    size_t tables;
    const struct mpg_attribution *where;
    const struct mpg_trace *trace;
    uint32_t replica;
};

/* These functions write REPORT. Errors: names of callsites cannot be found; out of memory. */
int mpg_critical_print_text(const struct mpg_critical_report *report, FILE *out, struct mpg_error *err);
/* Prints the longest path segments. */
int mpg_critical_print_csv(const struct mpg_critical_report *report, FILE *out, struct mpg_error *err);
/* Writes the whole report as the member KEY. */
int mpg_critical_json(struct mpg_json *json, const char *key, const struct mpg_critical_report *report, struct mpg_error *err);

#endif
