/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the report common to all formats. Private to analyse/efficiency/. */
#ifndef MPG_EFFICIENCY_REPORT_PRIVATE_H
#define MPG_EFFICIENCY_REPORT_PRIVATE_H

#include "analyse/efficiency/report.h"

/* Return the computation scaling of trace I of REPORT against the first trace, and the factors from counters. */
double mpg_efficiency_report_scaling(const struct mpg_efficiency_report *report, size_t i);
struct mpg_efficiency_counter_scaling mpg_efficiency_report_counter_scaling(const struct mpg_efficiency_report *report, size_t i);
/* Prints REPORT as JSON. Returns 0, or -1 with ERR: no memory. */
int mpg_efficiency_put_json(const struct mpg_efficiency_report *report, FILE *out, struct mpg_error *err);

/* Print the parts of TRACED as rows in FORMAT; add the rows to the open object of JSON. Return 0, or -1 with ERR: no memory. */
int mpg_efficiency_print_parts(const struct mpg_efficiency_traced *traced, enum mpg_table_format format, FILE *out,
                               struct mpg_error *err);
int mpg_efficiency_put_parts(const struct mpg_efficiency_traced *traced, struct mpg_json *json, struct mpg_error *err);

/* As both functions above, for the rows of phases and iterations; text also has the loops, before the rows. */
int mpg_efficiency_print_iterations(const struct mpg_efficiency_traced *traced, enum mpg_table_format format, FILE *out,
                                    struct mpg_error *err);
int mpg_efficiency_put_iterations(const struct mpg_efficiency_traced *traced, struct mpg_json *json, struct mpg_error *err);

#endif
