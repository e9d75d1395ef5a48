/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the report that all formats have. Private to analyse/efficiency/. */
#ifndef MPG_EFFICIENCY_REPORT_PRIVATE_H
#define MPG_EFFICIENCY_REPORT_PRIVATE_H

#include "analyse/efficiency/report.h"
#include "analyse/recording.h"

/* Return the scaling of trace I of REPORT against the first one. */
double mpg_efficiency_report_scaling(const struct mpg_efficiency_report *report, size_t i);
struct mpg_efficiency_counter_scaling mpg_efficiency_report_counter_scaling(const struct mpg_efficiency_report *report, size_t i);
struct mpg_recording mpg_efficiency_recording(const struct mpg_efficiency_run *run);
/* Prints REPORT as JSON. */
void mpg_efficiency_put_json(const struct mpg_efficiency_report *report, FILE *out);

#endif
