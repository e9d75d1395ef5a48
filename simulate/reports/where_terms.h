/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of attribution tables. Private to simulate/reports/. */
#ifndef MPG_REPORT_WHERE_TERMS_H
#define MPG_REPORT_WHERE_TERMS_H

#include "common/table/table.h"
#include "simulate/attribution/table.h"

/* Indices of terms in struct mpg_delay_account. */
enum { MPG_WHERE_PROPAGATED = 4, MPG_WHERE_WAITED, MPG_WHERE_HIDDEN };

struct mpg_where_key {
    const char *name;
    double (*of)(const double *term);
};

/* Returns the figures shown in a row, of delays or, if PREDICTED, of times; *N: number of figures. */
const struct mpg_where_key *mpg_where_keys(bool predicted, size_t *n);
double mpg_where_injected(const double *term);
double mpg_where_absorbed(const double *term);
/* Returns the sum of a predicted row's times, the run time. */
double mpg_where_run(const double *term);
/* Returns the class of a place that delays of other ranks reach, by the ratio of delay passed on to incoming delay:
 * "tolerant", "sensitive" or "mixed"; NULL: no delay reaches the place. */
const char *mpg_where_class(const double *term);

/* --- tables for people --- */

/* The unit and the format of all figures in a table. Each figure is a whole number of quanta: printed figures add up exactly. */
struct mpg_where_figures {
    double quantum_ns, unit_ns;
    const char *unit;
    int decimals;
};

struct mpg_where_figures mpg_where_choose_unit(double largest_ns);
/* Returns the column for a figure, with SIGN in front (0: none). mpg_where_put_figure() puts a cell with QUANTA. */
struct mpg_table_column mpg_where_figure_column(const struct mpg_where_figures *figures, const char *heading, char sign);
void mpg_where_put_figure(struct mpg_table *table, const struct mpg_where_figures *figures, double quanta);
/* Writes "MPI_Irecv", "computation before MPI_Irecv" if COMPUTES, with a nonempty SITE "MPI_Irecv, halo (stencil.c:10)", into
 * TEXT of SIZE bytes, and returns TEXT. SITE may be NULL. */
char *mpg_where_name_call(enum mpg_call call, bool computes, const char *site, char *text, size_t size);
/* Returns the last column, with the names of rows. mpg_where_put_name() puts the cell of ROW. */
struct mpg_table_column mpg_where_name_column(const char *heading);
void mpg_where_put_name(struct mpg_table *table, enum mpg_attribution_by by, const struct mpg_attribution_row *row);

/* --- tables for programs --- */

enum { MPG_WHERE_ABOUT = 4 };

/* Writes the columns that identify a row, and the row's number of calls, into COLUMNS and returns the number of columns, at most
 * MPG_WHERE_ABOUT. mpg_where_put_about() puts the cells of ROW. */
size_t mpg_where_about_columns(enum mpg_attribution_by by, struct mpg_table_column *columns);
void mpg_where_put_about(struct mpg_table *table, enum mpg_attribution_by by, const struct mpg_attribution_row *row);
/* Returns "computation" if COMPUTES (the place is the computation before a call), else "call". */
const char *mpg_where_part(bool computes);
/* Puts RANK into the next cell; a missing value if RANK is -1. */
void mpg_where_put_rank(struct mpg_table *table, int32_t rank);

#endif
