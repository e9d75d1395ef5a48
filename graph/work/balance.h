/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One region's work on all ranks, visit by visit or in all, and what each would have of it if all had the
 * same. */
#ifndef MPG_GRAPH_BALANCE_H
#define MPG_GRAPH_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct balance;

/* Of RANKS ranks, all of them members; BY_TOTAL: no visit is kept. NULL: out of memory. */
struct balance *mpg_balance_new(int32_t ranks, bool by_total);
void mpg_balance_free(struct balance *b); /* NULL is allowed */
/* Leaves but those N ranks out. */
void mpg_balance_among(struct balance *b, const int32_t *members, size_t n);
bool mpg_balance_has(const struct balance *b, int32_t rank);

/* A visit of RANK's THREAD begins: its number there, from 0, into *VISIT. Error: out of memory. */
int mpg_balance_visit(struct balance *b, int32_t rank, uint32_t thread, size_t *visit, struct mpg_error *err);
/* It has done so much. */
void mpg_balance_work(struct balance *b, int32_t rank, uint32_t thread, size_t visit, double work_ns);
/* What members have done in all. */
double mpg_balance_total(const struct balance *b);
/* All have been told. Errors: members' visits differ in number; by total, one has no work. */
int mpg_balance_finish(struct balance *b, struct mpg_error *err);

/* What becomes of RANK's work in a visit: each part of it grows by GAIN times itself, and where there is none,
 * LUMP_NS of it are done at its begin. */
struct balance_change {
    double gain, lump_ns;
};
struct balance_change mpg_balance_of(const struct balance *b, int32_t rank, uint32_t thread, size_t visit);

#endif
