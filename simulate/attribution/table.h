/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of a run, summed by call, callsite, region, rank, or pair of ranks. */
#ifndef MPG_ATTRIBUTION_TABLE_H
#define MPG_ATTRIBUTION_TABLE_H

#include "simulate/attribution/attribution.h"
#include "trace/reader.h"

enum mpg_attribution_by {
    MPG_ATTRIBUTION_BY_CALL,
    MPG_ATTRIBUTION_BY_CALLSITE,
    MPG_ATTRIBUTION_BY_REGION,
    MPG_ATTRIBUTION_BY_RANK,
    MPG_ATTRIBUTION_BY_PAIR, /* by pair: sender and receiver of a message; delays only */
    MPG_ATTRIBUTION_BY_COUNT
};

/* A place's share of the critical paths of all replicas, with 95 % confidence interval. NAN: the paths have no positive total;
 * interval: only one block of replicas. */
struct mpg_attribution_share {
    double part, low, high;
};

struct mpg_attribution_row {
    enum mpg_call call; /* BY_CALL, BY_CALLSITE */
    bool computes;      /* BY_CALL, BY_CALLSITE: the row is the computation before the call */
    char *name; /* BY_CALLSITE: the stack frames, innermost first, one a line; BY_REGION: the region's name; otherwise NULL */
    int32_t rank;       /* BY_RANK */
    int32_t from, to;   /* BY_PAIR; both -1: costs of no message between two ranks */
    uint64_t calls;     /* number of traced calls; BY_PAIR 0, because a call can have messages of several pairs */
    double term[MPG_ATTRIBUTION_TERMS]; /* mean over replicas and, except BY_RANK and BY_PAIR, over ranks */
    double weight;                /* sort key of the rows, the largest first; BY_RANK 0 */
    struct mpg_attribution_share share; /* share of the critical paths of all replicas, if known */
    double *block_ns;             /* for each block of replicas: time of the critical paths at this place, summed over the
                                     block, ns */
};

struct mpg_attribution_table {
    enum mpg_attribution_by by;
    size_t n;
    struct mpg_attribution_row *row;
    uint32_t blocks; /* number of blocks of replicas */
};

/* Returns the word for BY: "call", "callsite" and so on. */
const char *mpg_attribution_by_word(enum mpg_attribution_by by);

/* Fills TABLE with the places of WHERE, which is finished, of TRACE, grouped as BY says. LARGE(term) is the sort key of rows,
 * largest first; rows of ranks are in the order of ranks. The caller clears TABLE, also on failure. Errors: out of memory;
 * unreadable symbols. */
int mpg_attribution_table_make(struct mpg_attribution_table *table, const struct mpg_attribution *where,
                               const struct mpg_trace *trace,
                         enum mpg_attribution_by by, double (*large)(const double *term), struct mpg_error *err);
void mpg_attribution_table_clear(struct mpg_attribution_table *table);
/* Returns the sum of PART over N blocks divided by the sum of WHOLE, with the 95 % confidence interval of this ratio: from
 * the ratio's variance over blocks (Cochran 1977, 6.4) and Student's t with N - 1 degrees of freedom. */
struct mpg_attribution_share mpg_attribution_share_of(const double *part, const double *whole, uint32_t n);
/* Returns the terms summed over all places of WHERE, divided by RANKS. */
struct mpg_attribution_row mpg_attribution_total(const struct mpg_attribution *where, int32_t ranks);

#endif
