/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terms of places, as tables name and show them. Private to simulate/reports/. */
#ifndef MPG_REPORT_WHERE_TERMS_H
#define MPG_REPORT_WHERE_TERMS_H

#include "common/table/table.h"
#include "simulate/attribution/table.h"

/* Of delays, in the order of struct mpg_delay_account. */
enum { MPG_WHERE_TAKEN = 4, MPG_WHERE_WAITED, MPG_WHERE_HIDDEN };

struct mpg_where_key {
    const char *name;
    double (*of)(const double *term);
};

/* All figures of a row, N of them: of delays, or PREDICTED times. */
const struct mpg_where_key *mpg_where_keys(bool predicted, size_t *n);
double mpg_where_put_in(const double *term);
double mpg_where_absorbed(const double *term);
/* Of times: all of them. */
double mpg_where_run(const double *term);
/* "tolerant", "sensitive", "mixed"; NULL: nothing came in. */
const char *mpg_where_class(const double *term);

/* --- tables for people --- */

/* What figures of a table have in common: all are of one unit, and whole numbers of quanta, so that sums of what is shown are
 * exact. */
struct mpg_where_figures {
    double quantum_ns, unit_ns;
    const char *unit;
    int decimals;
};

struct mpg_where_figures mpg_where_choose_unit(double largest_ns);
/* The column of such figures, with SIGN, if any, before them; a cell of so many QUANTA. */
struct mpg_table_column mpg_where_figure_column(const struct mpg_where_figures *figures, const char *heading, char sign);
void mpg_where_put_figure(struct mpg_table *table, const struct mpg_where_figures *figures, double quanta);
/* The last column, of what a row is about; ROW's cell. */
struct mpg_table_column mpg_where_name_column(const char *heading);
void mpg_where_put_name(struct mpg_table *table, enum mpg_attribution_by by, const struct mpg_attribution_row *row);

/* --- tables for programs --- */

enum { MPG_WHERE_ABOUT = 3 };

/* What rows are about, with how many calls they have: its columns, at most MPG_WHERE_ABOUT, into COLUMNS, of which it returns
 * the number; ROW's cells. */
size_t mpg_where_about_columns(enum mpg_attribution_by by, struct mpg_table_column *columns);
void mpg_where_put_about(struct mpg_table *table, enum mpg_attribution_by by, const struct mpg_attribution_row *row);
/* A cell: RANK; missing if it is -1. */
void mpg_where_put_rank(struct mpg_table *table, int32_t rank);

#endif
