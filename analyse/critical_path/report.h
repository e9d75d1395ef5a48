/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path as tables: text, CSV, JSON. */
#ifndef MPG_PATH_REPORT_H
#define MPG_PATH_REPORT_H

#include "analyse/critical_path/path.h"
#include "common/table/table.h"
#include "trace/stat/names.h"

enum path_by { PATH_BY_CALLSITE, PATH_BY_REGION, PATH_BY_RANK, PATH_BY_SEGMENT, PATH_BY_DELAY };

struct path_report {
    const struct critical_path *path;
    struct mpg_site_names *names;
    enum path_by by; /* the table of text and CSV */
    size_t top;      /* maximum number of rows of a table in text; 0: all */
    bool path_segments;   /* text also lists the path segments */
};

/* Print the report. Return 0, or -1 with ERR: no memory, symbols. */
int mpg_path_print_text(const struct path_report *report, FILE *out, struct mpg_error *err);
int mpg_path_print_csv(const struct path_report *report, FILE *out, struct mpg_error *err);
int mpg_path_print_json(const struct path_report *report, FILE *out, struct mpg_error *err);

#endif
