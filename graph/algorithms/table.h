/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that choose the algorithm of a collective by operation, members and bytes: mpgcollectives(5). */
#ifndef MPG_GRAPH_TABLE_H
#define MPG_GRAPH_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "graph/algorithms/algorithm.h"

struct mpg_collective_table;

/* Returns the built-in table: the choices of Open MPI 4.1's `tuned` component. Returns NULL with ERR: out of memory. */
struct mpg_collective_table *mpg_collective_table_default(struct mpg_error *err);
/* Reads the table in file PATH. Operations missing in the file are as in the built-in table. Returns NULL on errors: ERR names
 * the line. The caller frees the table. */
struct mpg_collective_table *mpg_collective_table_read(const char *path, struct mpg_error *err);
/* As mpg_collective_table_read(), from TEXT of LENGTH bytes; errors name line numbers of NAME. */
struct mpg_collective_table *mpg_collective_table_parse(const char *text, size_t length, const char *name,
                                  struct mpg_error *err);
/* Returns the choice for OPERATION with P members and BYTES (defined in mpgcollectives(5)). Of the rows with the largest
 * number of processes <= P, the row with the largest bytes <= BYTES counts. */
struct mpg_choice mpg_collective_table_find(const struct mpg_collective_table *table, enum mpg_collective operation,
                                 int32_t p, double bytes);
/* As mpg_collective_table_find() for the nonblocking variant of OPERATION. */
struct mpg_choice mpg_collective_table_find_nonblocking(const struct mpg_collective_table *table, enum mpg_collective operation,
                                             int32_t p, double bytes);
/* Returns a checksum of all choices. */
uint64_t mpg_collective_table_sum(const struct mpg_collective_table *table);
void mpg_collective_table_free(struct mpg_collective_table *table); /* NULL is allowed */

#endif
