/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The efficiencies of recorded runs as text, JSON and CSV. */
#ifndef MPG_EFFICIENCY_REPORT_H
#define MPG_EFFICIENCY_REPORT_H

#include <stdio.h>

#include "analyse/efficiency/run.h"
#include "common/table/table.h"
#include "trace/reader.h"

/* A trace and the efficiencies of its run. */
struct mpg_efficiency_traced {
    const char *path;
    const struct mpg_trace *trace; /* names of regions; NULL if the run has no parts */
    struct mpg_efficiency_run run;
};

struct mpg_efficiency_report {
    size_t n;                                   /* 1 or more; 1 if the run has parts */
    const struct mpg_efficiency_traced *traced; /* sorted by number of ranks, ascending */
    enum mpg_efficiency_scaling scaling;
    int64_t eager_limit_bytes;                  /* eager limit of the ideal run, bytes */
};

/* Prints REPORT in FORMAT. Returns 0, or -1 with ERR: no memory. */
int mpg_efficiency_print(const struct mpg_efficiency_report *report, enum mpg_table_format format, FILE *out,
                         struct mpg_error *err);

#endif
