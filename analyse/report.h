/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states in words, as JSON and as CSV. */
#ifndef MPG_WAITS_REPORT_H
#define MPG_WAITS_REPORT_H

#include <stdio.h>

#include "analyse/table.h"
#include "analyse/traced.h"

struct mpg_waits_report {
    const struct mpg_trace *trace;
    const struct mpg_waits *world[MPG_WAITS_WORLDS]; /* the traced run; a predicted one */
    size_t worlds;
    const struct mpg_waits_table *table;
    size_t top;                            /* rows of text and CSV; 0: all */
    enum mpg_clock_source clocks;
    enum mpg_waits_limit limit;            /* the traced machine's, */
    int64_t limit_bytes;
    const struct mpg_graph_counts *counts; /* of the traced run */
};

/* All of it for people, from what was read on. */
void mpg_waits_print_text(const struct mpg_waits_report *report, FILE *out);
/* Totals and table alone. */
void mpg_waits_print_tables(const struct mpg_waits_report *report, FILE *out);
/* An object: WHOLE: with what says what it is about, and a newline; else totals and rows alone. */
void mpg_waits_print_json(const struct mpg_waits_report *report, bool whole, FILE *out);
/* The table. */
void mpg_waits_print_csv(const struct mpg_waits_report *report, FILE *out);

/* The whole MPI of a world. */
struct mpg_wait_sum mpg_waits_of_all(const struct mpg_waits *waits);
/* The sum of its ranks' runs, ns. */
double mpg_waits_total(const struct mpg_waits *waits, int32_t ranks);
/* "Point-to-point", "point_to_point". */
const char *mpg_matter_name(enum mpg_matter matter);
const char *mpg_matter_key(enum mpg_matter matter);

#endif
