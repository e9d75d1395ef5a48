/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The use of processors in a run on a parametric target, mpgtarget(5). */
#ifndef MPG_EXTRAPOLATED_H
#define MPG_EXTRAPOLATED_H

#include "common/table/json.h"
#include "simulate/reports/report.h"

/* Write how the time of all ranks, and of each rank, is used: mpg_report_use() as text, with a comparison to a run on one
 * processor; mpg_report_use_csv() as CSV, a line for each rank, and a line for all ranks with the number of processors and sums
 * (no sum of run times); mpg_report_use_json() as JSON, the member KEY. Error: out of memory. */
int mpg_report_use(const struct mpg_report *report, FILE *out, struct mpg_error *err);
int mpg_report_use_csv(const struct mpg_report *report, FILE *out, struct mpg_error *err);
int mpg_report_use_json(struct mpg_json *json, const char *key, const struct mpg_report *report, struct mpg_error *err);

/* Returns the time that RANK waits outside of barriers, ns, mean over replicas. */
double mpg_report_waited(const struct mpg_report *report, int32_t rank);

#endif
