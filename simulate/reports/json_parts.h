/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of answers as JSON (mpgsim-json(5)). Private to simulate/. */
#ifndef MPG_JSON_PARTS_H
#define MPG_JSON_PARTS_H

#include "common/table/table.h"
#include "simulate/reports/report.h"

/* Each function writes a part as the member KEY; KEY NULL: as an element of an array. */
void mpg_answer_summary(struct mpg_json *json, const char *key, const struct mpg_summary *summary);
void mpg_answer_run_account(struct mpg_json *json, const char *key, const struct mpg_run_account *account);
void mpg_answer_options(struct mpg_json *json, const char *key, const struct mpg_report *report);
void mpg_answer_lines(struct mpg_json *json, const char *key, const struct mpg_notes *lines);
/* The columns of a summary in JSON, members of the object GROUP. mpg_answer_put_summary() puts the cells into a row. */
#define MPG_SUMMARY_COLUMNS(GROUP)                                                                                               \
    {.json = "mean", .group = (GROUP)}, {.json = "sd", .group = (GROUP)}, {.json = "least", .group = (GROUP)},                   \
        {.json = "p5", .group = (GROUP)}, {.json = "median", .group = (GROUP)}, {.json = "p95", .group = (GROUP)},               \
        {.json = "largest", .group = (GROUP)}, {.json = "median_confidence_95", .group = (GROUP)}
void mpg_answer_put_summary(struct mpg_table *table, const struct mpg_summary *summary);

#endif
