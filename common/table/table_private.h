/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What common/table/'s writers tell each other. Private to common/table/. */
#ifndef MPG_TABLE_PRIVATE_H
#define MPG_TABLE_PRIVATE_H

#include "common/table/table.h"

/* Whether column C grows with what it holds. */
static inline bool mpg_table_fits(const struct mpg_table *table, size_t c)
{
    return table->fits || table->column[c].fits;
}

/* A row as a line of text; NULL: the headings. */
void mpg_table_put_text_row(struct mpg_table *table, const struct mpg_table_cell *row);
/* All stored rows, after the headings, in columns as wide as they are. */
void mpg_table_put_text(struct mpg_table *table);

#endif
