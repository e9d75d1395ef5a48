/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer as one HTML file that needs no network, for a browser: what was found in plain words, what to do about it,
 * pictures and the tables behind them. It holds the answer as JSON, bounded (simulate/pages/bound.h), which its script
 * draws, and the answer as text. Nothing in it is taken as markup that a trace or an option brought. */
#ifndef MPG_PAGES_PAGE_H
#define MPG_PAGES_PAGE_H

#include <stdio.h>

#include "analyse/phase.h"
#include "simulate/reports/sheet.h"

/* What a page of one scenario has beside the answer. */
struct mpg_page_parts {
    const char *why_no_waits;      /* the report has none; or NULL */
    const struct mpg_worst_phase *phase; /* NULL: there is none, as WHY_NO_PHASE says */
    const char *why_no_phase;
};

/* Write it to PATH ("-": standard output). REPORT has all else that the page has. Errors: out of memory; PATH cannot be
 * written. */
int mpg_page_report(const struct mpg_report *report, const struct mpg_page_parts *parts, const char *path,
                    struct mpg_error *err);
int mpg_page_sheet(const struct mpg_sheet *rows, const char *path, struct mpg_error *err);

#endif
