/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of the places of ranks, and of the paths between them. */
#ifndef MPG_REPORT_PLACES_H
#define MPG_REPORT_PLACES_H

#include "simulate/reports/attention.h"
#include "simulate/reports/report.h"

/* Of REPORT, which has places on some machine, in words. */
void mpg_assume_places(const struct mpg_report *r, FILE *out);
/* A path that pairs of ranks take, or took, and that was not measured. */
void mpg_doubt_places(const struct mpg_report *report, struct mpg_attention *list);

#endif
