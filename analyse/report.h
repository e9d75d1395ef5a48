/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states in words, as JSON and as CSV. */
#ifndef MPG_WAITS_REPORT_H
#define MPG_WAITS_REPORT_H

#include <stdio.h>

#include "analyse/table.h"
#include "analyse/traced.h"
#include "common/table/table.h"

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

/* Functions below that may fail do so for one reason: out of memory. */

/* All of it for people, from what was read on. */
int mpg_waits_print_text(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
/* Totals and table alone. */
int mpg_waits_print_tables(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
/* All of it as JSON; and totals and rows alone, as members of an object. */
int mpg_waits_print_json(const struct mpg_waits_report *report, FILE *out, struct mpg_error *err);
int mpg_waits_put_json(const struct mpg_waits_report *report, struct mpg_json *json, struct mpg_error *err);
/* The table, as text or CSV; its rows, all of them, as JSON. */
int mpg_waits_print_rows(const struct mpg_waits_report *report, enum mpg_table_format format, FILE *out, struct mpg_error *err);
int mpg_waits_put_rows(const struct mpg_waits_report *report, struct mpg_json *json, struct mpg_error *err);

/* "traced", "predicted". */
const char *mpg_waits_world_name(size_t world);
/* The whole MPI of a world. */
struct mpg_wait_sum mpg_waits_of_all(const struct mpg_waits *waits);
/* The sum of its ranks' runs, ns. */
double mpg_waits_total(const struct mpg_waits *waits, int32_t ranks);
/* "point_to_point". */
const char *mpg_matter_key(enum mpg_matter matter);

#endif
