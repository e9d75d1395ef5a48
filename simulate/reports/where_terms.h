/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of places, as answers name them. Private to simulate/reports/. */
#ifndef MPG_REPORT_WHERE_TERMS_H
#define MPG_REPORT_WHERE_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/table/escape.h"
#include "simulate/reports/where.h"

/* Of delays, in the order of struct mpg_lanes_account. */
enum { MPG_WHERE_TAKEN = 4, MPG_WHERE_WAITED, MPG_WHERE_HIDDEN };

struct mpg_where_key {
    const char *name;
    double (*of)(const double *term);
};

/* All figures of a row, N of them: of delays, or PREDICTED times. */
const struct mpg_where_key *mpg_where_keys(bool predicted, size_t *n);

/* What figures of a table have in common. */
struct mpg_where_figures {
    double quantum_ns, unit_ns;
    const char *unit;
    int decimals;
};

struct mpg_where_figures mpg_where_choose_unit(double largest_ns);
/* So many QUANTA, with SIGN before them. */
void mpg_where_print_figure(const struct mpg_where_figures *figures, double quanta, char sign, FILE *out);
/* What ROW is about. */
void mpg_where_print_name(const struct mpg_where_table *table, const struct mpg_where_row *row, FILE *out);
/* The same, with how many calls it has; a callsite's PLACES, a line each; a rank, or null. */
json_t *mpg_where_row_json(enum mpg_where_by by, const struct mpg_where_row *row);
json_t *mpg_where_places_json(const char *places);
json_t *mpg_where_rank_json(int32_t rank);

double mpg_where_put_in(const double *term);
double mpg_where_absorbed(const double *term);
/* put in + taken over - absorbed */
double mpg_where_passed_on(const double *term);
/* Of times: all of them. */
double mpg_where_run(const double *term);
/* "tolerant", "sensitive", "mixed"; NULL: nothing came in. */
const char *mpg_where_class(const double *term);

#endif
