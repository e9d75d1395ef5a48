/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all replicas' critical paths, or paths of delays, have in a row of --where. Private to simulate/reports/. */
#ifndef MPG_REPORT_WHERE_PATH_H
#define MPG_REPORT_WHERE_PATH_H

#include <jansson.h>
#include <stdio.h>

#include "simulate/reports/where.h"

/* The table of T, a line before it. */
void mpg_where_path_print_text(const struct mpg_where_report *report, const struct mpg_where_table *table, FILE *out);
/* Names of the columns, each with a comma before it; what ROW of T has in them, nothing where there are no paths. */
void mpg_where_path_print_head_csv(const struct mpg_where_report *report, FILE *out);
void mpg_where_path_print_csv(const struct mpg_where_report *report, const struct mpg_where_table *table,
                              const struct mpg_where_row *row, FILE *out);
/* Of ROW; of the total, that SHARE is 1 of. */
json_t *mpg_where_path_json(const struct mpg_where_report *report, enum mpg_where_by by, const struct mpg_where_row *row);
json_t *mpg_where_path_total_json(const struct mpg_where_report *report);

#endif
