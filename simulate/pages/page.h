/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer as one HTML file that needs no network, for a browser: what was found in plain words, what to do about it,
 * pictures and the tables behind them. It holds the answer as JSON, bounded (simulate/pages/bound.h), which its script
 * draws, and the answer as text. Nothing in it is taken as markup that a trace or an option brought. */
#ifndef MPG_PAGES_PAGE_H
#define MPG_PAGES_PAGE_H

#include <stdio.h>

#include "simulate/reports/sheet.h"

/* Write it to PATH ("-": standard output). REPORT has all that the page has; WHY_NO_WAITS, if it has no wait states, or
 * NULL. Errors: out of memory; PATH cannot be written. */
int mpg_page_report(const struct mpg_report *report, const char *why_no_waits, const char *path, struct mpg_error *err);
int mpg_page_sheet(const struct mpg_sheet *rows, const char *path, struct mpg_error *err);

#endif
