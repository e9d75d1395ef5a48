/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balancing: the work of all ranks in one region, by visit or in total, and the change that gives each rank the mean. */
#ifndef MPG_GRAPH_BALANCE_H
#define MPG_GRAPH_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct balance;

/* Returns an empty balance in which all RANKS ranks are members. BY_TOTAL: visits are not distinguished. Returns
 * NULL: out of memory. */
struct balance *mpg_balance_new(int32_t ranks, bool by_total);
void mpg_balance_free(struct balance *b); /* NULL is allowed */
/* Restricts B to N MEMBERS. */
void mpg_balance_among(struct balance *b, const int32_t *members, size_t n);
bool mpg_balance_has(const struct balance *b, int32_t rank);

/* *VISIT: number, from 0, of the visit that RANK's THREAD begins. Returns 0, or -1: out of memory. */
int mpg_balance_visit(struct balance *b, int32_t rank, uint32_t thread, size_t *visit, struct mpg_error *err);
/* Adds WORK_NS to the visit. */
void mpg_balance_work(struct balance *b, int32_t rank, uint32_t thread, size_t visit, double work_ns);
/* Returns the total work of all members, in ns. */
double mpg_balance_total(const struct balance *b);
/* Computes the means. Returns -1 with ERR: members differ in their numbers of visits; by total, a member has no work. */
int mpg_balance_finish(struct balance *b, struct mpg_error *err);

/* The change of RANK's work in a visit: each part of the work grows by GAIN times itself. ADDED_NS of work are added
 * at the begin of a visit without work. */
struct balance_change {
    double gain, added_ns;
};
struct balance_change mpg_balance_of(const struct balance *b, int32_t rank, uint32_t thread, size_t visit);

#endif
