/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the table writers. Private to common/table/. */
#ifndef MPG_TABLE_PRIVATE_H
#define MPG_TABLE_PRIVATE_H

#include "common/table/table.h"

/* Returns true if column C grows with its content. */
static inline bool mpg_table_fits(const struct mpg_table *table, size_t c)
{
    return table->fits || table->column[c].fits;
}

/* Writes a row as a line of text; NULL: the headings. */
void mpg_table_put_text_row(struct mpg_table *table, const struct mpg_table_cell *row);
/* Writes the headings and all stored rows in columns as wide as their content. */
void mpg_table_put_text(struct mpg_table *table);

#endif
