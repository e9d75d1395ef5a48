/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run on a target of parameters consists of, and rests on. */
#ifndef MPG_EXTRAPOLATED_H
#define MPG_EXTRAPOLATED_H

#include "common/table/json.h"
#include "simulate/reports/report.h"

/* What ranks did, in all and each: as text, with how it compares with the run on one processor; as CSV, a rank a line, then
 * all: of these how many processors there are, and sums but for the run; as JSON, the member KEY. Error: out of memory. */
int mpg_report_use(const struct mpg_report *report, FILE *out, struct mpg_error *err);
int mpg_report_use_csv(const struct mpg_report *report, FILE *out, struct mpg_error *err);
int mpg_report_use_json(struct mpg_json *json, const char *key, const struct mpg_report *report, struct mpg_error *err);

/* What RANK waited for, but for barriers, ns, mean over replicas. */
double mpg_report_waited(const struct mpg_report *report, int32_t rank);

#endif
