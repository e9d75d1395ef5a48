/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which algorithm a collective takes, by operation, members and bytes: rows of a text,
 * mpgcollectives(5). */
#ifndef MPG_GRAPH_TABLE_H
#define MPG_GRAPH_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "graph/algorithms/algorithm.h"

struct mpg_collective_table;

/* The one that is built in: what Open MPI 4.1's `tuned` component chooses. */
struct mpg_collective_table *mpg_collective_table_default(struct mpg_error *err);
/* That of a file at PATH. Operations that it does not name are as in the built-in one. Errors name
 * the line. */
struct mpg_collective_table *mpg_collective_table_read(const char *path, struct mpg_error *err);
/* The same of TEXT, whose lines errors number after NAME. */
struct mpg_collective_table *mpg_collective_table_parse(const char *text, size_t length, const char *name,
                                  struct mpg_error *err);
/* What OPERATION of P members with BYTES (mpgcollectives(5) says which) takes: of the rows with the
 * most processes that are no more than P that with the most bytes that are no more than BYTES. */
struct mpg_choice mpg_collective_table_find(const struct mpg_collective_table *table, enum mpg_collective operation,
                                 int32_t p, double bytes);
/* The same of its nonblocking twin. */
struct mpg_choice mpg_collective_table_find_nonblocking(const struct mpg_collective_table *table, enum mpg_collective operation,
                                             int32_t p, double bytes);
/* A checksum over what it says: tables that choose otherwise have others. */
uint64_t mpg_collective_table_sum(const struct mpg_collective_table *table);
void mpg_collective_table_free(struct mpg_collective_table *table); /* NULL is allowed */

#endif
