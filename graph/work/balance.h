/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balancing hypotheses: the work of all ranks in one region, for each visit or in total, and the change by which each rank
 * gets the mean work. */
#ifndef MPG_GRAPH_BALANCE_H
#define MPG_GRAPH_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct balance;

/* Returns an empty balance with all RANKS ranks as members. BY_TOTAL: sum the work of all visits. Returns NULL: out of memory. */
struct balance *mpg_balance_new(int32_t ranks, bool by_total);
void mpg_balance_free(struct balance *b); /* NULL is allowed */
/* Restricts B to the N ranks MEMBERS. */
void mpg_balance_among(struct balance *b, const int32_t *members, size_t n);
bool mpg_balance_has(const struct balance *b, int32_t rank);

/* Sets *VISIT to the number, from 0, of the visit begun now by RANK's THREAD. Returns 0, or -1: out of memory. */
int mpg_balance_visit(struct balance *b, int32_t rank, uint32_t thread, size_t *visit, struct mpg_error *err);
/* Adds WORK_NS to visit VISIT of RANK's THREAD. */
void mpg_balance_work(struct balance *b, int32_t rank, uint32_t thread, size_t visit, double work_ns);
/* Returns the total work of all members, in ns. */
double mpg_balance_total(const struct balance *b);
/* Computes the mean work. Returns 0, or -1 with ERR: members differ in their numbers of visits; by total, a member has no
 * work. */
int mpg_balance_finish(struct balance *b, struct mpg_error *err);

/* The change of RANK's work in a visit: the work is multiplied by 1 + GAIN. In a visit without work, ADDED_NS of work are
 * added at the begin. */
struct balance_change {
    double gain, added_ns;
};
struct balance_change mpg_balance_of(const struct balance *b, int32_t rank, uint32_t thread, size_t visit);

#endif
