/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer as one HTML file for a browser, without network: results in plain words, advice, pictures and tables. The file holds
 * the answer as reduced JSON (simulate/pages/bound.h), drawn by the page's script, and as text. Names from traces and options are
 * never taken as markup. */
#ifndef MPG_PAGES_PAGE_H
#define MPG_PAGES_PAGE_H

#include <stdio.h>

#include "analyse/overview.h"
#include "analyse/phase.h"
#include "simulate/reports/result_table.h"

/* Parts of a page of one scenario that are not in the answer. */
struct mpg_page_parts {
    const char *why_no_waits;      /* why the report has no wait states and no overviews; NULL: the report has both */
    const struct mpg_overview *recorded, *predicted; /* overviews of the recorded and the predicted run over time; NULL: none */
    const struct mpg_trace *trace;
    const struct mpg_worst_phase *phase; /* NULL: none, for the reason why_no_phase */
    const char *why_no_phase;
};

/* Write a page to the file PATH ("-": standard output). REPORT has all other parts of the page. Return 0, or -1 with ERR: no
 * memory; PATH cannot be written. */
int mpg_page_report(const struct mpg_report *report, const struct mpg_page_parts *parts, const char *path,
                    struct mpg_error *err);
int mpg_page_table(const struct mpg_result_table *rows, const char *path, struct mpg_error *err);

#endif
