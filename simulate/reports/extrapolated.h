/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run on a target of parameters consists of, and rests on. */
#ifndef MPG_EXTRAPOLATED_H
#define MPG_EXTRAPOLATED_H

#include <jansson.h>

#include "simulate/reports/report.h"

/* Parts of the text: what ranks did, in all and each; how it compares with AGAINST_NS, that of one processor (0: not
 * known). */
void mpg_report_use(const struct mpg_report *report, FILE *out);
/* A table as CSV: a rank a line, then all: of these how many processors there are, and sums but for the run. */
void mpg_report_use_csv(const struct mpg_report *report, FILE *out);
json_t *mpg_report_use_json(const struct mpg_report *report);

/* What RANK waited for, but for barriers, ns, mean over replicas. */
double mpg_report_waited(const struct mpg_report *report, int32_t rank);

/* Assumptions. */
void mpg_assume_parameters(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_barriers(const struct mpg_report *r, char *text, size_t size);
/* Whether ranks serve transfers of their data. */
bool mpg_assume_served(const struct mpg_report *r);
void mpg_assume_policy(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_network(const struct mpg_report *r, char *text, size_t size);
void mpg_assume_processors(const struct mpg_report *r, char *text, size_t size);

#endif
