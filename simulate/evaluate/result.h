/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation found, and its statistics over replicas. */
#ifndef MPG_RESULT_H
#define MPG_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/clocks.h"
#include "graph/graph.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/classes.h"
#include "simulate/attribution/attribution.h"

struct mpg_result {
    bool predicted; /* times of the target, else delays of the trace */
    int32_t ranks;
    uint32_t replicas, first_replica;
    int64_t *recorded_ns; /* a rank: MPI_Init's leave to MPI_Finalize's enter, as in the trace */
    double *traced_ns;  /* the same without what the tracer took, if that is taken out; what delays
                           are against */
    bool tracer_taken_out;
    double *delay_ns;   /* ranks x replicas: of MPI_Finalize's enter */
    double *run_ns;     /* a replica: the longest rank's perturbed run time */
    struct mpg_graph_counts counts;
    struct mpg_delay_account *account; /* a rank: mean over replicas */
    struct mpg_run_account *run_account; /* predicted: the same */
    double *sums; /* ranks x blocks of replicas x terms of either: what these are the means of. Of a block
                     they are added one after the other, and so are blocks: it does not matter who
                     evaluated which */
    enum mpg_absorb absorb;
    enum mpg_clock_source clocks;
    enum mpg_cpu_use cpu;   /* where the source's noise is taken out */
    const char *floor_rule; /* where message floors come from; NULL if none are used */
    bool floors_of_source;  /* some come from the source's signature */
    bool chose;             /* calls could complete something else than in the trace: */
    struct mpg_choices choices; /* summed over replicas */
    uint32_t redone;        /* replicas that keep the traced order after all */
    int64_t source_eager_limit_bytes; /* that of the traced machine, as it was used */
    struct mpg_attribution *where; /* the accounts place by place, where that is asked for; else NULL */
};

/* Whether the accounts are wanted place by place. */
struct mpg_attribution_wanted {
    bool places; /* they are, */
    bool pairs;  /* with the ranks of messages */
};

/* Replicas whose accounts are summed up on their own; processes share replicas by whole blocks. */
enum { MPG_REPLICAS_A_BLOCK = 16 };

/* Without its arrays: what is known before any replica is done. */
void mpg_result_init(struct mpg_result *result, int32_t ranks, uint32_t replicas, uint32_t first_replica);
/* Gives it them, all zero. Error: out of memory; then it has none. */
int mpg_result_reserve(struct mpg_result *result, struct mpg_error *err);
/* Adds to RANK's account TERMS x N: those of the result's replicas BEGIN .. BEGIN + N - 1, which come one
 * after the other. */
void mpg_result_add(struct mpg_result *result, int32_t rank, uint32_t begin, uint32_t n,
                    const double *terms);
/* Once all replicas are there: fills run_ns from delays and traced times, and the accounts. Error: a delay
 * that is not finite, or so large that its square is not. */
int mpg_result_finish(struct mpg_result *result, struct mpg_error *err);
void mpg_result_clear(struct mpg_result *result); /* without its arrays is allowed */

struct mpg_delay_account mpg_delay_account_of(const double term[MPG_ACCOUNT_TERMS]);
struct mpg_run_account mpg_run_account_of(const double term[MPG_ACCOUNT_TERMS]);
/* Adds WEIGHT times A to SUM. */
void mpg_delay_account_add(struct mpg_delay_account *sum, const struct mpg_delay_account *a,
                           double weight);
void mpg_run_account_add(struct mpg_run_account *sum, const struct mpg_run_account *a,
                         double weight);
/* All that was put in. */
double mpg_delay_put_in(const struct mpg_delay_account *a);
/* The accounts' mean over ranks. */
struct mpg_delay_account mpg_result_account(const struct mpg_result *result);
struct mpg_run_account mpg_result_run_account(const struct mpg_result *result);

/* Traced run time of the job: the longest rank's traced_ns. */
double mpg_result_traced(const struct mpg_result *result);
/* The same of recorded_ns. */
double mpg_result_recorded(const struct mpg_result *result);

struct mpg_summary {
    double mean, sd, least, p5, median, p95, largest;
    double low, high; /* 95 % confidence interval of the median, from order statistics; the
                         extremes where n < 6 */
};

/* Summarises N >= 1 values; quantiles are linear between order statistics
 * (Hyndman and Fan 1996, type 7). SORTED: scratch of N doubles, sorted on return. */
struct mpg_summary mpg_summarise(const double *values, size_t n, double *sorted);

#endif
