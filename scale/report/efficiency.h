/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Efficiencies by process count. Private to scale/report/. */
#ifndef MPG_SCALE_EFFICIENCY_H
#define MPG_SCALE_EFFICIENCY_H

#include "scale/report/report.h"

/* Prints a row for each process count of REPORT's runs, which were read with scale_reading.efficiency. Returns 0, or -1
 * with ERR: out of memory. */
int mpg_scale_print_efficiency(const struct scale_report *report, enum mpg_table_format format, FILE *out,
                               struct mpg_error *err);

#endif
